/* mpi_runner/generate/ask/asker.c - the process that asks models */
#include "mpi_runner/generate/ask/asker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"

enum { TICK_MS = 200 };

/* --- the asker's side --- */

static int take_requests(int fd, const struct osw_api *api, void *state)
{
    struct osw_api_request request;
    ssize_t n;

    while ((n = recv(fd, &request, sizeof(request), MSG_DONTWAIT)) ==
           (ssize_t)sizeof(request))
        api->submit(state, &request);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) ? -1 : 0;
}

/* Until the driver is gone. */
static int serve(int fd, const struct osw_api *api,
                 const struct osw_api_config *config)
{
    struct osw_error err = OSW_ERROR_INIT;
    void *state = api->open(config, &err);
    struct osw_api_reply reply;

    if (!state) {
        osw_log(OSW_LOG_ERROR, "%s", err.text);
        return osw_status_exit_code(err.status);
    }
    while (take_requests(fd, api, state) == 0)
        if (api->poll(state, fd, TICK_MS, &reply) &&
            send(fd, &reply, sizeof(reply), MSG_NOSIGNAL) < 0)
            break;
    api->close(state);
    return 0;
}

/* Signals for the group of the terminal are the driver's to act upon: answers
 * that are paid for are still taken.
 */
static void become_asker(void)
{
    (void)prctl(PR_SET_DUMPABLE, 0); /* its memory is closed to others */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

/* --- the driver's side --- */

int osw_asker_start(struct osw_asker *asker, const struct osw_api *api,
                    const struct osw_api_config *config, struct osw_error *err)
{
    int fds[2], room = 1 << 20;

    *asker = (struct osw_asker){.pid = -1, .fd = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return osw_fail_sys(err, errno, "cannot make a socket");
    (void)setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    (void)setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    fflush(NULL);
    asker->pid = fork();
    if (asker->pid < 0) {
        osw_fail_sys(err, errno, "cannot start the asker");
        close(fds[0]);
        close(fds[1]);
        return -1;
    }
    if (asker->pid == 0) {
        close(fds[0]);
        become_asker();
        _exit(serve(fds[1], api, config));
    }
    close(fds[1]);
    asker->fd = fds[0];
    osw_api_forget_keys(config);
    return 0;
}

int osw_asker_submit(struct osw_asker *asker,
                     const struct osw_api_request *request,
                     struct osw_error *err)
{
    ssize_t n;

    do
        n = send(asker->fd, request, sizeof(*request), MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof(*request))
        return osw_fail(err, OSW_CHILD, "the process that asks is gone");
    asker->n_busy++;
    return 0;
}

int osw_asker_poll(struct osw_asker *asker, int wait_ms,
                   struct osw_api_reply *reply, struct osw_error *err)
{
    struct pollfd p = {.fd = asker->fd, .events = POLLIN};
    ssize_t n;

    if (poll(&p, 1, wait_ms) <= 0)
        return 0;
    n = recv(asker->fd, reply, sizeof(*reply), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n != (ssize_t)sizeof(*reply))
        return osw_fail(err, OSW_CHILD, "the process that asks is gone");
    asker->n_busy--;
    return 1;
}

void osw_asker_stop(struct osw_asker *asker)
{
    if (asker->fd >= 0)
        close(asker->fd); /* it sees that, and ends what it began */
    asker->fd = -1;
    if (asker->pid > 0)
        while (waitpid(asker->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    asker->pid = -1;
}
