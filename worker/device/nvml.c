/* worker/device/nvml.c - the driver's own account of GPUs
 *
 * Declarations are our own, of the few functions that are used: their numbers
 * and layouts are the library's ABI, which does not change.
 */
#include "worker/device/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/clock.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Codes that functions return. */
enum { DONE = 0, INSUFFICIENT_SIZE = 7, GPU_IS_LOST = 15, RESET_REQUIRED = 16 };

/* Arguments and field numbers. */
enum {
    CLOCK_SM = 1,
    CLOCK_MEMORY = 2,
    SENSOR_GPU = 0,
    ECC_CORRECTED = 0,
    ECC_UNCORRECTED = 1,
    ECC_VOLATILE = 0,
    FIELD_POWER_CAPPED_NS = 74,
    FIELD_THERMAL_NS = 75,
    FIELD_RECOVERY = 230,
    EVENT_XID = 8,
};

enum value_type {
    VALUE_DOUBLE,
    VALUE_UINT,
    VALUE_ULONG,
    VALUE_ULLONG,
    VALUE_LLONG,
    VALUE_INT,
};

struct field {
    unsigned id, scope;
    long long timestamp, latency_us;
    unsigned type; /* enum value_type */
    int code;
    union {
        double f64;
        int i32;
        unsigned u32;
        unsigned long ulong;
        unsigned long long u64;
        long long i64;
    } value;
};

struct pci {
    char legacy[16];
    unsigned domain, bus, device, ids[2];
    char bus_id[32];
};

struct memory {
    unsigned long long total, free, used;
};

struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instances[2];
};

struct event {
    void *gpu;
    unsigned long long type, data; /* EVENT_XID: its number */
    unsigned instances[2];
};

/* Signatures; `gpu` is the library's handle. */
typedef int plain_f(void);
typedef int text_f(void *gpu, char *text, unsigned size);
typedef int number_f(void *gpu, unsigned *value);
typedef int typed_f(void *gpu, int type, unsigned *value);
typedef int pair_f(void *gpu, unsigned *a, unsigned *b);
typedef int long_f(void *gpu, unsigned long long *value);

struct osw_nvml {
    void *so;
    plain_f *init, *shutdown;
    const char *(*error_string)(int code);
    int (*driver_version)(char *text, unsigned size);
    int (*cuda_version)(int *version);
    int (*count)(unsigned *n);
    int (*by_index)(unsigned index, void **gpu);
    int (*by_uuid)(const char *uuid, void **gpu);
    int (*by_pci)(const char *id, void **gpu);
    text_f *name, *uuid, *serial, *vbios;
    number_f *compute_mode, *persistence, *power_limit, *bus_bits;
    number_f *pcie_gen, *pcie_max_gen, *pcie_width, *pcie_max_width;
    number_f *power, *retiring;
    typed_f *clock, *max_clock, *temperature;
    pair_f *ecc, *mig;
    long_f *reasons, *energy;
    int (*capability)(void *gpu, int *major, int *minor);
    int (*pci)(void *gpu, struct pci *out);
    int (*memory)(void *gpu, struct memory *out);
    int (*ecc_errors)(void *gpu, int type, int counter,
                      unsigned long long *value);
    int (*remapped)(void *gpu, unsigned *corrected, unsigned *uncorrected,
                    unsigned *pending, unsigned *failed);
    int (*processes)(void *gpu, unsigned *n, struct process *out);
    int (*fields)(void *gpu, int n, struct field *fields);
    int (*make_events)(void **events);
    int (*free_events)(void *events);
    int (*keep_events)(void *gpu, unsigned long long types, void *events);
    int (*next_event)(void *events, struct event *out, unsigned wait_ms);
    void *events; /* NULL: none are kept */
};

/* Where each is found: its name, and what older drivers call it. */
#define SLOT(field) offsetof(struct osw_nvml, field)
static const struct {
    size_t slot;
    const char *name, *older;
} symbols[] = {
    /* clang-format off */
    { SLOT(init), "nvmlInit_v2", "nvmlInit" },
    { SLOT(shutdown), "nvmlShutdown", NULL },
    { SLOT(error_string), "nvmlErrorString", NULL },
    { SLOT(driver_version), "nvmlSystemGetDriverVersion", NULL },
    { SLOT(cuda_version), "nvmlSystemGetCudaDriverVersion_v2",
      "nvmlSystemGetCudaDriverVersion" },
    { SLOT(count), "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount" },
    { SLOT(by_index), "nvmlDeviceGetHandleByIndex_v2",
      "nvmlDeviceGetHandleByIndex" },
    { SLOT(by_uuid), "nvmlDeviceGetHandleByUUID", NULL },
    { SLOT(by_pci), "nvmlDeviceGetHandleByPciBusId_v2",
      "nvmlDeviceGetHandleByPciBusId" },
    { SLOT(name), "nvmlDeviceGetName", NULL },
    { SLOT(uuid), "nvmlDeviceGetUUID", NULL },
    { SLOT(serial), "nvmlDeviceGetSerial", NULL },
    { SLOT(vbios), "nvmlDeviceGetVbiosVersion", NULL },
    { SLOT(compute_mode), "nvmlDeviceGetComputeMode", NULL },
    { SLOT(persistence), "nvmlDeviceGetPersistenceMode", NULL },
    { SLOT(power_limit), "nvmlDeviceGetEnforcedPowerLimit",
      "nvmlDeviceGetPowerManagementLimit" },
    { SLOT(bus_bits), "nvmlDeviceGetMemoryBusWidth", NULL },
    { SLOT(pcie_gen), "nvmlDeviceGetCurrPcieLinkGeneration", NULL },
    { SLOT(pcie_max_gen), "nvmlDeviceGetMaxPcieLinkGeneration", NULL },
    { SLOT(pcie_width), "nvmlDeviceGetCurrPcieLinkWidth", NULL },
    { SLOT(pcie_max_width), "nvmlDeviceGetMaxPcieLinkWidth", NULL },
    { SLOT(power), "nvmlDeviceGetPowerUsage", NULL },
    { SLOT(clock), "nvmlDeviceGetClockInfo", NULL },
    { SLOT(max_clock), "nvmlDeviceGetMaxClockInfo", NULL },
    { SLOT(temperature), "nvmlDeviceGetTemperature", NULL },
    { SLOT(ecc), "nvmlDeviceGetEccMode", NULL },
    { SLOT(mig), "nvmlDeviceGetMigMode", NULL },
    { SLOT(reasons), "nvmlDeviceGetCurrentClocksEventReasons",
      "nvmlDeviceGetCurrentClocksThrottleReasons" },
    { SLOT(energy), "nvmlDeviceGetTotalEnergyConsumption", NULL },
    { SLOT(capability), "nvmlDeviceGetCudaComputeCapability", NULL },
    { SLOT(pci), "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2" },
    { SLOT(memory), "nvmlDeviceGetMemoryInfo", NULL },
    { SLOT(ecc_errors), "nvmlDeviceGetTotalEccErrors", NULL },
    { SLOT(remapped), "nvmlDeviceGetRemappedRows", NULL },
    { SLOT(retiring), "nvmlDeviceGetRetiredPagesPendingStatus", NULL },
    { SLOT(processes), "nvmlDeviceGetComputeRunningProcesses_v3",
      "nvmlDeviceGetComputeRunningProcesses_v2" },
    { SLOT(fields), "nvmlDeviceGetFieldValues", NULL },
    { SLOT(make_events), "nvmlEventSetCreate", NULL },
    { SLOT(free_events), "nvmlEventSetFree", NULL },
    { SLOT(keep_events), "nvmlDeviceRegisterEvents", NULL },
    { SLOT(next_event), "nvmlEventSetWait_v2", "nvmlEventSetWait" },
    /* clang-format on */
};
#undef SLOT

/* --- the library --- */

static void find_symbols(struct osw_nvml *nvml)
{
    for (size_t i = 0; i < N_ELEM(symbols); i++) {
        void *found = dlsym(nvml->so, symbols[i].name);

        if (!found && symbols[i].older)
            found = dlsym(nvml->so, symbols[i].older);
        memcpy((char *)nvml + symbols[i].slot, &found, sizeof(found));
    }
}

static const char *words(const struct osw_nvml *nvml, int code)
{
    const char *text = nvml->error_string ? nvml->error_string(code) : NULL;

    return text ? text : "unknown reason";
}

osw_nvml_t *osw_nvml_open(struct osw_error *err)
{
    const char *named = getenv("OPSWEEP_NVML");
    const char *file = named && *named ? named : "libnvidia-ml.so.1";
    struct osw_nvml *nvml = calloc(1, sizeof(*nvml));
    int code;

    if (!nvml) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for NVML");
        return NULL;
    }
    nvml->so = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!nvml->so) {
        osw_fail(err, OSW_NOTHING, "no NVIDIA driver: %s", dlerror());
        goto fail;
    }
    find_symbols(nvml);
    if (!nvml->init) {
        osw_fail(err, OSW_DEVICE, "'%s' is no NVML: it has no nvmlInit_v2",
                 file);
        goto fail;
    }
    code = nvml->init();
    if (code == DONE)
        return nvml;
    osw_fail(err, OSW_DEVICE, "the NVIDIA driver does not answer: %s (%d)",
             words(nvml, code), code);
fail:
    if (nvml->so)
        dlclose(nvml->so);
    free(nvml);
    return NULL;
}

void osw_nvml_close(osw_nvml_t *nvml)
{
    if (!nvml)
        return;
    if (nvml->events && nvml->free_events)
        nvml->free_events(nvml->events);
    if (nvml->shutdown)
        nvml->shutdown();
    dlclose(nvml->so);
    free(nvml);
}

void osw_nvml_driver(const osw_nvml_t *nvml, struct osw_nvml_driver *out)
{
    int version = -1;

    *out = (struct osw_nvml_driver){.cuda_version = -1};
    if (!nvml->driver_version ||
        nvml->driver_version(out->version, sizeof(out->version)) != DONE)
        out->version[0] = '\0';
    if (nvml->cuda_version && nvml->cuda_version(&version) == DONE)
        out->cuda_version = version;
}

/* --- which GPU --- */

int osw_nvml_count(const osw_nvml_t *nvml, size_t *n, struct osw_error *err)
{
    unsigned count = 0;
    int code;

    if (!nvml->count || !nvml->by_index)
        return osw_fail(err, OSW_DEVICE, "NVML cannot count GPUs");
    code = nvml->count(&count);
    if (code != DONE)
        return osw_fail(err, OSW_DEVICE, "NVML cannot count GPUs: %s",
                        words(nvml, code));
    *n = count;
    return 0;
}

int osw_nvml_at(const osw_nvml_t *nvml, size_t index, struct osw_nvml_gpu *out,
                struct osw_error *err)
{
    void *handle = NULL;
    int code;

    if (!nvml->by_index)
        return osw_fail(err, OSW_DEVICE, "NVML cannot number GPUs");
    code = nvml->by_index((unsigned)index, &handle);
    if (code != DONE)
        return osw_fail(err, OSW_DEVICE, "GPU %zu: %s", index,
                        words(nvml, code));
    *out = (struct osw_nvml_gpu){nvml, handle};
    return 0;
}

/* "0000:1b:00.0" and "00000000:1B:00.0" are one place. */
static bool same_place(const char *a, const char *b)
{
    unsigned x[4], y[4];

    return sscanf(a, "%x:%x:%x.%x", &x[0], &x[1], &x[2], &x[3]) == 4 &&
           sscanf(b, "%x:%x:%x.%x", &y[0], &y[1], &y[2], &y[3]) == 4 &&
           memcmp(x, y, sizeof(x)) == 0;
}

/* Without the library's own search: look at all of them. */
static int search(const osw_nvml_t *nvml, const char *id,
                  struct osw_nvml_gpu *out)
{
    struct osw_nvml_facts facts;
    struct osw_nvml_gpu gpu;
    size_t n;

    if (osw_nvml_count(nvml, &n, NULL) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (osw_nvml_at(nvml, i, &gpu, NULL) < 0)
            continue;
        osw_nvml_facts(&gpu, &facts);
        if (strcasecmp(facts.uuid, id) == 0 || same_place(facts.pci, id)) {
            *out = gpu;
            return 0;
        }
    }
    return -1;
}

int osw_nvml_find(const osw_nvml_t *nvml, const char *id,
                  struct osw_nvml_gpu *out, struct osw_error *err)
{
    int (*by)(const char *id, void **gpu) =
        strncasecmp(id, "GPU-", 4) == 0 ? nvml->by_uuid : nvml->by_pci;
    void *handle = NULL;

    if (by && by(id, &handle) == DONE) {
        *out = (struct osw_nvml_gpu){nvml, handle};
        return 0;
    }
    if (search(nvml, id, out) == 0)
        return 0;
    return osw_fail(err, OSW_DEVICE, "no GPU '%s' here", id);
}

/* --- asking --- */

/* One question after another to one GPU, remembering a GPU that is gone. */
struct asked {
    const struct osw_nvml *nvml;
    void *gpu;
    bool lost;
};

static bool went_well(struct asked *a, int code)
{
    a->lost |= code == GPU_IS_LOST || code == RESET_REQUIRED;
    return code == DONE;
}

static void ask_text(struct asked *a, text_f *f, char *text, size_t size)
{
    if (!f || !went_well(a, f(a->gpu, text, (unsigned)size)))
        text[0] = '\0';
    text[size - 1] = '\0';
}

static double ask_number(struct asked *a, number_f *f)
{
    unsigned value = 0;

    return f && went_well(a, f(a->gpu, &value)) ? (double)value : NAN;
}

static int32_t ask_small(struct asked *a, number_f *f)
{
    double value = ask_number(a, f);

    return value <= INT32_MAX ? (int32_t)value : -1;
}

static double ask_typed(struct asked *a, typed_f *f, int type)
{
    unsigned value = 0;

    return f && went_well(a, f(a->gpu, type, &value)) ? (double)value : NAN;
}

static int64_t ask_long(struct asked *a, long_f *f)
{
    unsigned long long value = 0;

    return f && went_well(a, f(a->gpu, &value)) ? (int64_t)value : -1;
}

static void ask_pair(struct asked *a, pair_f *f, int32_t *x, int32_t *y)
{
    unsigned values[2] = {0, 0};
    bool good = f && went_well(a, f(a->gpu, &values[0], &values[1]));

    *x = good ? (int32_t)values[0] : -1;
    *y = good ? (int32_t)values[1] : -1;
}

static int64_t ask_ecc(struct asked *a, int type)
{
    unsigned long long value = 0;

    return a->nvml->ecc_errors &&
                   went_well(a, a->nvml->ecc_errors(a->gpu, type, ECC_VOLATILE,
                                                    &value))
               ? (int64_t)value
               : -1;
}

static int64_t field_value(const struct field *f)
{
    if (f->code != DONE)
        return -1;
    switch (f->type) {
    case VALUE_UINT:
        return f->value.u32;
    case VALUE_ULONG:
        return (int64_t)f->value.ulong;
    case VALUE_ULLONG:
        return (int64_t)f->value.u64;
    case VALUE_LLONG:
        return f->value.i64;
    case VALUE_INT:
        return f->value.i32;
    default:
        return -1;
    }
}

/* Fields by number, all in one question. */
static void ask_fields(struct asked *a, const unsigned *ids, int64_t *values,
                       size_t n)
{
    struct field fields[4];

    memset(fields, 0, sizeof(fields));
    for (size_t i = 0; i < n; i++) {
        fields[i].id = ids[i];
        values[i] = -1;
    }
    if (!a->nvml->fields ||
        !went_well(a, a->nvml->fields(a->gpu, (int)n, fields)))
        return;
    for (size_t i = 0; i < n; i++)
        values[i] = field_value(&fields[i]);
}

/* --- facts --- */

static void ask_identity(struct asked *a, struct osw_nvml_facts *out)
{
    const struct osw_nvml *nvml = a->nvml;
    int major, minor;
    struct pci pci;

    ask_text(a, nvml->name, out->name, sizeof(out->name));
    ask_text(a, nvml->uuid, out->uuid, sizeof(out->uuid));
    ask_text(a, nvml->serial, out->serial, sizeof(out->serial));
    ask_text(a, nvml->vbios, out->vbios, sizeof(out->vbios));
    memset(&pci, 0, sizeof(pci));
    if (nvml->pci && went_well(a, nvml->pci(a->gpu, &pci)))
        snprintf(out->pci, sizeof(out->pci), "%.31s", pci.bus_id);
    out->capability = -1;
    if (nvml->capability &&
        went_well(a, nvml->capability(a->gpu, &major, &minor)))
        out->capability = major * 10 + minor;
}

static void ask_limits(struct asked *a, struct osw_nvml_facts *out)
{
    const struct osw_nvml *nvml = a->nvml;
    struct memory memory = {0, 0, 0};
    bool known;

    out->power_limit_w = ask_number(a, nvml->power_limit) / 1e3;
    out->max_sm_mhz = ask_typed(a, nvml->max_clock, CLOCK_SM);
    out->max_memory_mhz = ask_typed(a, nvml->max_clock, CLOCK_MEMORY);
    out->bus_bits = ask_small(a, nvml->bus_bits);
    out->pcie_gen = ask_small(a, nvml->pcie_gen);
    out->pcie_max_gen = ask_small(a, nvml->pcie_max_gen);
    out->pcie_width = ask_small(a, nvml->pcie_width);
    out->pcie_max_width = ask_small(a, nvml->pcie_max_width);
    known = nvml->memory && went_well(a, nvml->memory(a->gpu, &memory));
    out->memory_bytes = known ? (int64_t)memory.total : -1;
    out->free_bytes = known ? (int64_t)memory.free : -1;
}

static void ask_health(struct asked *a, struct osw_nvml_facts *out)
{
    static const unsigned recovery = FIELD_RECOVERY;
    const struct osw_nvml *nvml = a->nvml;
    unsigned rows[4] = {0, 0, 0, 0};
    int64_t action;
    bool known = nvml->remapped &&
                 went_well(a, nvml->remapped(a->gpu, &rows[0], &rows[1],
                                             &rows[2], &rows[3]));

    out->remapped_corrected = known ? (int32_t)rows[0] : -1;
    out->remapped_uncorrected = known ? (int32_t)rows[1] : -1;
    /* Before rows could be remapped, pages were retired. */
    out->remap_pending = known ? rows[2] != 0 : ask_small(a, nvml->retiring);
    out->remap_failed = known ? rows[3] != 0 : -1;
    ask_fields(a, &recovery, &action, 1);
    out->recovery = (int32_t)action;
}

static void ask_processes(struct asked *a, struct osw_nvml_facts *out)
{
    struct process list[OSW_NVML_MAX_PROCESSES];
    unsigned n = OSW_NVML_MAX_PROCESSES;
    int code;

    out->n_processes = -1;
    if (!a->nvml->processes)
        return;
    memset(list, 0, sizeof(list));
    code = a->nvml->processes(a->gpu, &n, list);
    if (code != INSUFFICIENT_SIZE && !went_well(a, code))
        return;
    out->n_processes = (int32_t)n; /* also of a list that was too short */
    for (unsigned i = 0; i < n && i < OSW_NVML_MAX_PROCESSES; i++)
        out->pids[i] = list[i].pid;
}

void osw_nvml_facts(const struct osw_nvml_gpu *gpu, struct osw_nvml_facts *out)
{
    struct asked a = {.nvml = gpu->nvml, .gpu = gpu->handle};
    int32_t mig_pending;

    memset(out, 0, sizeof(*out));
    ask_identity(&a, out);
    out->compute_mode = ask_small(&a, gpu->nvml->compute_mode);
    out->persistence = ask_small(&a, gpu->nvml->persistence);
    ask_pair(&a, gpu->nvml->ecc, &out->ecc, &out->ecc_pending);
    ask_pair(&a, gpu->nvml->mig, &out->mig, &mig_pending);
    ask_limits(&a, out);
    ask_health(&a, out);
    ask_processes(&a, out);
}

/* --- samples --- */

void osw_nvml_sample(const struct osw_nvml_gpu *gpu, struct osw_telemetry *out)
{
    static const unsigned ids[] = {FIELD_POWER_CAPPED_NS, FIELD_THERMAL_NS};
    const struct osw_nvml *nvml = gpu->nvml;
    struct asked a = {.nvml = nvml, .gpu = gpu->handle};
    int64_t values[N_ELEM(ids)];

    osw_telemetry_clear(out);
    out->at_ns = osw_clock_ns();
    out->sm_mhz = ask_typed(&a, nvml->clock, CLOCK_SM);
    out->memory_mhz = ask_typed(&a, nvml->clock, CLOCK_MEMORY);
    out->reasons = ask_long(&a, nvml->reasons);
    out->temperature_c = ask_typed(&a, nvml->temperature, SENSOR_GPU);
    out->power_w = ask_number(&a, nvml->power) / 1e3;
    out->energy_mj = ask_long(&a, nvml->energy);
    out->ecc_corrected = ask_ecc(&a, ECC_CORRECTED);
    out->ecc_uncorrected = ask_ecc(&a, ECC_UNCORRECTED);
    ask_fields(&a, ids, values, N_ELEM(ids));
    out->power_capped_ns = values[0];
    out->thermal_ns = values[1];
    out->lost = a.lost;
}

/* --- errors as they happen --- */

int osw_nvml_watch(osw_nvml_t *nvml, const struct osw_nvml_gpu *gpu,
                   struct osw_error *err)
{
    int code;

    if (!nvml->make_events || !nvml->keep_events || !nvml->next_event)
        return osw_fail(err, OSW_DEVICE, "NVML keeps no errors");
    code = nvml->make_events(&nvml->events);
    if (code != DONE)
        nvml->events = NULL;
    else
        code = nvml->keep_events(gpu->handle, EVENT_XID, nvml->events);
    if (code == DONE)
        return 0;
    return osw_fail(err, OSW_DEVICE, "NVML keeps no errors: %s",
                    words(nvml, code));
}

uint64_t osw_nvml_next_xid(osw_nvml_t *nvml)
{
    struct event event = {.type = 0};

    while (nvml->events && nvml->next_event(nvml->events, &event, 0) == DONE)
        if (event.type == EVENT_XID && event.data != 0)
            return event.data;
    return 0;
}
