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

#include "common/clock.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Codes that functions return. */
enum {
    DONE = 0,
    INSUFFICIENT_SIZE = 7,
    NO_FUNCTION = 13,
    GPU_IS_LOST = 15,
    RESET_REQUIRED = 16,
};

/* Arguments and field numbers. */
enum {
    CLOCK_SM = 1,
    CLOCK_MEMORY = 2,
    SENSOR_GPU = 0,
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

/* Parameters of several. */
#define TEXT   (void *gpu, char *text, unsigned size)
#define NUMBER (void *gpu, unsigned *value)
#define TYPED  (void *gpu, int type, unsigned *value)
#define MODE   (void *gpu, unsigned *now, unsigned *after_reset)
#define LONG   (void *gpu, unsigned long long *value)

typedef int text_f TEXT;
typedef int number_f NUMBER;
typedef int typed_f TYPED;
typedef int mode_f MODE;
typedef int long_f LONG;

/* What is used, by its own name without "nvml" in front. */
/* clang-format off */
#define NVML_MAP(X)                                                            \
    X(Init_v2, (void))                                                         \
    X(Shutdown, (void))                                                        \
    X(SystemGetDriverVersion, (char *text, unsigned size))                     \
    X(SystemGetCudaDriverVersion_v2, (int *version))                           \
    X(DeviceGetCount_v2, (unsigned *n))                                        \
    X(DeviceGetHandleByIndex_v2, (unsigned index, void **gpu))                 \
    X(DeviceGetHandleByUUID, (const char *uuid, void **gpu))                   \
    X(DeviceGetName, TEXT)                                                     \
    X(DeviceGetUUID, TEXT)                                                     \
    X(DeviceGetSerial, TEXT)                                                   \
    X(DeviceGetVbiosVersion, TEXT)                                             \
    X(DeviceGetComputeMode, NUMBER)                                            \
    X(DeviceGetPersistenceMode, NUMBER)                                        \
    X(DeviceGetEnforcedPowerLimit, NUMBER)                                     \
    X(DeviceGetMemoryBusWidth, NUMBER)                                         \
    X(DeviceGetCurrPcieLinkGeneration, NUMBER)                                 \
    X(DeviceGetCurrPcieLinkWidth, NUMBER)                                      \
    X(DeviceGetMaxPcieLinkWidth, NUMBER)                                       \
    X(DeviceGetPowerUsage, NUMBER)                                             \
    X(DeviceGetRetiredPagesPendingStatus, NUMBER)                              \
    X(DeviceGetClockInfo, TYPED)                                               \
    X(DeviceGetMaxClockInfo, TYPED)                                            \
    X(DeviceGetTemperature, TYPED)                                             \
    X(DeviceGetEccMode, MODE)                                                  \
    X(DeviceGetMigMode, MODE)                                                  \
    X(DeviceGetCurrentClocksEventReasons, LONG)                                \
    X(DeviceGetCurrentClocksThrottleReasons, LONG)                             \
    X(DeviceGetTotalEnergyConsumption, LONG)                                   \
    X(DeviceGetCudaComputeCapability, (void *gpu, int *major, int *minor))     \
    X(DeviceGetPciInfo_v3, (void *gpu, struct pci *out))                       \
    X(DeviceGetMemoryInfo, (void *gpu, struct memory *out))                    \
    X(DeviceGetTotalEccErrors,                                                 \
      (void *gpu, int type, int counter, unsigned long long *value))           \
    X(DeviceGetRemappedRows,                                                   \
      (void *gpu, unsigned *corrected, unsigned *uncorrected,                  \
       unsigned *pending, unsigned *failed))                                   \
    X(DeviceGetComputeRunningProcesses_v3,                                     \
      (void *gpu, unsigned *n, struct process *out))                           \
    X(DeviceGetComputeRunningProcesses_v2,                                     \
      (void *gpu, unsigned *n, struct process *out))                           \
    X(DeviceGetFieldValues, (void *gpu, int n, struct field *fields))          \
    X(EventSetCreate, (void **events))                                         \
    X(EventSetFree, (void *events))                                            \
    X(DeviceRegisterEvents,                                                    \
      (void *gpu, unsigned long long types, void *events))                     \
    X(EventSetWait_v2, (void *events, struct event *out, unsigned wait_ms))
/* clang-format on */

struct osw_nvml {
#define X(name, parameters) int(*name) parameters;
    NVML_MAP(X)
#undef X
    const char *(*ErrorString)(int code); /* NULL: it has none */
    void *so;
    void *events; /* NULL: none are kept */
};

/* --- the library --- */

/* What a driver does not have answers that it is not there. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define X(name, parameters)                                                    \
    static int no_##name parameters                                            \
    {                                                                          \
        return NO_FUNCTION;                                                    \
    }
NVML_MAP(X)
#undef X
#pragma GCC diagnostic pop

static const struct osw_nvml silent = {
#define X(name, parameters) .name = no_##name,
    NVML_MAP(X)
#undef X
};

static void find_symbols(struct osw_nvml *nvml)
{
    void *found;

#define X(name, parameters)                                                    \
    found = dlsym(nvml->so, "nvml" #name);                                     \
    if (found)                                                                 \
        memcpy(&nvml->name, &found, sizeof(found));
    NVML_MAP(X)
    X(ErrorString, (int code))
#undef X
}

static const char *words(const struct osw_nvml *nvml, int code)
{
    const char *text = nvml->ErrorString ? nvml->ErrorString(code) : NULL;

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
    *nvml = silent;
    nvml->so = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!nvml->so) {
        osw_fail(err, OSW_NOTHING, "no NVIDIA driver: %s", dlerror());
        goto fail;
    }
    find_symbols(nvml);
    if (nvml->Init_v2 == no_Init_v2) {
        osw_fail(err, OSW_DEVICE, "'%s' is no NVML: it has no nvmlInit_v2",
                 file);
        goto fail;
    }
    code = nvml->Init_v2();
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
    if (nvml->events)
        (void)nvml->EventSetFree(nvml->events);
    (void)nvml->Shutdown();
    dlclose(nvml->so);
    free(nvml);
}

void osw_nvml_driver(const osw_nvml_t *nvml, struct osw_nvml_driver *out)
{
    *out = (struct osw_nvml_driver){.cuda_version = -1};
    if (nvml->SystemGetDriverVersion(out->version, sizeof(out->version)) !=
        DONE)
        out->version[0] = '\0';
    if (nvml->SystemGetCudaDriverVersion_v2(&out->cuda_version) != DONE)
        out->cuda_version = -1;
}

/* --- which GPU --- */

int osw_nvml_count(const osw_nvml_t *nvml, size_t *n, struct osw_error *err)
{
    unsigned count = 0;
    int code = nvml->DeviceGetCount_v2(&count);

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
    int code = nvml->DeviceGetHandleByIndex_v2((unsigned)index, &handle);

    if (code != DONE)
        return osw_fail(err, OSW_DEVICE, "GPU %zu: %s", index,
                        words(nvml, code));
    *out = (struct osw_nvml_gpu){nvml, handle};
    return 0;
}

int osw_nvml_find(const osw_nvml_t *nvml, const char *uuid,
                  struct osw_nvml_gpu *out, struct osw_error *err)
{
    void *handle = NULL;

    if (nvml->DeviceGetHandleByUUID(uuid, &handle) != DONE)
        return osw_fail(err, OSW_DEVICE, "no GPU '%s' here", uuid);
    *out = (struct osw_nvml_gpu){nvml, handle};
    return 0;
}

/* --- asking --- */

/* One question after another to one GPU, remembering a GPU that is gone. */
struct asked {
    const struct osw_nvml *nvml;
    void *gpu;
    bool lost;
};

static struct asked asked_of(const struct osw_nvml_gpu *gpu)
{
    return (struct asked){gpu->handle ? gpu->nvml : &silent, gpu->handle,
                          false};
}

static bool went_well(struct asked *a, int code)
{
    a->lost |= code == GPU_IS_LOST || code == RESET_REQUIRED;
    return code == DONE;
}

static void ask_text(struct asked *a, text_f *f, char *text, size_t size)
{
    if (!went_well(a, f(a->gpu, text, (unsigned)size)))
        text[0] = '\0';
    text[size - 1] = '\0';
}

static double ask_number(struct asked *a, number_f *f)
{
    unsigned value = 0;

    return went_well(a, f(a->gpu, &value)) ? (double)value : NAN;
}

static int32_t ask_small(struct asked *a, number_f *f)
{
    double value = ask_number(a, f);

    return value <= INT32_MAX ? (int32_t)value : -1;
}

static double ask_typed(struct asked *a, typed_f *f, int type)
{
    unsigned value = 0;

    return went_well(a, f(a->gpu, type, &value)) ? (double)value : NAN;
}

static int64_t ask_long(struct asked *a, long_f *f)
{
    unsigned long long value = 0;

    return went_well(a, f(a->gpu, &value)) ? (int64_t)value : -1;
}

/* As it is now, whatever it will be after the next reset. */
static int32_t ask_mode(struct asked *a, mode_f *f)
{
    unsigned now = 0, then;

    return went_well(a, f(a->gpu, &now, &then)) ? (int32_t)now : -1;
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
    if (!went_well(a, a->nvml->DeviceGetFieldValues(a->gpu, (int)n, fields)))
        return;
    for (size_t i = 0; i < n; i++)
        values[i] = field_value(&fields[i]);
}

/* --- facts --- */

/* "": unknown. */
static void ask_pci(struct asked *a, char out[OSW_NVML_PCI])
{
    struct pci pci;

    memset(&pci, 0, sizeof(pci));
    out[0] = 0;
    if (went_well(a, a->nvml->DeviceGetPciInfo_v3(a->gpu, &pci)))
        snprintf(out, OSW_NVML_PCI, "%.31s", pci.bus_id);
}

static void ask_identity(struct asked *a, struct osw_nvml_facts *out)
{
    const struct osw_nvml *nvml = a->nvml;
    int major, minor;

    ask_text(a, nvml->DeviceGetName, out->name, sizeof(out->name));
    ask_text(a, nvml->DeviceGetUUID, out->uuid, sizeof(out->uuid));
    ask_text(a, nvml->DeviceGetSerial, out->serial, sizeof(out->serial));
    ask_text(a, nvml->DeviceGetVbiosVersion, out->vbios, sizeof(out->vbios));
    ask_pci(a, out->pci);
    out->capability = -1;
    if (went_well(a,
                  nvml->DeviceGetCudaComputeCapability(a->gpu, &major, &minor)))
        out->capability = major * 10 + minor;
    out->compute_mode = ask_small(a, nvml->DeviceGetComputeMode);
    out->persistence = ask_small(a, nvml->DeviceGetPersistenceMode);
    out->ecc = ask_mode(a, nvml->DeviceGetEccMode);
    out->mig = ask_mode(a, nvml->DeviceGetMigMode);
}

static void ask_limits(struct asked *a, struct osw_nvml_facts *out)
{
    const struct osw_nvml *nvml = a->nvml;
    struct memory memory = {0, 0, 0};
    bool known = went_well(a, nvml->DeviceGetMemoryInfo(a->gpu, &memory));

    out->memory_bytes = known ? (int64_t)memory.total : -1;
    out->free_bytes = known ? (int64_t)memory.free : -1;
    out->power_limit_w = ask_number(a, nvml->DeviceGetEnforcedPowerLimit) / 1e3;
    out->max_sm_mhz = ask_typed(a, nvml->DeviceGetMaxClockInfo, CLOCK_SM);
    out->max_memory_mhz =
        ask_typed(a, nvml->DeviceGetMaxClockInfo, CLOCK_MEMORY);
    out->bus_bits = ask_small(a, nvml->DeviceGetMemoryBusWidth);
    out->pcie_gen = ask_small(a, nvml->DeviceGetCurrPcieLinkGeneration);
    out->pcie_width = ask_small(a, nvml->DeviceGetCurrPcieLinkWidth);
    out->pcie_max_width = ask_small(a, nvml->DeviceGetMaxPcieLinkWidth);
}

static void ask_health(struct asked *a, struct osw_nvml_facts *out)
{
    static const unsigned recovery = FIELD_RECOVERY;
    const struct osw_nvml *nvml = a->nvml;
    unsigned rows[4] = {0, 0, 0, 0};
    int64_t action;
    bool known =
        went_well(a, nvml->DeviceGetRemappedRows(a->gpu, &rows[0], &rows[1],
                                                 &rows[2], &rows[3]));

    out->remapped_corrected = known ? (int32_t)rows[0] : -1;
    out->remapped_uncorrected = known ? (int32_t)rows[1] : -1;
    /* Before rows could be remapped, pages were retired. */
    out->remap_pending =
        known ? rows[2] != 0
              : ask_small(a, nvml->DeviceGetRetiredPagesPendingStatus);
    out->remap_failed = known ? rows[3] != 0 : -1;
    ask_fields(a, &recovery, &action, 1);
    out->recovery = (int32_t)action;
}

static void ask_processes(struct asked *a, struct osw_nvml_facts *out)
{
    const struct osw_nvml *nvml = a->nvml;
    struct process list[OSW_NVML_MAX_PROCESSES];
    unsigned n = OSW_NVML_MAX_PROCESSES;
    int code;

    memset(list, 0, sizeof(list));
    code = nvml->DeviceGetComputeRunningProcesses_v3(a->gpu, &n, list);
    if (code == NO_FUNCTION)
        code = nvml->DeviceGetComputeRunningProcesses_v2(a->gpu, &n, list);
    out->n_processes = -1;
    if (code != INSUFFICIENT_SIZE && !went_well(a, code))
        return;
    out->n_processes = (int32_t)n; /* also of a list that was too short */
    for (unsigned i = 0; i < n && i < OSW_NVML_MAX_PROCESSES; i++)
        out->pids[i] = list[i].pid;
}

void osw_nvml_pci(const struct osw_nvml_gpu *gpu, char out[OSW_NVML_PCI])
{
    struct asked a = asked_of(gpu);

    ask_pci(&a, out);
}

void osw_nvml_facts(const struct osw_nvml_gpu *gpu, struct osw_nvml_facts *out)
{
    struct asked a = asked_of(gpu);

    memset(out, 0, sizeof(*out));
    ask_identity(&a, out);
    ask_limits(&a, out);
    ask_health(&a, out);
    ask_processes(&a, out);
}

/* --- samples --- */

void osw_nvml_sample(const struct osw_nvml_gpu *gpu, struct osw_telemetry *out)
{
    static const unsigned ids[] = {FIELD_POWER_CAPPED_NS, FIELD_THERMAL_NS};
    struct asked a = asked_of(gpu);
    const struct osw_nvml *nvml = a.nvml;
    unsigned long long wrong = 0;
    int64_t values[N_ELEM(ids)];

    out->at_ns = osw_clock_ns();
    out->sm_mhz = ask_typed(&a, nvml->DeviceGetClockInfo, CLOCK_SM);
    out->reasons = ask_long(&a, nvml->DeviceGetCurrentClocksEventReasons);
    if (out->reasons < 0) /* its name before R535 */
        out->reasons =
            ask_long(&a, nvml->DeviceGetCurrentClocksThrottleReasons);
    out->temperature_c = ask_typed(&a, nvml->DeviceGetTemperature, SENSOR_GPU);
    out->power_w = ask_number(&a, nvml->DeviceGetPowerUsage) / 1e3;
    out->energy_mj = ask_long(&a, nvml->DeviceGetTotalEnergyConsumption);
    out->ecc_uncorrected =
        went_well(&a, nvml->DeviceGetTotalEccErrors(a.gpu, ECC_UNCORRECTED,
                                                    ECC_VOLATILE, &wrong))
            ? (int64_t)wrong
            : -1;
    ask_fields(&a, ids, values, N_ELEM(ids));
    out->power_capped_ns = values[0];
    out->thermal_ns = values[1];
    out->lost = a.lost;
}

/* --- errors as they happen --- */

int osw_nvml_watch(osw_nvml_t *nvml, const struct osw_nvml_gpu *gpu,
                   struct osw_error *err)
{
    int code = nvml->EventSetCreate(&nvml->events);

    if (code != DONE)
        nvml->events = NULL;
    else
        code = nvml->DeviceRegisterEvents(gpu->handle, EVENT_XID, nvml->events);
    if (code == DONE)
        return 0;
    return osw_fail(err, OSW_DEVICE, "NVML keeps no errors: %s",
                    words(nvml, code));
}

uint64_t osw_nvml_next_xid(osw_nvml_t *nvml)
{
    struct event event = {.type = 0};

    while (nvml->events &&
           nvml->EventSetWait_v2(nvml->events, &event, 0) == DONE)
        if (event.type == EVENT_XID && event.data != 0)
            return event.data;
    return 0;
}
