/* common/reaper.c - cleans up after a killed process */
#include "common/reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/death.h"
#include "common/stops.h"

enum {
    MAX_GROUPS = 4096,
    MAX_FOLDERS = 16,
    MAX_PATH = 128,
    ROUNDS = 40, /* of killing: a group may be forking meanwhile */
};

static const int64_t round_ns = 25000000;

extern char **environ;

/* --- the watched process --- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int n_users, channel = -1;
static pid_t reaper;

/* The reaper inherits no descriptor but the channel. */
static int spawn(const char *path, int fd)
{
    char *argv[] = {(char *)(uintptr_t)path, (char[]){OSW_REAPER_WORD}, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t stops;
    int e = posix_spawn_file_actions_init(&files);

    if (e)
        return e;
    e = posix_spawnattr_init(&attr);
    if (e)
        goto out;
    e = posix_spawn_file_actions_adddup2(&files, fd, STDIN_FILENO);
    for (int i = STDOUT_FILENO; i <= STDERR_FILENO && !e; i++)
        e = posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_WRONLY,
                                             0);
    if (!e)
        e = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    /* Not among those that a terminal signals, and a launcher does in vain. */
    osw_stops(&stops);
    if (!e)
        e = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID |
                                                POSIX_SPAWN_SETSIGMASK);
    if (!e)
        e = posix_spawnattr_setsigmask(&attr, &stops);
    if (!e)
        e = posix_spawn(&reaper, path, &files, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
out:
    posix_spawn_file_actions_destroy(&files);
    return e;
}

static void start(const char *path)
{
    int ends[2], up;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return;
    up = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (up >= 0 && spawn(path, up) == 0)
        channel = ends[0];
    else
        close(ends[0]);
    close(ends[1]);
    if (up >= 0)
        close(up);
}

void osw_reaper_start(const char *sandbox_path)
{
    pthread_mutex_lock(&mutex);
    if (n_users++ == 0 && sandbox_path)
        start(sandbox_path);
    pthread_mutex_unlock(&mutex);
}

void osw_reaper_stop(void)
{
    pthread_mutex_lock(&mutex);
    if (n_users > 0 && --n_users == 0 && channel >= 0) {
        close(channel);
        channel = -1;
        while (waitpid(reaper, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    pthread_mutex_unlock(&mutex);
}

static void tell(const void *what, size_t size)
{
    pthread_mutex_lock(&mutex);
    if (channel >= 0)
        (void)!send(channel, what, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    pthread_mutex_unlock(&mutex);
}

static void tell_group(int32_t what)
{
    tell(&what, sizeof(what));
}

void osw_reaper_add(pid_t group)
{
    if (group > 1)
        tell_group((int32_t)group);
}

void osw_reaper_remove(pid_t group)
{
    if (group > 1)
        tell_group(-(int32_t)group);
}

/* A sign and the path: longer than a group's number. */
static void tell_folder(char sign, const char *path)
{
    char text[MAX_PATH];
    int n = snprintf(text, sizeof(text), "%c%s", sign, path);

    if (n > (int)sizeof(int32_t) && n < MAX_PATH)
        tell(text, (size_t)n);
}

void osw_reaper_add_folder(const char *path)
{
    tell_folder('+', path);
}

void osw_reaper_remove_folder(const char *path)
{
    tell_folder('-', path);
}

/* A word and a number.  A descriptor may go with it; -1: none. */
static void tell_number(const char *word, uint64_t number, int fd)
{
    union {
        struct cmsghdr header; /* for its alignment */
        char space[CMSG_SPACE(sizeof(int))];
    } control = {.space = ""};
    char text[64];
    struct iovec part = {text, 0};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

    part.iov_len =
        (size_t)snprintf(text, sizeof(text), "%s%" PRIu64, word, number);
    if (fd >= 0) {
        control.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
                                          .cmsg_level = SOL_SOCKET,
                                          .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
        m.msg_control = control.space;
        m.msg_controllen = sizeof(control.space);
    }
    pthread_mutex_lock(&mutex);
    if (channel >= 0)
        (void)!sendmsg(channel, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
    pthread_mutex_unlock(&mutex);
}

static const char report_word[] = "report ", ceiling_word[] = "ceiling ";

void osw_reaper_report(int fd, int64_t at)
{
    if (fd >= 0 && at >= 0)
        tell_number(report_word, (uint64_t)at, fd);
}

void osw_reaper_set_ceiling(uint64_t bytes)
{
    tell_number(ceiling_word, bytes, -1);
}

/* --- the reaper --- */

static int32_t groups[MAX_GROUPS];
static size_t n_groups;
static int report_fd = -1; /* where to write how the process ended, */
static int64_t report_at;  /* at this byte */
static uint64_t ceiling;   /* bytes of a sandbox; 0: it was not said */
static uint64_t n_oom;     /* when the last group came or went */

static void note(int32_t what)
{
    size_t i = 0;

    while (i < n_groups && groups[i] != what && groups[i] != -what)
        i++;
    if (what > 1 && i == n_groups && n_groups < MAX_GROUPS)
        groups[n_groups++] = what;
    else if (what < -1 && i < n_groups)
        groups[i] = groups[--n_groups];
}

static char folders[MAX_FOLDERS][MAX_PATH]; /* "": none */

/* "+/path" or "-/path". */
static void note_folder(const char *what)
{
    const char *wanted = what[0] == '+' ? "" : what + 1;
    size_t i = 0;

    while (i < MAX_FOLDERS && strcmp(folders[i], wanted) != 0)
        i++;
    if (i == MAX_FOLDERS || what[1] != '/')
        return;
    snprintf(folders[i], MAX_PATH, "%s", what[0] == '+' ? what + 1 : "");
}

/* "report AT" with a descriptor, "ceiling BYTES", or a folder. */
static void note_text(const char *text, int fd)
{
    const size_t r = sizeof(report_word) - 1, c = sizeof(ceiling_word) - 1;

    if (strncmp(text, report_word, r) == 0 && fd >= 0) {
        if (report_fd >= 0)
            close(report_fd);
        report_fd = fd;
        report_at = strtoll(text + r, NULL, 10);
        return;
    }
    if (fd >= 0)
        close(fd);
    if (strncmp(text, ceiling_word, c) == 0)
        ceiling = strtoull(text + c, NULL, 10);
    else if (text[0] == '+' || text[0] == '-')
        note_folder(text);
}

/* The descriptor that came with a message, or -1. */
static int take_descriptor(struct msghdr *m)
{
    const struct cmsghdr *c = CMSG_FIRSTHDR(m);
    int fd = -1;

    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof(fd)))
        memcpy(&fd, CMSG_DATA(c), sizeof(fd));
    return fd;
}

/* The number of bytes, 0 at the end, -1 with errno set. */
static ssize_t receive(int channel_fd, char *what, size_t size, int *fd)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {what, size};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control.space,
                       .msg_controllen = sizeof(control.space)};
    ssize_t n = recvmsg(channel_fd, &m, MSG_CMSG_CLOEXEC);

    *fd = n > 0 ? take_descriptor(&m) : -1;
    return n;
}

static void read_channel(int channel_fd)
{
    char what[MAX_PATH + 1];
    int32_t group;
    ssize_t n;
    int fd;

    while ((n = receive(channel_fd, what, sizeof(what) - 1, &fd)) != 0) {
        if (n == sizeof(group)) {
            memcpy(&group, what, sizeof(group));
            note(group);
            n_oom = osw_death_n_oom();
        } else if (n > (ssize_t)sizeof(group)) {
            what[n] = '\0';
            note_text(what, fd);
        } else if (n < 0 && errno != EINTR) {
            break;
        }
    }
}

/* The leaders of groups end a moment after the process that they belong to:
 * the kernel kills them.
 */
static void look_at_groups(struct osw_death *death)
{
    for (size_t i = 0; i < n_groups; i++)
        death->n_over += ceiling && osw_death_resident(groups[i]) > ceiling;
    for (size_t i = 0; i < n_groups; i++) {
        const struct osw_death_watch leader = {groups[i], -1};
        int code;

        death->n_crashed += osw_death_watch_ended(&leader, &code) &&
                            WIFSIGNALED(code) && WTERMSIG(code) != SIGKILL;
    }
}

static void report(const struct osw_death_watch *watched)
{
    struct osw_death death = {0};
    int code;

    if (report_fd < 0)
        return;
    look_at_groups(&death);
    if (osw_death_watch_ended(watched, &code)) {
        death.signal = WIFSIGNALED(code) ? WTERMSIG(code) : 0;
        death.status = WIFEXITED(code) ? WEXITSTATUS(code) : 0;
        death.n_oom = (uint32_t)(osw_death_n_oom() - n_oom);
        osw_death_seal(&death);
        (void)!pwrite(report_fd, &death, sizeof(death), report_at);
    }
    close(report_fd);
    report_fd = -1;
}

void osw_reaper_serve(int fd, void (*remove_folder)(const char *path))
{
    struct osw_death_watch watched = osw_death_watch_open(getppid());
    bool left = true;

    n_oom = osw_death_n_oom();
    read_channel(fd);
    report(&watched);
    osw_death_watch_close(&watched);
    for (int i = 0; i < ROUNDS && left; i++) {
        left = false;
        for (size_t k = 0; k < n_groups; k++)
            left |= kill(-groups[k], SIGKILL) == 0;
        if (left)
            osw_clock_sleep_ns(round_ns);
    }
    for (size_t i = 0; i < MAX_FOLDERS; i++)
        if (folders[i][0])
            remove_folder(folders[i]);
}
