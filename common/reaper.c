/* common/reaper.c - cleans up after a killed process */
#include "common/reaper.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
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

/* --- the reaper --- */

static int32_t groups[MAX_GROUPS];
static size_t n_groups;

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

static void read_channel(int fd)
{
    char what[MAX_PATH + 1];
    int32_t group;
    ssize_t n;

    while ((n = recv(fd, what, sizeof(what) - 1, 0)) != 0) {
        if (n == sizeof(group)) {
            memcpy(&group, what, sizeof(group));
            note(group);
        } else if (n > (ssize_t)sizeof(group)) {
            what[n] = '\0';
            note_folder(what);
        } else if (n < 0 && errno != EINTR) {
            break;
        }
    }
}

void osw_reaper_serve(int fd, void (*remove_folder)(const char *path))
{
    bool left = true;

    read_channel(fd);
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
