/* mpi_runner/diagnose/subrun.c - a campaign of our own, run by this very
 * program */
#include "mpi_runner/diagnose/subrun.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/guard.h"
#include "common/paths.h"

enum { NOTHING_JUDGED = 3 }; /* exit code; the file is whole */
enum { MAX_LINE = 1024, MAX_WORDS = 16, TICK_MS = 5, GRACE_MS = 2000 };

int osw_subrun_write(const char *path, const char *text, struct osw_error *err)
{
    FILE *f = fopen(path, "we");
    bool ok = f && fputs(text, f) >= 0;

    if (f && fclose(f) != 0)
        ok = false;
    return ok ? 0 : osw_fail_sys(err, errno, "cannot write '%s'", path);
}

void osw_subrun_last_line(const char *log, char *out, size_t size)
{
    static const char who[] = "opsweep: ";
    FILE *f = fopen(log, "re");
    char line[MAX_LINE];
    bool found = false;

    *out = '\0';
    while (f && fgets(line, sizeof(line), f)) {
        bool ours = strncmp(line, who, sizeof(who) - 1) == 0;

        line[strcspn(line, "\n")] = '\0';
        if (*line && (ours || !found))
            snprintf(out, size, "%s", ours ? line + sizeof(who) - 1 : line);
        found = found || ours;
    }
    if (f)
        fclose(f);
}

/* What a run of ours ended with; its output is in `log`. */
static int check_end(int status, const char *log, struct osw_error *err)
{
    char why[MAX_LINE];

    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    osw_subrun_last_line(log, why, sizeof(why));
    return osw_fail(err, OSW_INCOMPLETE,
                    "a run ended with %s %d (see '%s')%s%s",
                    WIFEXITED(status) ? "exit code" : "signal",
                    WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                    log, *why ? ": " : "", why);
}

/* 1: it ended, and *status is set; 0: it runs (with WNOHANG); or -1. */
static int wait_for(pid_t pid, int flags, int *status, struct osw_error *err)
{
    pid_t got;

    while ((got = waitpid(pid, status, flags)) < 0)
        if (errno != EINTR)
            return osw_fail_sys(err, errno, "cannot wait for a run");
    return got == pid;
}

/* Input and output, if they are not -1; what is said goes to `log` then, which
 * is begun anew or added to (O_TRUNC, O_APPEND).  Returns the process, or -1
 * with err set.
 */
static pid_t start(const char *const *argv, const char *log, int flag, int in,
                   int out, struct osw_error *err)
{
    const char *program = osw_paths_self(err);
    pid_t pid = program ? fork() : -1;

    if (!program)
        return -1;
    if (pid < 0)
        return osw_fail_sys(err, errno, "cannot start a run");
    if (pid == 0) {
        int fd = open(log, O_WRONLY | O_CREAT | flag, 0600);

        osw_guard_ceilings(false);
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM); /* it ends with us */
        if (fd < 0 || (in >= 0 && dup2(in, 0) < 0) ||
            dup2(out >= 0 ? out : fd, 1) < 0 || dup2(fd, 2) < 0)
            _exit(5);
        execv(program, (char *const *)argv);
        _exit(5);
    }
    return pid;
}

/* End it, at once if it does not listen. */
static int end(pid_t pid, int *status, struct osw_error *err)
{
    kill(pid, SIGTERM);
    for (int i = 0; i < GRACE_MS / TICK_MS; i++) {
        int rc = wait_for(pid, WNOHANG, status, err);

        if (rc != 0)
            return rc;
        osw_clock_sleep_ns(TICK_MS * INT64_C(1000000));
    }
    kill(pid, SIGKILL);
    return wait_for(pid, 0, status, err);
}

int osw_subrun(const char *campaign, const char *file, const char *log,
               const volatile sig_atomic_t *n_stop, struct osw_error *err)
{
    const char *const argv[] = {"opsweep", "run",       campaign, "-o", file,
                                "--force", "--fail-on", "none",   NULL};
    int status = 0, rc = 0;
    pid_t pid;

    (void)unlink(file); /* of an earlier run */
    pid = start(argv, log, O_TRUNC, -1, -1, err);
    while (pid > 0 && rc == 0 && !(n_stop && *n_stop)) {
        rc = wait_for(pid, n_stop ? WNOHANG : 0, &status, err);
        if (rc == 0)
            osw_clock_sleep_ns(TICK_MS * INT64_C(1000000));
    }
    if (pid < 0 || rc < 0)
        return -1;
    if (rc == 0)
        return end(pid, &status, err) < 0
                   ? -1
                   : osw_fail(err, OSW_INCOMPLETE, "stopped");
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOTHING_JUDGED &&
        access(file, F_OK) == 0)
        return 0;
    return check_end(status, log, err);
}

/* --- one campaign after another --- */

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void forget(struct osw_subrun_series *s)
{
    close_one(&s->to);
    close_one(&s->from);
    s->pid = -1;
    s->n = 0;
}

static int start_ranks(struct osw_subrun_series *s, const char *campaign,
                       struct osw_error *err)
{
    const char *const argv[] = {"opsweep", "run",       campaign, "--series",
                                "--force", "--fail-on", "none",   NULL};
    int in[2] = {-1, -1}, out[2] = {-1, -1};

    if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
        osw_fail_sys(err, errno, "cannot make a pipe");
    else
        s->pid = start(argv, s->log, O_TRUNC, in[0], out[1], err);
    close_one(&in[0]);
    close_one(&out[1]);
    s->to = in[1];
    s->from = out[0];
    if (s->pid < 0)
        forget(s);
    return s->pid < 0 ? -1 : fcntl(s->from, F_SETFL, O_NONBLOCK);
}

int osw_subrun_series_start(struct osw_subrun_series *s, const char *campaign,
                            const char *log, struct osw_error *err)
{
    snprintf(s->log, sizeof(s->log), "%s", log);
    if (s->pid < 0)
        return start_ranks(s, campaign, err);
    return dprintf(s->to, "%s\n", campaign) < 0
               ? osw_fail_sys(err, errno, "cannot tell ranks of '%s'", campaign)
               : 0;
}

/* Lines that are too long to be the one are no matter. */
static bool says_ended(struct osw_subrun_series *s, char c)
{
    static const char words[] = "campaign ended with exit code ";
    bool ended = c == '\n' && s->n >= sizeof(words) - 1 &&
                 memcmp(s->line, words, sizeof(words) - 1) == 0;

    if (s->n < sizeof(s->line))
        s->line[s->n++] = c;
    if (c == '\n')
        s->n = 0;
    return ended;
}

int osw_subrun_series_poll(struct osw_subrun_series *s, struct osw_error *err)
{
    int status = 0, rc;
    ssize_t got;
    char c;

    while ((got = read(s->from, &c, 1)) == 1)
        if (says_ended(s, c))
            return 1;
    if (got < 0)
        return 0;
    rc = wait_for(s->pid, WNOHANG, &status, err);
    if (rc == 0)
        return 0;
    forget(s);
    if (rc < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == NOTHING_JUDGED))
        return rc;
    return check_end(status, s->log, err) < 0 ? -1 : 1;
}

void osw_subrun_series_stop(const struct osw_subrun_series *s)
{
    if (s->pid > 0)
        kill(s->pid, SIGTERM);
}

/* Without a campaign they leave by themselves. */
void osw_subrun_series_end(struct osw_subrun_series *s)
{
    struct osw_error unused = OSW_ERROR_INIT;
    int status, rc = s->pid > 0 ? 0 : 1;

    close_one(&s->to);
    for (int i = 0; rc == 0 && i < GRACE_MS / TICK_MS; i++) {
        rc = wait_for(s->pid, WNOHANG, &status, &unused);
        if (rc == 0)
            osw_clock_sleep_ns(TICK_MS * INT64_C(1000000));
    }
    if (rc == 0)
        (void)!end(s->pid, &status, &unused);
    forget(s);
}

/* --- any command --- */

static void put_words(const char *const *words, const char **argv)
{
    argv[0] = "opsweep";
    for (size_t i = 0; words[i] && i < MAX_WORDS; i++)
        argv[i + 1] = words[i];
}

int osw_subrun_command(const char *const *words, const char *log,
                       double limit_s, const volatile sig_atomic_t *n_stop,
                       struct osw_error *err)
{
    const char *argv[MAX_WORDS + 2] = {NULL};
    int64_t until_ns = osw_clock_ns() + (int64_t)(limit_s * 1e9);
    int status = 0, rc = 0;
    bool ended = false;
    pid_t pid;

    put_words(words, argv);
    pid = start(argv, log, O_TRUNC, -1, -1, err);
    while (pid > 0 && rc == 0) {
        rc = wait_for(pid, WNOHANG, &status, err);
        if (rc != 0)
            break;
        ended = *n_stop || osw_clock_ns() >= until_ns;
        if (ended)
            rc = end(pid, &status, err);
        else
            osw_clock_sleep_ns(TICK_MS * INT64_C(1000000));
    }
    if (pid < 0 || rc < 0)
        return -1;
    return !ended && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : osw_fail(err, OSW_CHILD, "'opsweep %s' did not end by itself",
                          words[0]);
}

pid_t osw_subrun_begin(const char *const *words, const char *log,
                       struct osw_error *err)
{
    const char *argv[MAX_WORDS + 2] = {NULL};

    put_words(words, argv);
    return start(argv, log, O_APPEND, -1, -1, err);
}

bool osw_subrun_ended(pid_t pid)
{
    struct osw_error unused = OSW_ERROR_INIT;
    int status;

    return wait_for(pid, WNOHANG, &status, &unused) != 0;
}

void osw_subrun_end(pid_t pid)
{
    struct osw_error unused = OSW_ERROR_INIT;
    int status;

    if (pid > 0)
        (void)!end(pid, &status, &unused);
}
