/* mpi_runner/ranks/launch.c - being started by an MPI launcher, or being one */
#include "mpi_runner/ranks/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/kernel/kernel_file.h"
#include "common/log.h"
#include "common/paths.h"
#include "common/text.h"
#include "mpi_runner/ranks/launch_note.h"
#include "mpi_runner/ranks/progress.h"

enum {
    MAX_WORDS = 40, /* that we add */
    CANNOT_EXEC = 127,
    MAX_PATH = 4096,
    DEFAULT_WORKERS = 4,
    MOST_PER_CORE = 64, /* ranks; a node with more stands still */
    MAX_GPUS = 64,
    URGENT = 3,       /* so many requests to stop, and mpirun itself must go */
    MEET_S = 10,      /* until the coordinator has said who it is */
    LOOKS = 10,       /* a second, meanwhile: it may die soon after */
    LAST_WORDS_S = 5, /* of ranks that outlived it */
};

/* A daemon of mpirun on a node that was cut off sees it, and ends, after 90 s
 * instead of many minutes, unless the user says otherwise.
 */
static const struct {
    const char *name, *value;
} settings[] = {
    {"OMPI_MCA_oob_tcp_keepalive_time", "30"},
    {"OMPI_MCA_oob_tcp_keepalive_intvl", "10"},
    {"OMPI_MCA_oob_tcp_keepalive_probes", "6"},
};

/* --- being started --- */

/* Variables that hold the number of ranks, launcher by launcher; `needs` is
 * set where MPI can join.
 */
static const struct {
    const char *size, *needs;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", NULL},
    {"SLURM_STEP_NUM_TASKS", "PMIX_RANK"},
};

int osw_launch_n_ranks(osw_getenv_f get, struct osw_error *err)
{
    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        const char *size = get(launchers[i].size);
        const char *needs = launchers[i].needs;
        long n = size ? strtol(size, NULL, 10) : 0;

        if (n < 1 || (n == 1 && needs && !get(needs)))
            continue;
        if (!needs || get(needs))
            return (int)n;
        return osw_fail(err, OSW_BAD_INPUT,
                        "%s is %ld, but %s is not set: start the ranks by "
                        "srun --mpi=pmix",
                        launchers[i].size, n, needs);
    }
    return 0;
}

bool osw_launch_is_lone(osw_getenv_f get)
{
    const char *step = get("SLURM_STEP_NUM_TASKS");

    return step && strcmp(step, "1") == 0 && get("PMIX_RANK") &&
           !get("OMPI_COMM_WORLD_SIZE") && !get(osw_launch_note_variable);
}

uint32_t osw_launch_count_gpus(const char *given, const char *dev)
{
    uint32_t n = 0;

    if (given && given[0]) {
        for (n = 1; (given = strchr(given, ',')); given++)
            n++;
        return n;
    }
    /* A container may have any of them. */
    for (uint32_t i = 0; i < MAX_GPUS; i++) {
        char path[MAX_PATH];

        snprintf(path, sizeof(path), "%s/nvidia%u", dev, i);
        n += access(path, F_OK) == 0;
    }
    return n;
}

uint32_t osw_launch_default_ranks(const char *device)
{
    cpu_set_t set;
    int n = 1;

    if (strcmp(device, "cpu") != 0) {
        uint32_t gpus =
            osw_launch_count_gpus(getenv("CUDA_VISIBLE_DEVICES"), "/dev");

        return gpus > 1 ? gpus + 1 : 1; /* one process serves one GPU */
    }
    if (osw_launch_is_lone((osw_getenv_f)getenv))
        return 1;
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        n = CPU_COUNT(&set);
    return 1 + (uint32_t)(n < DEFAULT_WORKERS ? n : DEFAULT_WORKERS);
}

/* --- signals --- */

static volatile sig_atomic_t n_stops;

/* The first two signals ask the campaign to stop; the third ends the process.
 */
static void on_stop(int sig)
{
    n_stops = n_stops + 1;
    if (n_stops < URGENT)
        return;
    signal(sig, SIG_DFL);
    raise(sig);
}

static bool is_ignored(int sig)
{
    struct sigaction a;

    return sigaction(sig, NULL, &a) == 0 && a.sa_handler == SIG_IGN;
}

const volatile sig_atomic_t *osw_launch_count_stops(void)
{
    struct sigaction a = {.sa_handler = on_stop, .sa_flags = SA_RESTART};

    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGUSR1, &a, NULL);
    if (!is_ignored(SIGHUP))
        sigaction(SIGHUP, &a, NULL); /* not under nohup */
    return &n_stops;
}

/* --- the end of an mpirun --- */

void osw_launch_end_with_mpirun(void)
{
    char name[32];

    if (osw_kernel_file(getppid(), "comm", name, sizeof(name)) &&
        strcmp(name, "mpirun\n") == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* --- the wait for an mpirun ---
 *
 * It waits for ranks that are stopped, hang, or are cut off.  It is told to end
 * once the campaign has its exit code; once the coordinator, on this node, has
 * been gone for longer than any rank waits for it; and at the third request to
 * stop.
 */

/* So many seconds after mpirun should end. */
static const struct {
    int after_s, sig;
} end_signals[] = {{3, SIGTERM}, {5, SIGTERM}, {8, SIGKILL}};

struct watch {
    pid_t mpirun;
    const char *outcome;
    pid_t coordinator; /* 0: not there, or not known */
    bool met;          /* it was known once */
    unsigned patience_s;
    int n_asked, n_passed; /* requests to stop: to us, and on to ranks */
    /* Seconds of waiting: in all, without the coordinator, and since mpirun
     * should end.
     */
    unsigned n_s, n_gone_s;
    int n_end_s;
};

/* The signals that are waited for.  A signal that is waited for comes even
 * where it is ignored.
 */
static void name_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGUSR1);
    if (!is_ignored(SIGHUP)) /* not under nohup */
        sigaddset(set, SIGHUP);
    sigaddset(set, SIGCHLD);
}

static bool is_left_alone(const struct watch *w)
{
    return w->n_gone_s > w->patience_s + LAST_WORDS_S;
}

static bool should_end(const struct watch *w)
{
    return w->n_asked >= URGENT || is_left_alone(w) ||
           osw_launch_note_code(w->outcome) >= 0;
}

static void count_second(struct watch *w)
{
    w->n_s++;
    w->n_gone_s = w->met && !w->coordinator ? w->n_gone_s + 1 : 0;
    if (!should_end(w))
        return;
    w->n_end_s++;
    for (size_t i = 0; i < sizeof(end_signals) / sizeof(end_signals[0]); i++)
        if (end_signals[i].after_s == w->n_end_s)
            kill(w->mpirun, end_signals[i].sig);
}

/* A request to stop goes to the coordinator itself, where that is on this node:
 * some builds of mpirun (Open MPI 4.1.6 with PMIx 5) pass no signal on, and
 * none does before its ranks are there.  Otherwise mpirun gets SIGUSR1, which
 * it should hand to the ranks; with SIGTERM and SIGINT it would kill them in
 * two seconds.
 */
static void pass_on(struct watch *w)
{
    if (w->n_passed == w->n_asked || w->n_asked >= URGENT ||
        (!w->met && w->n_s < MEET_S))
        return;
    kill(w->coordinator ? w->coordinator : w->mpirun, SIGUSR1);
    w->n_passed++;
}

/* Wait for the end of mpirun, and count requests to stop.  Returns mpirun's
 * status, or 0 where it was told to end because the coordinator was gone.
 */
static int wait_for(pid_t mpirun, const char *outcome, int *n_asked)
{
    struct watch w = {.mpirun = mpirun, .outcome = outcome};
    const struct timespec second = {1, 0}, part = {0, 1000000000 / LOOKS};
    int status = 0, n_parts = 0;
    sigset_t set;

    name_signals(&set);
    while (waitpid(mpirun, &status, WNOHANG) == 0) {
        bool whole = w.met || w.n_s >= MEET_S;
        int sig = sigtimedwait(&set, NULL, whole ? &second : &part);

        w.coordinator = osw_launch_note_coordinator(outcome, &w.patience_s);
        w.met |= w.coordinator != 0;
        if (sig > 0 && sig != SIGCHLD && ++w.n_asked >= URGENT)
            kill(mpirun, SIGTERM);
        if (sig < 0 && (whole || ++n_parts % LOOKS == 0))
            count_second(&w);
        pass_on(&w);
    }
    *n_asked += w.n_asked;
    return is_left_alone(&w) ? 0 : status;
}

/* --- being the launcher --- */

/* The command line for mpirun; the caller frees it.  `count` is the caller's
 * memory for a number.
 */
static const char **make_words(const char *self, char count[16], uint32_t n,
                               int argc, const char *const *argv)
{
    const char **words = calloc((size_t)argc + MAX_WORDS, sizeof(*words));
    size_t used = 0;
    /* clang-format off */
    const char *const first[] = {
        "mpirun", "--enable-recovery", "--bind-to", "none", "--oversubscribe",
        "-x", osw_launch_note_variable, "-x", "OPSWEEP_COLUMNS",
        "-x", "OPSWEEP_GENERATED",
    };
    /* clang-format on */
    static const char *const if_set[] = {"OPSWEEP_READABLE",
                                         "OPSWEEP_READABLE_OPS",
                                         "OPSWEEP_CACHE", "OPSWEEP_NODE_CACHE"};

    if (!words)
        return NULL;
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        words[used++] = first[i];
    for (size_t i = 0; i < sizeof(if_set) / sizeof(if_set[0]); i++)
        if (getenv(if_set[i])) {
            words[used++] = "-x";
            words[used++] = if_set[i];
        }
    if (geteuid() == 0)
        words[used++] = "--allow-run-as-root";
    snprintf(count, 16, "%u", n);
    words[used++] = "-n";
    words[used++] = count;
    words[used++] = self;
    for (int i = 1; i < argc; i++)
        words[used++] = argv[i];
    return words;
}

/* In a group of its own, so that a terminal's Ctrl-C reaches it through us; no
 * input, or it would be stopped for reading from the background, unless ranks
 * read from it.
 */
static void become(const char **words, bool input, const sigset_t *mask)
{
    int null = input ? -1 : open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)signal(SIGPIPE, SIG_DFL); /* run ignores it */
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    setenv("OMPI_MCA_pml", "ob1", 0); /* others look for networks first */
    /* Each rank would read the registers of all PCI devices: a virtual machine
     * stops for each of them.
     */
    setenv("HWLOC_COMPONENTS", "-pci,-linuxio", 0);
    execvp(words[0], (char *const *)words);
    _exit(CANNOT_EXEC);
}

/* Returns mpirun's status, or -1 with errno set. */
static int run_words(const char **words, bool input, const char *outcome,
                     const sigset_t *mask, int *n_asked)
{
    pid_t pid = fork();

    if (pid == 0)
        become(words, input, mask);
    return pid < 0 ? -1 : wait_for(pid, outcome, n_asked);
}

/* The coordinator was killed, and could not say so. */
static int fail_killed(const char *path, struct osw_error *err)
{
    static const char ended[] = "the coordinator ended before it was done";
    char file[MAX_PATH], word[OSW_SHELL_WORD];

    osw_launch_note_file(path, file, sizeof(file));
    if (!*file)
        return osw_fail(err, OSW_INCOMPLETE,
                        "%s; if it recorded anything, opsweep status tells "
                        "what goes on from there",
                        ended);
    return osw_fail(err, OSW_INCOMPLETE,
                    "%s; what was recorded is in '%s.journal', and opsweep run "
                    "--resume %s goes on from there",
                    ended, file, osw_shell_word(file, word));
}

static int read_exit_code(const char *path, int status, struct osw_error *err)
{
    int code = osw_launch_note_code(path);

    if (code >= 0)
        return code;
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_EXEC)
        return osw_fail(err, OSW_SYSTEM, "mpirun could not be started");
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return osw_fail(err, OSW_SYSTEM, "mpirun failed with exit code %d",
                        WEXITSTATUS(status));
    if (osw_launch_note_failed_to_start(path))
        return osw_fail(err, OSW_SYSTEM,
                        "MPI did not come up; mpirun -n 2 "
                        "hostname shows whether it can");
    return fail_killed(path, err);
}

/* Signals are waited for from here to the end of the second try. */
static int try_twice(const char **words, bool input, const char *outcome)
{
    int status, n_asked = 0;
    sigset_t set, before;

    name_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    status = run_words(words, input, outcome, &before, &n_asked);
    if (status >= 0 && n_asked == 0 && osw_launch_note_code(outcome) < 0 &&
        osw_launch_note_failed_to_start(outcome)) {
        osw_log(OSW_LOG_WARNING,
                "MPI did not come up, and nothing was done: a second try");
        status = run_words(words, input, outcome, &before, &n_asked);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

static int launch(const char *outcome, uint32_t n, int argc,
                  const char *const *argv, bool input, struct osw_error *err)
{
    const char *self = osw_paths_self(err);
    const char **words;
    char columns[16], count[16];
    int status;

    if (!self)
        return -1;
    words = make_words(self, count, n, argc, argv);
    if (!words)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a command line");
    snprintf(columns, sizeof(columns), "%u", osw_progress_columns(stderr));
    setenv("OPSWEEP_COLUMNS", columns, 1);
    setenv(osw_launch_note_variable, outcome, 1);
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        setenv(settings[i].name, settings[i].value, 0);
    status = try_twice(words, input, outcome);
    free(words);
    if (status < 0)
        return osw_fail_sys(err, errno, "cannot run mpirun");
    return read_exit_code(outcome, status, err);
}

int osw_launch_run(uint32_t n, int argc, const char *const *argv, bool input,
                   struct osw_error *err)
{
    uint32_t most = UINT32_MAX;
    char outcome[MAX_PATH - 8];
    cpu_set_t set;
    int code;

    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        most = MOST_PER_CORE * (uint32_t)CPU_COUNT(&set);
    if (n > most)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--ranks': expected at most %u on the %d cores "
                        "of this node, found %u; srun or mpirun starts more",
                        most, CPU_COUNT(&set), n);
    if (!osw_paths_is_program("mpirun"))
        return osw_fail(err, OSW_SYSTEM,
                        "no mpirun in PATH, needed for %u ranks; -n 1 runs "
                        "without",
                        n);
    if (osw_launch_note_make(outcome, sizeof(outcome), err) < 0)
        return -1;
    code = launch(outcome, n, argc, argv, input, err);
    osw_launch_note_remove(outcome);
    return code;
}

/* A launcher that finds a rank gone without MPI's end may end as well, without
 * having read what this rank said last.
 */
static const int64_t last_words_ns = INT64_C(200000000);

void osw_launch_leave(int rc, const struct osw_error *err)
{
    if (rc < 0)
        osw_log(OSW_LOG_ERROR, "%s", err->text);
    fflush(NULL);
    osw_clock_sleep_ns(last_words_ns);
    _exit(rc < 0 ? osw_status_exit_code(err->status) : rc);
}
