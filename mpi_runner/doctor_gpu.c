/* mpi_runner/doctor_gpu.c - what the driver says of GPUs: fit or not? */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mpi_runner/doctor.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* --- the driver --- */

bool osw_doctor_visible(const char *list, size_t index, const char *uuid)
{
    if (!list)
        return true;
    for (const char *at = list; *at; at += *at == ',') {
        size_t n = strcspn(at, ",");
        char *end;

        if (n > 4 && strncasecmp(at, "GPU-", 4) == 0) {
            if (strncasecmp(at, uuid, n) == 0)
                return true;
        } else if (strtoul(at, &end, 10) == index && end == at + n && n > 0) {
            return true;
        }
        at += n;
    }
    return false;
}

static void look_at_gpus(struct osw_doctor *d, const osw_nvml_t *nvml, size_t n,
                         const struct osw_doctor_check *self)
{
    const char *list = d->get("CUDA_VISIBLE_DEVICES");

    for (size_t i = 0; i < n && d->n_gpus < OSW_DOCTOR_MAX_GPUS; i++) {
        struct osw_doctor_gpu *gpu = &d->gpus[d->n_gpus];
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_nvml_gpu handle;

        if (osw_nvml_at(nvml, i, &handle, &err) < 0) {
            osw_doctor_bad(d, self,
                           "nvidia-smi and the kernel's log say more; a GPU "
                           "that fell off its bus needs a reboot",
                           "%s", err.text);
            continue;
        }
        gpu->index = i;
        osw_nvml_facts(&handle, &gpu->facts);
        osw_nvml_sample(&handle, &gpu->now);
        gpu->visible = osw_doctor_visible(list, i, gpu->facts.uuid);
        d->n_gpus++;
    }
}

static void describe_driver(struct osw_doctor *d,
                            const struct osw_doctor_check *self)
{
    int32_t cuda = d->driver.cuda_version;

    if (cuda > 0)
        osw_doctor_good(d, self, "NVIDIA %s, up to CUDA %d.%d, %zu GPUs",
                        d->driver.version, cuda / 1000, cuda % 1000 / 10,
                        d->n_gpus);
    else
        osw_doctor_good(d, self, "NVIDIA %s, %zu GPUs", d->driver.version,
                        d->n_gpus);
}

/* No GPU is nothing wrong, unless one was asked for. */
static void without_gpu(struct osw_doctor *d,
                        const struct osw_doctor_check *self, const char *why)
{
    if (strcmp(d->device, "cuda") == 0)
        osw_doctor_bad(d, self,
                       "install the NVIDIA driver, or ask the batch system "
                       "for GPUs; nvidia-smi must list them",
                       "%s", why);
    else
        osw_doctor_good(d, self, "no GPU here: campaigns run on CPU cores");
}

void osw_doctor_driver(struct osw_doctor *d,
                       const struct osw_doctor_check *self)
{
    bool asked = strcmp(d->device, "cuda") == 0;
    struct osw_error err = OSW_ERROR_INIT;
    osw_nvml_t *nvml = NULL;
    size_t n = 0;

    if (strcmp(d->device, "cpu") != 0)
        nvml = osw_nvml_open(&err);
    if (nvml && osw_nvml_count(nvml, &n, &err) == 0 && n > 0) {
        d->device = "cuda";
        osw_nvml_driver(nvml, &d->driver);
        look_at_gpus(d, nvml, n, self);
        describe_driver(d, self);
    } else if (err.status == OSW_DEVICE && !asked) {
        osw_doctor_say(d, OSW_MARK_WARN, self->name,
                       "modprobe nvidia, or reboot where driver and kernel "
                       "module differ in version; nvidia-smi must work",
                       "%s", err.text);
    } else {
        without_gpu(d, self, *err.text ? err.text : "no GPU is visible");
    }
    if (!asked && n == 0)
        d->device = "cpu";
    osw_nvml_close(nvml);
}

/* --- one GPU --- */

typedef bool wrong_f(const struct osw_doctor_gpu *gpu);

static bool is_lost(const struct osw_doctor_gpu *g)
{
    return g->now.lost;
}

static bool is_exclusive(const struct osw_doctor_gpu *g)
{
    return g->facts.compute_mode == OSW_COMPUTE_EXCLUSIVE_PROCESS;
}

static bool is_prohibited(const struct osw_doctor_gpu *g)
{
    return g->facts.compute_mode == OSW_COMPUTE_PROHIBITED;
}

static bool has_remap_failure(const struct osw_doctor_gpu *g)
{
    return g->facts.remap_failed == 1;
}

static bool has_remap_pending(const struct osw_doctor_gpu *g)
{
    return g->facts.remap_pending == 1;
}

static bool wants_recovery(const struct osw_doctor_gpu *g)
{
    return g->facts.recovery > 0;
}

static bool has_ecc_errors(const struct osw_doctor_gpu *g)
{
    return g->now.ecc_uncorrected > 0;
}

static bool has_no_ecc(const struct osw_doctor_gpu *g)
{
    return g->facts.ecc == 0;
}

static bool is_split(const struct osw_doctor_gpu *g)
{
    return g->facts.mig == 1;
}

static bool is_narrow(const struct osw_doctor_gpu *g)
{
    return g->facts.pcie_width > 0 &&
           g->facts.pcie_width < g->facts.pcie_max_width;
}

static bool is_slowed(const struct osw_doctor_gpu *g)
{
    const int64_t bad = OSW_REASON_HW_SLOWDOWN | OSW_REASON_SW_THERMAL |
                        OSW_REASON_HW_THERMAL | OSW_REASON_HW_POWER_BRAKE;

    return g->now.reasons > 0 && (g->now.reasons & bad) != 0;
}

static bool is_forgetful(const struct osw_doctor_gpu *g)
{
    return g->facts.persistence == 0;
}

/* What may be wrong, worst first; %zu in a cure is the GPU's number. */
static const struct {
    enum osw_mark mark;
    wrong_f *wrong;
    const char *text;
    const char *cure;
} ills[] = {
    {OSW_MARK_FAIL, is_lost, "does not answer: off its bus, or to be reset",
     "drain the node and reboot it"},
    {OSW_MARK_FAIL, is_exclusive,
     "compute mode EXCLUSIVE_PROCESS: judge and sandboxes are several "
     "processes",
     "nvidia-smi -i %zu -c DEFAULT, as root"},
    {OSW_MARK_FAIL, is_prohibited, "compute mode PROHIBITED",
     "nvidia-smi -i %zu -c DEFAULT, as root"},
    {OSW_MARK_FAIL, has_remap_failure, "a row of memory could not be remapped",
     "have the GPU replaced"},
    {OSW_MARK_FAIL, has_remap_pending, "rows of memory wait to be remapped",
     "nvidia-smi -i %zu --gpu-reset with no process on it, or reboot"},
    {OSW_MARK_FAIL, wants_recovery, "the driver asks for a recovery",
     "nvidia-smi -i %zu -q says which: reset the GPU, or reboot"},
    {OSW_MARK_FAIL, has_ecc_errors,
     "uncorrected memory errors since the driver was loaded",
     "nvidia-smi -i %zu --gpu-reset; if they come back, replace the GPU"},
    {OSW_MARK_WARN, has_no_ecc,
     "ECC is off: memory errors would look like wrong results",
     "nvidia-smi -i %zu -e 1, as root, then a reset"},
    {OSW_MARK_NOTE, is_split,
     "MIG is on: times are of a slice, not of the whole GPU", ""},
    {OSW_MARK_WARN, is_narrow, "its PCIe link is narrower than it could be",
     "reseat the GPU or its riser; nvidia-smi -i %zu -q -d PCIE"},
    {OSW_MARK_WARN, is_slowed, "clocks are held down right now",
     "nvidia-smi -i %zu -q -d PERFORMANCE; look at cooling and power"},
    {OSW_MARK_NOTE, is_forgetful,
     "persistence mode is off: each first use takes seconds",
     "nvidia-smi -i %zu -pm 1, as root"},
};

/* Words beside the row's own text: numbers that help. */
static void add_numbers(const struct osw_doctor_gpu *g, wrong_f *wrong,
                        char *text, size_t size)
{
    const struct osw_nvml_facts *f = &g->facts;

    text[0] = '\0';
    if (wrong == has_ecc_errors)
        snprintf(text, size, " (%lld)", (long long)g->now.ecc_uncorrected);
    else if (wrong == wants_recovery)
        snprintf(text, size, " (action %d)", f->recovery);
    else if (wrong == is_narrow)
        snprintf(text, size, " (x%d of x%d)", f->pcie_width, f->pcie_max_width);
    else if (wrong == is_slowed)
        osw_telemetry_reasons(g->now.reasons, text, size);
}

/* "python3 (4711), 4712 and 3 more" */
static void name_processes(const struct osw_nvml_facts *f, char *text,
                           size_t size)
{
    enum { SHOWN = 4 };
    size_t used = 0;
    int i;

    text[0] = '\0';
    for (i = 0; i < f->n_processes && i < SHOWN && used < size; i++) {
        char path[64], comm[32] = "";
        FILE *file;

        snprintf(path, sizeof(path), "/proc/%u/comm", f->pids[i]);
        file = fopen(path, "re");
        if (file && fgets(comm, sizeof(comm), file))
            comm[strcspn(comm, "\n")] = '\0';
        if (file)
            fclose(file);
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%u%s",
                                 i ? ", " : "", comm, *comm ? " (" : "",
                                 f->pids[i], *comm ? ")" : "");
    }
    if (f->n_processes > i && used < size)
        snprintf(text + used, size - used, " and %d more", f->n_processes - i);
}

void osw_doctor_judge_gpu(struct osw_doctor *d,
                          const struct osw_doctor_gpu *gpu)
{
    char name[32], numbers[160], cure[160], who[200];

    snprintf(name, sizeof(name), "gpu %zu", gpu->index);
    for (size_t i = 0; i < N_ELEM(ills); i++) {
        const char *hole = strstr(ills[i].cure, "%zu");

        if (!ills[i].wrong(gpu))
            continue;
        add_numbers(gpu, ills[i].wrong, numbers, sizeof(numbers));
        snprintf(cure, sizeof(cure), "%s", ills[i].cure);
        if (hole)
            snprintf(cure, sizeof(cure), "%.*s%zu%s",
                     (int)(hole - ills[i].cure), ills[i].cure, gpu->index,
                     hole + 3);
        osw_doctor_say(d, ills[i].mark, name, cure, "%s%s%s", ills[i].text,
                       *numbers && *numbers != ' ' ? ": " : "", numbers);
    }
    if (gpu->facts.n_processes > 0) {
        name_processes(&gpu->facts, who, sizeof(who));
        osw_doctor_say(d, OSW_MARK_WARN, name,
                       "end them, or ask the batch system for whole GPUs",
                       "other processes compute on it: %s", who);
    }
}

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

void osw_doctor_gpus(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    size_t n_visible = 0;

    for (size_t i = 0; i < d->n_gpus; i++) {
        const struct osw_nvml_facts *f = &d->gpus[i].facts;
        char name[32];

        if (!d->gpus[i].visible)
            continue;
        n_visible++;
        snprintf(name, sizeof(name), "gpu %zu", d->gpus[i].index);
        osw_doctor_say(
            d, OSW_MARK_OK, name, "",
            "%s, %.1f GiB (%.1f free), %.0f W, %.0f MHz, %s, %s",
            *f->name ? f->name : "unknown GPU",
            (double)f->memory_bytes / 0x1p30, (double)f->free_bytes / 0x1p30,
            or_zero(f->power_limit_w), or_zero(f->max_sm_mhz), f->pci, f->uuid);
        osw_doctor_judge_gpu(d, &d->gpus[i]);
    }
    if (n_visible == 0 && d->n_gpus > 0)
        osw_doctor_bad(
            d, self, "unset CUDA_VISIBLE_DEVICES, or name a GPU",
            "%zu GPUs, and CUDA_VISIBLE_DEVICES='%s' leaves none", d->n_gpus,
            d->get("CUDA_VISIBLE_DEVICES") ? d->get("CUDA_VISIBLE_DEVICES")
                                           : "");
}

/* --- MPS --- */

/* Is there a process behind the number in that file? */
static bool has_live_pid(const char *path)
{
    FILE *f = fopen(path, "re");
    int pid = 0;

    if (!f)
        return false;
    if (fscanf(f, "%d", &pid) != 1)
        pid = 0;
    fclose(f);
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

static bool answers_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t n = strlen(path);
    bool there;
    int fd;

    if (n >= sizeof(address.sun_path))
        return false;
    memcpy(address.sun_path, path, n);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    there = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
    close(fd);
    return there;
}

static bool has_reader(const char *path)
{
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Does a control daemon listen in that folder? */
static bool mps_lives(const char *dir)
{
    char control[4096], pid[4096];
    struct stat st;

    snprintf(control, sizeof(control), "%s/control", dir);
    snprintf(pid, sizeof(pid), "%s/nvidia-cuda-mps-control.pid", dir);
    if (stat(control, &st) < 0)
        return false;
    if (access(pid, R_OK) == 0)
        return has_live_pid(pid);
    return S_ISFIFO(st.st_mode)   ? has_reader(control)
           : S_ISSOCK(st.st_mode) ? answers_socket(control)
                                  : false;
}

void osw_doctor_mps(struct osw_doctor *d, const struct osw_doctor_check *self)
{
    const char *named = d->get("CUDA_MPS_PIPE_DIRECTORY");
    const char *dir = named && *named ? named : "/tmp/nvidia-mps";

    if (mps_lives(dir))
        osw_doctor_bad(d, self,
                       "echo quit | nvidia-cuda-mps-control, or set "
                       "CUDA_MPS_PIPE_DIRECTORY to an empty folder for "
                       "opsweep",
                       "a daemon listens in '%s': under MPS one faulty "
                       "kernel ends every process on its GPU",
                       dir);
    else
        osw_doctor_good(d, self, "not active");
}
