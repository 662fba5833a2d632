/* worker/device/device_faults.c - faults that a GPU may have, as messages, with
 * the cure
 */
#include "worker/device/device_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* --- one GPU --- */

/* Worst first. */
enum {
    LOST,
    EXCLUSIVE,
    PROHIBITED,
    REMAP_FAILED,
    REMAP_PENDING,
    RECOVERY,
    ECC_ERRORS,
    NO_ECC,
    SPLIT,
    NARROW,
    SLOWED,
    FORGETFUL,
};

/* %s in a cure stands for the GPU's number or UUID. */
static const struct {
    enum osw_device_fault_weight weight;
    const char *text;
    const char *cure;
} faults[] = {
    [LOST] = {OSW_DEVICE_FAULT_UNFIT,
              "does not answer: off its bus, or to be reset",
              "drain the node and reboot it"},
    [EXCLUSIVE] = {OSW_DEVICE_FAULT_UNFIT,
                   "compute mode EXCLUSIVE_PROCESS: judge and sandboxes are "
                   "several processes",
                   "nvidia-smi -i %s -c DEFAULT, as root"},
    [PROHIBITED] = {OSW_DEVICE_FAULT_UNFIT, "compute mode PROHIBITED",
                    "nvidia-smi -i %s -c DEFAULT, as root"},
    [REMAP_FAILED] = {OSW_DEVICE_FAULT_UNFIT,
                      "a row of memory could not be remapped",
                      "have the GPU replaced"},
    [REMAP_PENDING] = {OSW_DEVICE_FAULT_UNFIT,
                       "rows of memory wait to be remapped",
                       "nvidia-smi -i %s --gpu-reset with no process on it, "
                       "or reboot"},
    [RECOVERY] = {OSW_DEVICE_FAULT_UNFIT, "the driver asks for a recovery",
                  "nvidia-smi -i %s -q says which: reset the GPU, or reboot"},
    [ECC_ERRORS] = {OSW_DEVICE_FAULT_UNFIT,
                    "uncorrected memory errors since the driver was loaded",
                    "nvidia-smi -i %s --gpu-reset; if they come back, replace "
                    "the GPU"},
    [NO_ECC] = {OSW_DEVICE_FAULT_WARN,
                "ECC is off: memory errors would look like wrong results",
                "nvidia-smi -i %s -e 1, as root, then a reset"},
    [SPLIT] = {OSW_DEVICE_FAULT_NOTE,
               "MIG is on: times are of a slice, not of the whole GPU", ""},
    [NARROW] = {OSW_DEVICE_FAULT_WARN,
                "its PCIe link is narrower than it could be",
                "reseat the GPU or its riser; nvidia-smi -i %s -q -d PCIE"},
    [SLOWED] = {OSW_DEVICE_FAULT_WARN, "clocks are held down right now",
                "nvidia-smi -i %s -q -d PERFORMANCE; look at cooling and "
                "power"},
    [FORGETFUL] = {OSW_DEVICE_FAULT_NOTE,
                   "persistence mode is off: each first use takes seconds",
                   "nvidia-smi -i %s -pm 1, as root"},
};

/* Append helpful numbers to a row's own text. */
static void add_numbers(size_t fault, const struct osw_nvml_facts *f,
                        const struct osw_telemetry *now, char *text,
                        size_t size)
{
    size_t used;

    if (fault == ECC_ERRORS)
        snprintf(text, size, " (%lld)", (long long)now->ecc_uncorrected);
    else if (fault == RECOVERY)
        snprintf(text, size, " (action %d)", f->recovery);
    else if (fault == NARROW)
        snprintf(text, size, " (x%d of x%d)", f->pcie_width, f->pcie_max_width);
    if (fault != SLOWED)
        return;
    used = (size_t)snprintf(text, size, ": ");
    osw_telemetry_reasons(now->reasons, text + used, size - used);
}

/* The cure with `id` in its hole, if it has one. */
static void fill_in(const char *cure, const char *id, char *out, size_t size)
{
    const char *hole = strstr(cure, "%s");

    if (hole)
        snprintf(out, size, "%.*s%s%s", (int)(hole - cure), cure, id, hole + 2);
    else
        snprintf(out, size, "%s", cure);
}

size_t osw_device_faults_of(const struct osw_nvml_facts *f,
                            const struct osw_telemetry *now, const char *id,
                            struct osw_device_fault *out)
{
    const bool wrong[N_ELEM(faults)] = {
        [LOST] = now->lost,
        [EXCLUSIVE] = f->compute_mode == OSW_COMPUTE_EXCLUSIVE_PROCESS,
        [PROHIBITED] = f->compute_mode == OSW_COMPUTE_PROHIBITED,
        [REMAP_FAILED] = f->remap_failed == 1,
        [REMAP_PENDING] = f->remap_pending == 1,
        [RECOVERY] = f->recovery > 0,
        [ECC_ERRORS] = now->ecc_uncorrected > 0,
        [NO_ECC] = f->ecc == 0,
        [SPLIT] = f->mig == 1,
        [NARROW] = f->pcie_width > 0 && f->pcie_width < f->pcie_max_width,
        [SLOWED] = osw_telemetry_slows(now->reasons),
        [FORGETFUL] = f->persistence == 0,
    };
    size_t n = 0;

    _Static_assert(N_ELEM(faults) <= OSW_MAX_DEVICE_FAULTS, "all at once fit");
    for (size_t i = 0; i < N_ELEM(faults); i++) {
        char numbers[160] = "";
        struct osw_device_fault *fault = &out[n];

        if (!wrong[i])
            continue;
        add_numbers(i, f, now, numbers, sizeof(numbers));
        fault->weight = faults[i].weight;
        snprintf(fault->text, sizeof(fault->text), "%s%s", faults[i].text,
                 numbers);
        fill_in(faults[i].cure, id, fault->cure, sizeof(fault->cure));
        n++;
    }
    return n;
}

/* --- MPS --- */

/* Does the process whose id is in that file exist? */
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

bool osw_device_faults_mps(const char *(*get)(const char *name),
                           struct osw_device_fault *out)
{
    const char *named = get("CUDA_MPS_PIPE_DIRECTORY");
    const char *dir = named && *named ? named : "/tmp/nvidia-mps";

    if (!mps_lives(dir))
        return false;
    out->weight = OSW_DEVICE_FAULT_UNFIT;
    snprintf(out->text, sizeof(out->text),
             "a daemon listens in '%.100s': under MPS one faulty kernel ends "
             "every process on its GPU",
             dir);
    snprintf(out->cure, sizeof(out->cure),
             "echo quit | nvidia-cuda-mps-control, or set "
             "CUDA_MPS_PIPE_DIRECTORY to an empty folder for opsweep");
    return true;
}

/* --- errors that the driver saw --- */

static const struct {
    uint64_t xid;
    const char *text;
} xids[] = {
    {48, "two wrong bits in a word of its memory"},
    {62, "its controller stopped"},
    {64, "a row of memory could not be remapped"},
    {74, "an error of its NVLink"},
    {79, "it fell off the bus"},
    {92, "many wrong bits in its memory"},
    {94, "wrong bits in its memory that reached a program"},
    {95, "wrong bits in its memory that reached anything"},
    {119, "its system processor does not answer"},
    {120, "its system processor failed"},
    {140, "wrong bits in its memory that it could not keep apart"},
};

bool osw_device_faults_xid(uint64_t xid, struct osw_device_fault *out)
{
    for (size_t i = 0; i < sizeof(xids) / sizeof(xids[0]); i++) {
        if (xids[i].xid != xid)
            continue;
        out->weight = OSW_DEVICE_FAULT_UNFIT;
        snprintf(out->text, sizeof(out->text), "the driver reports Xid %d: %s",
                 (int)xid, xids[i].text);
        snprintf(out->cure, sizeof(out->cure),
                 "drain the node and reset the GPU; should it come again, have "
                 "it replaced");
        return true;
    }
    return false;
}
