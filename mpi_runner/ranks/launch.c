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
#include <unistd.h>

#include "common/log.h"
#include "common/paths.h"
#include "mpi_runner/ranks/progress.h"

enum {
    MAX_WORDS = 40, /* that we add */
    CANNOT_EXEC = 127,
    MAX_PATH = 4096,
    DEFAULT_WORKERS = 4,
    MOST_PER_CORE = 64, /* ranks; a node with more stands still */
    MAX_GPUS = 64,
    URGENT = 3, /* so many requests to stop, and mpirun itself must go */
};

/* mpirun waits for ranks that are stopped or cut off.  Once the campaign has
 * its exit code, it is told to end after so many seconds.
 */
static const struct {
    int after_s, sig;
} end_signals[] = {{3, SIGTERM}, {5, SIGTERM}, {8, SIGKILL}};

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

static const char outcome_variable[] = "OPSWEEP_OUTCOME";
static const char started_word[] = "started";

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
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        n = CPU_COUNT(&set);
    return 1 + (uint32_t)(n < DEFAULT_WORKERS ? n : DEFAULT_WORKERS);
}

int osw_launch_leave_exit_code(int code, struct osw_error *err)
{
    const char *path = getenv(outcome_variable);
    FILE *f;

    if (!path || !*path)
        return 0;
    f = fopen(path, "w");
    if (!f)
        return osw_fail_sys(err, errno, "cannot write '%s'", path);
    fprintf(f, "%d\n", code);
    if (fclose(f) != 0)
        return osw_fail_sys(err, errno, "cannot write '%s'", path);
    return 0;
}

/* --- the coordinator's process, for the launcher --- */

enum { MAX_HOST = 256 };

static void name_pid_file(const char *outcome, char *path, size_t size)
{
    snprintf(path, size, "%s.pid", outcome);
}

static bool has_rank_0(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (!rank)
        rank = getenv("PMIX_RANK");
    return rank && strcmp(rank, "0") == 0;
}

/* On another node the launcher's file is not there. */
static FILE *open_pid_file(const char *mode)
{
    const char *outcome = getenv(outcome_variable);
    char path[MAX_PATH];

    if (!outcome || !*outcome || !has_rank_0() || access(outcome, F_OK) < 0)
        return NULL;
    name_pid_file(outcome, path, sizeof(path));
    return fopen(path, mode);
}

void osw_launch_leave_pid(void)
{
    char host[MAX_HOST] = "";
    FILE *f = open_pid_file("w");

    if (!f)
        return;
    (void)gethostname(host, sizeof(host) - 1);
    fprintf(f, "%ld %s\n", (long)getpid(), host);
    fclose(f);
}

void osw_launch_leave_started(void)
{
    FILE *f = open_pid_file("a");

    if (!f)
        return;
    fprintf(f, "%s\n", started_word);
    fclose(f);
}

/* What rank 0 left, where it ran on this node. */
struct pid_file {
    long pid;
    char host[MAX_HOST];
    char word[16]; /* started_word, or "" */
};

static bool read_pid_file(const char *outcome, struct pid_file *out)
{
    char path[MAX_PATH];
    bool whole;
    FILE *f;

    *out = (struct pid_file){0};
    name_pid_file(outcome, path, sizeof(path));
    f = fopen(path, "r");
    if (!f)
        return false;
    whole = fscanf(f, "%ld %255s %15s", &out->pid, out->host, out->word) >= 2;
    fclose(f);
    return whole;
}

/* Rank 0 ran on this node, and never met the other ranks. */
static bool failed_to_start(const char *outcome)
{
    struct pid_file left;

    return read_pid_file(outcome, &left) &&
           strcmp(left.word, started_word) != 0;
}

static bool runs_this_program(pid_t pid)
{
    struct stat mine, theirs;
    char exe[64];

    snprintf(exe, sizeof(exe), "/proc/%ld/exe", (long)pid);
    return stat("/proc/self/exe", &mine) == 0 && stat(exe, &theirs) == 0 &&
           mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino;
}

/* Rank 0, where it runs on this node; 0: it is not known. */
static pid_t find_coordinator(const char *outcome)
{
    char host[MAX_HOST] = "";
    struct pid_file left;

    (void)gethostname(host, sizeof(host) - 1);
    return read_pid_file(outcome, &left) && strcmp(left.host, host) == 0 &&
                   left.pid > 1 && runs_this_program((pid_t)left.pid)
               ? (pid_t)left.pid
               : 0;
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

const volatile sig_atomic_t *osw_launch_count_stops(void)
{
    struct sigaction a = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    struct sigaction before;

    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    sigaction(SIGUSR1, &a, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &a, NULL); /* not under nohup */
    return &n_stops;
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
        "-x", outcome_variable, "-x", "OPSWEEP_COLUMNS",
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
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    setenv("OMPI_MCA_pml", "ob1", 0); /* others look for networks first */
    execvp(words[0], (char *const *)words);
    _exit(CANNOT_EXEC);
}

static bool has_text(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size > 0;
}

/* Send the signals that are due n_s seconds after the outcome was written. */
static void send_end_signals(pid_t pid, int n_s)
{
    for (size_t i = 0; i < sizeof(end_signals) / sizeof(end_signals[0]); i++)
        if (end_signals[i].after_s == n_s)
            kill(pid, end_signals[i].sig);
}

/* A request to stop goes to the coordinator itself, where that is on this node:
 * some builds of mpirun (Open MPI 4.1.6 with PMIx 5) pass no signal on.
 * Otherwise mpirun gets SIGUSR1, which it should hand to the ranks; with
 * SIGTERM and SIGINT it would kill them in two seconds.
 */
static void pass_on(pid_t mpirun, const char *outcome, int n_passed)
{
    pid_t coordinator = find_coordinator(outcome);

    if (n_passed >= URGENT)
        kill(mpirun, SIGTERM);
    else
        kill(coordinator ? coordinator : mpirun, SIGUSR1);
}

/* Start mpirun and wait, passing on requests to stop and counting them. Returns
 * its status, or -1 with errno set.
 */
static int run_words(const char **words, bool input, const char *outcome,
                     int *n_passed)
{
    const struct timespec second = {1, 0};
    sigset_t set, before;
    int n_s = 0, status = 0;
    pid_t pid;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &before);
    pid = fork();
    if (pid == 0)
        become(words, input, &before);
    while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
        int sig = sigtimedwait(&set, NULL, &second);

        if (sig > 0 && sig != SIGCHLD)
            pass_on(pid, outcome, ++*n_passed);
        if (sig < 0 && has_text(outcome))
            send_end_signals(pid, ++n_s);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid < 0 ? -1 : status;
}

static int read_exit_code(const char *path, int status, struct osw_error *err)
{
    FILE *f = fopen(path, "r");
    int code = -1;

    if (f && fscanf(f, "%d", &code) != 1)
        code = -1;
    if (f)
        fclose(f);
    if (code >= 0 && code < 256)
        return code;
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_EXEC)
        return osw_fail(err, OSW_SYSTEM, "mpirun could not be started");
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return osw_fail(err, OSW_SYSTEM, "mpirun failed with exit code %d",
                        WEXITSTATUS(status));
    if (failed_to_start(path))
        return osw_fail(err, OSW_SYSTEM,
                        "MPI did not come up; mpirun -n 2 "
                        "hostname shows whether it can");
    return osw_fail(err, OSW_INCOMPLETE,
                    "the coordinator ended before it was done; what was "
                    "recorded is in the journal beside the result file, and "
                    "opsweep run --resume FILE goes on from there");
}

static int launch(const char *outcome, uint32_t n, int argc,
                  const char *const *argv, bool input, struct osw_error *err)
{
    const char *self = osw_paths_self(err);
    const char **words;
    char columns[16], count[16];
    int status, n_asked = 0;

    if (!self)
        return -1;
    words = make_words(self, count, n, argc, argv);
    if (!words)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a command line");
    snprintf(columns, sizeof(columns), "%u", osw_progress_columns(stderr));
    setenv("OPSWEEP_COLUMNS", columns, 1);
    setenv(outcome_variable, outcome, 1);
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        setenv(settings[i].name, settings[i].value, 0);
    status = run_words(words, input, outcome, &n_asked);
    if (status >= 0 && n_asked == 0 && !has_text(outcome) &&
        failed_to_start(outcome)) {
        osw_log(OSW_LOG_WARNING,
                "MPI did not come up, and nothing was done: a second try");
        status = run_words(words, input, outcome, &n_asked);
    }
    free(words);
    if (status < 0)
        return osw_fail_sys(err, errno, "cannot run mpirun");
    return read_exit_code(outcome, status, err);
}

int osw_launch_run(uint32_t n, int argc, const char *const *argv, bool input,
                   struct osw_error *err)
{
    const char *dir = getenv("TMPDIR");
    uint32_t most = UINT32_MAX;
    char outcome[MAX_PATH - 8], pid_file[MAX_PATH];
    cpu_set_t set;
    int fd, code;

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
    snprintf(outcome, sizeof(outcome), "%s/opsweep-outcome-XXXXXX",
             dir && *dir ? dir : "/tmp");
    fd = mkstemp(outcome);
    if (fd < 0)
        return osw_fail_sys(err, errno, "cannot make '%s'", outcome);
    close(fd);
    code = launch(outcome, n, argc, argv, input, err);
    unlink(outcome);
    name_pid_file(outcome, pid_file, sizeof(pid_file));
    unlink(pid_file);
    return code;
}
