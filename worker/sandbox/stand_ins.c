/* worker/sandbox/stand_ins.c - the C library's names for sockets.h and
 * shared_files.h
 *
 * Part of opsweep-sandbox alone.  Libraries that it loads find these functions
 * before those of the C library.  They are defined under other names, since the
 * C library declares its own with types that only it may use.
 */
#include "worker/sandbox/shared_files.h"
#include "worker/sandbox/sockets.h"

#define NAMED(name) __asm__(#name)

int name_socket(int domain, int type, int protocol) NAMED(socket);
int name_bind(int fd, const struct sockaddr *a, socklen_t n) NAMED(bind);
int name_connect(int fd, const struct sockaddr *a, socklen_t n) NAMED(connect);
int name_accept4(int fd, struct sockaddr *a, socklen_t *n, int flags)
    NAMED(accept4);
int name_accept(int fd, struct sockaddr *a, socklen_t *n) NAMED(accept);
int name_getsockname(int fd, struct sockaddr *a, socklen_t *n)
    NAMED(getsockname);
int name_setsockopt(int fd, int level, int name, const void *value, socklen_t n)
    NAMED(setsockopt);
int name_getifaddrs(struct ifaddrs **list) NAMED(getifaddrs);
void name_freeifaddrs(struct ifaddrs *list) NAMED(freeifaddrs);
int name_mkstemp(char *path) NAMED(mkstemp);
int name_mkstemp64(char *path) NAMED(mkstemp64);
int name_open(const char *path, int flags, int mode) NAMED(open);
int name_open64(const char *path, int flags, int mode) NAMED(open64);
int name_unlink(const char *path) NAMED(unlink);

int name_socket(int domain, int type, int protocol)
{
    return osw_sockets_socket(domain, type, protocol);
}

int name_bind(int fd, const struct sockaddr *a, socklen_t n)
{
    return osw_sockets_bind(fd, a, n);
}

int name_connect(int fd, const struct sockaddr *a, socklen_t n)
{
    return osw_sockets_connect(fd, a, n);
}

int name_accept4(int fd, struct sockaddr *a, socklen_t *n, int flags)
{
    return osw_sockets_accept4(fd, a, n, flags);
}

int name_accept(int fd, struct sockaddr *a, socklen_t *n)
{
    return osw_sockets_accept(fd, a, n);
}

int name_getsockname(int fd, struct sockaddr *a, socklen_t *n)
{
    return osw_sockets_getsockname(fd, a, n);
}

int name_setsockopt(int fd, int level, int name, const void *value, socklen_t n)
{
    return osw_sockets_setsockopt(fd, level, name, value, n);
}

int name_getifaddrs(struct ifaddrs **list)
{
    return osw_sockets_getifaddrs(list);
}

void name_freeifaddrs(struct ifaddrs *list)
{
    osw_sockets_freeifaddrs(list);
}

int name_mkstemp(char *path)
{
    return osw_shared_files_mkstemp(path);
}

int name_mkstemp64(char *path)
{
    return osw_shared_files_mkstemp(path);
}

/* Where there is no mode it is any number, which is not looked at. */
int name_open(const char *path, int flags, int mode)
{
    return osw_shared_files_open(path, flags, mode);
}

int name_open64(const char *path, int flags, int mode)
{
    return osw_shared_files_open(path, flags, mode);
}

int name_unlink(const char *path)
{
    return osw_shared_files_unlink(path);
}
