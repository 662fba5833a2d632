/* common/guard.c - untrusted files are read in a process that may die */
#include "common/guard.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY_BYTES    (UINT64_C(4) << 30)
#define MEMORY_PER_BYTE 64
#define CPU_S           60
#define CPU_S_PER_MIB   10

/* What parent and child share.  The parent does not trust it: a forged file may
 * have taken over the child.
 */
struct page {
    char path[PATH_MAX];       /* read last; "": none */
    char unfinished[PATH_MAX]; /* "": none */
    struct osw_error err;
    int rc;
    bool done;
};

static struct page *page; /* NULL but in a child of osw_guard_call() */
static bool lifted;
static struct rlimit data_before, cpu_before;
static uint64_t data_bytes, file_bytes; /* at the begin; of files opened */

/* --- the child's side --- */

/* The soft limit to `most`, or to what it was if that is less. */
static void lower(__rlimit_resource_t resource, const struct rlimit *before,
                  uint64_t most)
{
    struct rlimit now = *before;

    if (most < now.rlim_cur)
        now.rlim_cur = most;
    (void)setrlimit(resource, &now);
}

static uint64_t private_bytes(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;

    if (f && fscanf(f, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(void)
{
    uint64_t all =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t most = MEMORY_BYTES + MEMORY_PER_BYTE * file_bytes;

    lower(RLIMIT_DATA, &data_before, data_bytes + (most < all ? most : all));
}

static void limit_time(void)
{
    lower(RLIMIT_CPU, &cpu_before, CPU_S + CPU_S_PER_MIB * (file_bytes >> 20));
}

static void set_ceilings(void)
{
    limit_memory();
    limit_time();
}

void osw_guard_open(const char *path)
{
    struct stat st;

    if (!page)
        return;
    /* Bytes on disk: a hole of a terabyte is nothing to read. */
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
        file_bytes += (uint64_t)st.st_blocks * 512;
    osw_guard_read(path);
    if (!lifted)
        set_ceilings();
}

void osw_guard_read(const char *path)
{
    if (page && strcmp(page->path, path) != 0)
        snprintf(page->path, sizeof(page->path), "%s", path);
}

void osw_guard_ceilings(bool on)
{
    if (!page)
        return;
    lifted = !on;
    if (on) {
        set_ceilings();
        return;
    }
    (void)setrlimit(RLIMIT_DATA, &data_before);
    (void)setrlimit(RLIMIT_CPU, &cpu_before);
    page->path[0] = '\0';
}

void osw_guard_unfinished(const char *path)
{
    if (page)
        snprintf(page->unfinished, sizeof(page->unfinished), "%s",
                 path ? path : "");
}

int osw_guard_flush(struct osw_error *err)
{
    int cause = fflush(stdout) == 0 ? 0 : errno;

    return cause || ferror(stdout)
               ? osw_fail_sys(err, cause, "cannot write to standard output")
               : 0;
}

static _Noreturn void be_child(struct page *shared, pid_t parent,
                               int (*f)(void *arg, struct osw_error *err),
                               void *arg)
{
    struct osw_error err = shared->err;
    int rc;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    page = shared;
    data_bytes = private_bytes();
    (void)getrlimit(RLIMIT_DATA, &data_before);
    (void)getrlimit(RLIMIT_CPU, &cpu_before);
    rc = f(arg, &err);
    if (rc >= 0 && osw_guard_flush(&err) < 0)
        rc = -1;
    shared->err = err;
    shared->rc = rc;
    shared->done = true;
    _exit(0);
}

/* --- the parent's side --- */

static const int passed[] = {SIGINT,  SIGTERM, SIGHUP,
                             SIGQUIT, SIGUSR1, SIGUSR2};

enum { N_PASSED = sizeof(passed) / sizeof(passed[0]) };

static volatile sig_atomic_t child;
static struct sigaction handlers[N_PASSED]; /* of the caller */

/* What a terminal sends reaches the child by itself.  A handler of the caller's
 * hears of it, too: it may count requests to stop.
 */
static void pass_on(int sig, siginfo_t *info, void *context)
{
    if (info->si_code <= 0 && child > 0)
        kill((pid_t)child, sig);
    for (int i = 0; i < N_PASSED; i++) {
        const struct sigaction *a = &handlers[i];

        if (passed[i] != sig || a->sa_handler == SIG_DFL ||
            a->sa_handler == SIG_IGN)
            continue;
        if (a->sa_flags & SA_SIGINFO)
            a->sa_sigaction(sig, info, context);
        else
            a->sa_handler(sig);
    }
}

static void take_signals(struct sigaction before[N_PASSED + 1])
{
    struct sigaction pass = {.sa_sigaction = pass_on,
                             .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction plain = {.sa_handler = SIG_DFL};

    for (int i = 0; i < N_PASSED; i++) {
        sigaction(passed[i], NULL, &before[i]);
        handlers[i] = before[i];
        if (before[i].sa_handler != SIG_IGN) /* not under nohup */
            sigaction(passed[i], &pass, NULL);
    }
    /* Ignored, a child's end would not be told. */
    sigaction(SIGCHLD, &plain, &before[N_PASSED]);
}

static void give_signals_back(const struct sigaction before[N_PASSED + 1])
{
    for (int i = 0; i < N_PASSED; i++)
        sigaction(passed[i], &before[i], NULL);
    sigaction(SIGCHLD, &before[N_PASSED], NULL);
}

static bool is_crash(int sig)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE,
                                  SIGILL,  SIGSYS, SIGTRAP, SIGXCPU};

    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        if (crashes[i] == sig)
            return true;
    return false;
}

/* End as the child did, for the parent of this process. */
static void die_of(int sig)
{
    sigset_t one;

    signal(sig, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, sig);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

/* How it ended, as text. */
static void tell(int status, char *out, size_t size)
{
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (sig == SIGXCPU)
        snprintf(out, size, "took too much processor time (signal %d)", sig);
    else if (sig)
        snprintf(out, size, "ended by signal %d (%s)", sig, strsignal(sig));
    else
        snprintf(out, size, "ended with exit status %d", WEXITSTATUS(status));
}

static int say_crash(const struct page *p, int status, struct osw_error *err)
{
    char how[80];

    tell(status, how, sizeof(how));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return osw_fail(err, OSW_CHILD,
                        "%s%s%s was killed (signal 9: out of memory, or by "
                        "a user); what was printed before is incomplete",
                        *p->path ? "reading '" : "the command", p->path,
                        *p->path ? "'" : "");
    if (!*p->path)
        return osw_fail(err, OSW_CHILD,
                        "the command %s; what was printed before is "
                        "incomplete",
                        how);
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s' is damaged or forged, expected a file as opsweep "
                    "wrote it: reading it %s; what was printed before is "
                    "incomplete",
                    p->path, how);
}

/* The child is gone. */
static int conclude(struct page *p, int status, struct osw_error *err)
{
    p->path[sizeof(p->path) - 1] = '\0';
    p->unfinished[sizeof(p->unfinished) - 1] = '\0';
    p->err.text[sizeof(p->err.text) - 1] = '\0';
    if (p->done && WIFEXITED(status)) {
        if (err)
            *err = p->err;
        return p->rc;
    }
    if (*p->unfinished)
        (void)unlink(p->unfinished);
    if (WIFSIGNALED(status) && !is_crash(WTERMSIG(status)) &&
        WTERMSIG(status) != SIGKILL)
        die_of(WTERMSIG(status));
    return say_crash(p, status, err);
}

static int wait_for(pid_t pid, struct osw_error *err)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return osw_fail_sys(err, errno, "cannot wait for a process");
    return status;
}

static int call_in_child(struct page *p,
                         int (*f)(void *arg, struct osw_error *err), void *arg,
                         struct osw_error *err)
{
    struct sigaction before[N_PASSED + 1];
    pid_t parent = getpid(), pid;
    sigset_t all, mask;
    int status;

    fflush(NULL); /* or both would write it */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    pid = fork();
    if (pid == 0) {
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
        be_child(p, parent, f, arg);
    }
    child = pid;
    if (pid > 0)
        take_signals(before);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (pid < 0)
        return osw_fail_sys(err, errno, "cannot start a process");
    status = wait_for(pid, err);
    child = 0;
    give_signals_back(before);
    return status < 0 ? -1 : conclude(p, status, err);
}

/* Is it wanted?  1, 0, or -1 with err set. */
static int is_on(struct osw_error *err)
{
    const char *word = getenv("OPSWEEP_GUARD");

    if (!word || !*word || strcmp(word, "on") == 0)
        return 1;
    if (strcmp(word, "off") == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "OPSWEEP_GUARD '%.40s': expected on or off", word);
}

int osw_guard_call(int (*f)(void *arg, struct osw_error *err), void *arg,
                   struct osw_error *err)
{
    int on = page ? 0 : is_on(err), rc;
    struct page *p;

    if (on <= 0)
        return on < 0 ? -1 : f(arg, err);
    p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return osw_fail_sys(err, errno, "cannot share memory with a process");
    if (err)
        p->err = *err;
    rc = call_in_child(p, f, arg, err);
    munmap(p, sizeof(*p));
    return rc;
}
