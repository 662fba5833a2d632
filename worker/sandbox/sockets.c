/* worker/sandbox/sockets.c - what looks like TCP between a gang's sandboxes */
#include "worker/sandbox/sockets.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    KIND = 0xf, /* of a socket, without flags */
    FIRST_PORT = 1024,
    N_PORTS = 60000,
    MAX_NAME = 96,
    PATIENCE_MS = 5000, /* for the end of a pair that is on its way */
};

static atomic_bool active;
static char gang[64]; /* what names of its sockets begin with */

void osw_sockets_name(int fd)
{
    struct stat st;

    if (fstat(fd, &st) == 0)
        snprintf(gang, sizeof(gang), "opsweep-%llx-%llx-",
                 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
}

void osw_sockets_begin(void)
{
    atomic_store(&active, gang[0] != '\0');
}

/* --- names --- */

/* What the gang calls it is a name that is in no folder.  Returns its size. */
static socklen_t put_name(struct sockaddr_un *name, const char *called)
{
    int n;

    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    n = snprintf(name->sun_path + 1, MAX_NAME, "%s%.24s", gang, called);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static socklen_t put_port(struct sockaddr_un *name, unsigned port)
{
    char called[16];

    snprintf(called, sizeof(called), "%u", port);
    return put_name(name, called);
}

/* The port that a socket listens at; 0: it is none of the gang's. */
static unsigned port_of(int fd)
{
    struct sockaddr_un name = {.sun_family = AF_UNSPEC};
    socklen_t size = sizeof(name) - 1; /* leaves a zero */
    size_t n = strlen(gang);

    if (!atomic_load(&active) ||
        syscall(SYS_getsockname, fd, &name, &size) < 0 ||
        name.sun_family != AF_UNIX || name.sun_path[0] != '\0' ||
        strncmp(name.sun_path + 1, gang, n) != 0)
        return 0;
    return (unsigned)strtoul(name.sun_path + 1 + n, NULL, 10);
}

static void put_address(struct sockaddr *to, socklen_t *size, unsigned port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr =
                                            htonl(INADDR_LOOPBACK)};

    if (!to || !size)
        return;
    memcpy(to, &address, *size < sizeof(address) ? *size : sizeof(address));
    *size = sizeof(address);
}

static bool is_ours(const struct sockaddr *address)
{
    return atomic_load(&active) && address && address->sa_family == AF_INET;
}

static unsigned port_in(const struct sockaddr *address)
{
    struct sockaddr_in in;

    memcpy(&in, address, sizeof(in));
    return ntohs(in.sin_port);
}

/* --- an end of a pair goes to another process --- */

union control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static int send_end(int over, int end)
{
    char byte = 0;
    struct iovec part = {&byte, 1};
    union control control = {.bytes = {0}};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof(control)};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &end, sizeof(end));
    return sendmsg(over, &m, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

static int receive_end(int over, int flags)
{
    char byte;
    struct iovec part = {&byte, 1};
    union control control;
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof(control)};
    struct pollfd ready = {.fd = over, .events = POLLIN};
    const struct cmsghdr *c;
    int end = -1;

    if (poll(&ready, 1, PATIENCE_MS) == 1 &&
        recvmsg(over, &m, flags & SOCK_CLOEXEC ? MSG_CMSG_CLOEXEC : 0) == 1 &&
        (c = CMSG_FIRSTHDR(&m)) && c->cmsg_level == SOL_SOCKET &&
        c->cmsg_type == SCM_RIGHTS)
        memcpy(&end, CMSG_DATA(c), sizeof(end));
    if (end >= 0 && flags & SOCK_NONBLOCK)
        (void)fcntl(end, F_SETFL, O_NONBLOCK);
    return end;
}

/* As a call fails that found no end. */
static int fail_with(int error)
{
    errno = error;
    return -1;
}

/* A connection to the process of the gang that listens by that name; -1. */
static int reach(const struct sockaddr_un *name, socklen_t size)
{
    int over =
        (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    int error;

    if (over < 0 || syscall(SYS_connect, over, name, size) == 0)
        return over;
    error = errno;
    close(over);
    return fail_with(error);
}

/* Connect to the gang's `port`; returns this process's end. */
static int connect_pair(unsigned port)
{
    struct sockaddr_un name;
    socklen_t size = put_port(&name, port);
    int over = reach(&name, size), ends[2] = {-1, -1}, error = 0;

    if (over < 0)
        return -1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 ||
        send_end(over, ends[1]) < 0)
        error = errno;
    close(over);
    if (ends[1] >= 0)
        close(ends[1]);
    if (!error)
        return ends[0];
    if (ends[0] >= 0)
        close(ends[0]);
    return fail_with(error);
}

/* --- descriptors by name --- */

struct offer {
    int at, fd;
};

/* Until the process ends. */
static void *hand_out(void *arg)
{
    struct offer offer = *(struct offer *)arg;
    int over;

    free(arg);
    while ((over = (int)syscall(SYS_accept4, offer.at, NULL, NULL,
                                SOCK_CLOEXEC)) >= 0) {
        (void)send_end(over, offer.fd);
        close(over);
    }
    return NULL;
}

int osw_sockets_offer(const char *called, int fd)
{
    struct sockaddr_un name;
    socklen_t size = put_name(&name, called);
    struct offer *offer = malloc(sizeof(*offer));
    int at =
        (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    pthread_t thread;

    if (!offer || at < 0 || syscall(SYS_bind, at, &name, size) < 0 ||
        listen(at, SOMAXCONN) < 0)
        goto fail;
    *offer = (struct offer){.at = at, .fd = dup(fd)};
    if (offer->fd < 0 || pthread_create(&thread, NULL, hand_out, offer) != 0)
        goto fail;
    pthread_detach(thread);
    return 0;
fail:
    if (at >= 0)
        close(at);
    free(offer);
    return -1;
}

int osw_sockets_fetch(const char *called)
{
    struct sockaddr_un name;
    socklen_t size = put_name(&name, called);
    int over = reach(&name, size), fd;

    if (over < 0)
        return -1;
    fd = receive_end(over, SOCK_CLOEXEC);
    close(over);
    return fd < 0 ? fail_with(ENOENT) : fd;
}

bool osw_sockets_active(void)
{
    return atomic_load(&active);
}

/* --- in place of the C library's --- */

/* A datagram's socket that no message will come to: NCCL waits for descriptors
 * of memory at one, and gets none with NCCL_CUMEM_ENABLE=0.
 */
static int make_mute(int flags)
{
    int ends[2];

    return socketpair(AF_UNIX, SOCK_SEQPACKET | flags, 0, ends) < 0 ? -1
                                                                    : ends[0];
}

int osw_sockets_socket(int domain, int type, int protocol)
{
    int kind = type & KIND, flags = type & ~KIND;

    if (atomic_load(&active) && domain == AF_INET && kind == SOCK_STREAM)
        return (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | flags, 0);
    if (atomic_load(&active) && domain == AF_UNIX && kind == SOCK_DGRAM)
        return make_mute(flags);
    return (int)syscall(SYS_socket, domain, type, protocol);
}

int osw_sockets_bind(int fd, const struct sockaddr *address, socklen_t size)
{
    static atomic_uint next;
    struct sockaddr_un name;
    unsigned port;
    int rc = -1;

    if (!is_ours(address))
        return (int)syscall(SYS_bind, fd, address, size);
    port = port_in(address);
    if (port != 0) {
        size = put_port(&name, port);
        return (int)syscall(SYS_bind, fd, &name, size);
    }
    errno = EADDRINUSE;
    for (int i = 0; rc < 0 && errno == EADDRINUSE && i < N_PORTS; i++) {
        port = FIRST_PORT + ((unsigned)getpid() * 64 + next++) % N_PORTS;
        size = put_port(&name, port);
        rc = (int)syscall(SYS_bind, fd, &name, size);
    }
    return rc;
}

int osw_sockets_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    int end, status, descriptor, rc;

    if (!is_ours(address))
        return (int)syscall(SYS_connect, fd, address, size);
    end = connect_pair(port_in(address));
    if (end < 0)
        return -1;
    status = fcntl(fd, F_GETFL);
    descriptor = fcntl(fd, F_GETFD);
    rc = dup3(end, fd, descriptor & FD_CLOEXEC ? O_CLOEXEC : 0) == fd ? 0 : -1;
    close(end);
    if (rc == 0 && status & O_NONBLOCK)
        (void)fcntl(fd, F_SETFL, O_NONBLOCK);
    return rc;
}

int osw_sockets_accept4(int fd, struct sockaddr *address, socklen_t *size,
                        int flags)
{
    int over, end;

    if (port_of(fd) == 0)
        return (int)syscall(SYS_accept4, fd, address, size, flags);
    over = (int)syscall(SYS_accept4, fd, NULL, NULL, SOCK_CLOEXEC);
    if (over < 0)
        return -1;
    end = receive_end(over, flags);
    close(over);
    if (end < 0)
        return fail_with(ECONNABORTED);
    put_address(address, size, 0);
    return end;
}

int osw_sockets_accept(int fd, struct sockaddr *address, socklen_t *size)
{
    return osw_sockets_accept4(fd, address, size, 0);
}

int osw_sockets_getsockname(int fd, struct sockaddr *address, socklen_t *size)
{
    unsigned port = port_of(fd);

    if (port == 0)
        return (int)syscall(SYS_getsockname, fd, address, size);
    put_address(address, size, port);
    return 0;
}

/* Options of TCP have no meaning here. */
int osw_sockets_setsockopt(int fd, int level, int name, const void *value,
                           socklen_t size)
{
    if (atomic_load(&active) && level == IPPROTO_TCP)
        return 0;
    return (int)syscall(SYS_setsockopt, fd, level, name, value, size);
}

/* One interface, which is all that there is. */
static struct {
    struct ifaddrs entry;
    struct sockaddr_in address, mask;
} loopback;

int osw_sockets_getifaddrs(struct ifaddrs **list)
{
    int (*next)(struct ifaddrs **);
    socklen_t size = sizeof(loopback.address);

    if (!atomic_load(&active)) {
        *(void **)&next = dlsym(RTLD_NEXT, "getifaddrs");
        return next ? next(list) : fail_with(ENOSYS);
    }
    put_address((struct sockaddr *)&loopback.address, &size, 0);
    loopback.mask = loopback.address;
    loopback.mask.sin_addr.s_addr = htonl(0xff000000);
    loopback.entry =
        (struct ifaddrs){.ifa_name = (char *)(uintptr_t) "lo",
                         .ifa_flags = IFF_UP | IFF_RUNNING | IFF_LOOPBACK,
                         .ifa_addr = (struct sockaddr *)&loopback.address,
                         .ifa_netmask = (struct sockaddr *)&loopback.mask};
    *list = &loopback.entry;
    return 0;
}

void osw_sockets_freeifaddrs(struct ifaddrs *list)
{
    void (*next)(struct ifaddrs *);

    if (list == &loopback.entry)
        return;
    *(void **)&next = dlsym(RTLD_NEXT, "freeifaddrs");
    if (next)
        next(list);
}
