/* worker/device/ills.c - what may be wrong with a GPU, in words with the cure
 */
#include "worker/device/ills.h"

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

struct about {
    const struct osw_nvml_facts *facts;
    const struct osw_telemetry *now;
};

typedef bool wrong_f(const struct about *gpu);

static bool is_lost(const struct about *g)
{
    return g->now->lost;
}

static bool is_exclusive(const struct about *g)
{
    return g->facts->compute_mode == OSW_COMPUTE_EXCLUSIVE_PROCESS;
}

static bool is_prohibited(const struct about *g)
{
    return g->facts->compute_mode == OSW_COMPUTE_PROHIBITED;
}

static bool has_remap_failure(const struct about *g)
{
    return g->facts->remap_failed == 1;
}

static bool has_remap_pending(const struct about *g)
{
    return g->facts->remap_pending == 1;
}

static bool wants_recovery(const struct about *g)
{
    return g->facts->recovery > 0;
}

static bool has_ecc_errors(const struct about *g)
{
    return g->now->ecc_uncorrected > 0;
}

static bool has_no_ecc(const struct about *g)
{
    return g->facts->ecc == 0;
}

static bool is_split(const struct about *g)
{
    return g->facts->mig == 1;
}

static bool is_narrow(const struct about *g)
{
    return g->facts->pcie_width > 0 &&
           g->facts->pcie_width < g->facts->pcie_max_width;
}

static bool is_slowed(const struct about *g)
{
    const int64_t bad = OSW_REASON_HW_SLOWDOWN | OSW_REASON_SW_THERMAL |
                        OSW_REASON_HW_THERMAL | OSW_REASON_HW_POWER_BRAKE;

    return g->now->reasons > 0 && (g->now->reasons & bad) != 0;
}

static bool is_forgetful(const struct about *g)
{
    return g->facts->persistence == 0;
}

/* What may be wrong, worst first; %s in a cure is what the GPU is called. */
static const struct {
    enum osw_ill_weight weight;
    wrong_f *wrong;
    const char *text;
    const char *cure;
} ills[] = {
    {OSW_ILL_UNFIT, is_lost, "does not answer: off its bus, or to be reset",
     "drain the node and reboot it"},
    {OSW_ILL_UNFIT, is_exclusive,
     "compute mode EXCLUSIVE_PROCESS: judge and sandboxes are several "
     "processes",
     "nvidia-smi -i %s -c DEFAULT, as root"},
    {OSW_ILL_UNFIT, is_prohibited, "compute mode PROHIBITED",
     "nvidia-smi -i %s -c DEFAULT, as root"},
    {OSW_ILL_UNFIT, has_remap_failure, "a row of memory could not be remapped",
     "have the GPU replaced"},
    {OSW_ILL_UNFIT, has_remap_pending, "rows of memory wait to be remapped",
     "nvidia-smi -i %s --gpu-reset with no process on it, or reboot"},
    {OSW_ILL_UNFIT, wants_recovery, "the driver asks for a recovery",
     "nvidia-smi -i %s -q says which: reset the GPU, or reboot"},
    {OSW_ILL_UNFIT, has_ecc_errors,
     "uncorrected memory errors since the driver was loaded",
     "nvidia-smi -i %s --gpu-reset; if they come back, replace the GPU"},
    {OSW_ILL_WARN, has_no_ecc,
     "ECC is off: memory errors would look like wrong results",
     "nvidia-smi -i %s -e 1, as root, then a reset"},
    {OSW_ILL_NOTE, is_split,
     "MIG is on: times are of a slice, not of the whole GPU", ""},
    {OSW_ILL_WARN, is_narrow, "its PCIe link is narrower than it could be",
     "reseat the GPU or its riser; nvidia-smi -i %s -q -d PCIE"},
    {OSW_ILL_WARN, is_slowed, "clocks are held down right now",
     "nvidia-smi -i %s -q -d PERFORMANCE; look at cooling and power"},
    {OSW_ILL_NOTE, is_forgetful,
     "persistence mode is off: each first use takes seconds",
     "nvidia-smi -i %s -pm 1, as root"},
};

/* Words beside the row's own text: numbers that help. */
static void add_numbers(const struct about *g, wrong_f *wrong, char *text,
                        size_t size)
{
    const struct osw_nvml_facts *f = g->facts;

    text[0] = '\0';
    if (wrong == has_ecc_errors)
        snprintf(text, size, " (%lld)", (long long)g->now->ecc_uncorrected);
    else if (wrong == wants_recovery)
        snprintf(text, size, " (action %d)", f->recovery);
    else if (wrong == is_narrow)
        snprintf(text, size, " (x%d of x%d)", f->pcie_width, f->pcie_max_width);
    else if (wrong == is_slowed)
        osw_telemetry_reasons(g->now->reasons, text, size);
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

size_t osw_ills_of(const struct osw_nvml_facts *facts,
                   const struct osw_telemetry *now, const char *id,
                   struct osw_ill *out)
{
    const struct about gpu = {facts, now};
    char numbers[160];
    size_t n = 0;

    _Static_assert(N_ELEM(ills) <= OSW_MAX_ILLS, "all at once fit");
    for (size_t i = 0; i < N_ELEM(ills); i++) {
        struct osw_ill *ill = &out[n];

        if (!ills[i].wrong(&gpu))
            continue;
        add_numbers(&gpu, ills[i].wrong, numbers, sizeof(numbers));
        ill->weight = ills[i].weight;
        snprintf(ill->text, sizeof(ill->text), "%s%s%s", ills[i].text,
                 *numbers && *numbers != ' ' ? ": " : "", numbers);
        fill_in(ills[i].cure, id, ill->cure, sizeof(ill->cure));
        n++;
    }
    return n;
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

bool osw_ills_mps(const char *(*get)(const char *name), struct osw_ill *out)
{
    const char *named = get("CUDA_MPS_PIPE_DIRECTORY");
    const char *dir = named && *named ? named : "/tmp/nvidia-mps";

    if (!mps_lives(dir))
        return false;
    out->weight = OSW_ILL_UNFIT;
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

bool osw_ills_xid(uint64_t xid, struct osw_ill *out)
{
    for (size_t i = 0; i < sizeof(xids) / sizeof(xids[0]); i++) {
        if (xids[i].xid != xid)
            continue;
        out->weight = OSW_ILL_UNFIT;
        snprintf(out->text, sizeof(out->text), "the driver reports Xid %d: %s",
                 (int)xid, xids[i].text);
        snprintf(out->cure, sizeof(out->cure),
                 "drain the node and reset the GPU; should it come again, have "
                 "it replaced");
        return true;
    }
    return false;
}
