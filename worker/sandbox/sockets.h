/* worker/sandbox/sockets.h - what looks like TCP between a gang's sandboxes
 *
 * NCCL's processes find each other over TCP, and no sandbox may use a network.
 * So opsweep-sandbox has functions in place of the C library's (socket, bind,
 * connect, accept, getsockname, setsockopt, getifaddrs) by which a TCP
 * connection becomes a pair of local sockets: the connecting process makes the
 * pair, and hands one end to the listening process over a socket of a kind that
 * sandboxes of GPUs may have.  No further system call is allowed for it, and
 * none of it leaves the node.
 *
 * Until osw_sockets_begin() the functions do what those of the C library do.
 *
 * Upstream: session.c, gang_nccl.c.
 */
#ifndef OSW_WORKER_SANDBOX_SOCKETS_H
#define OSW_WORKER_SANDBOX_SOCKETS_H

#include <stdbool.h>
#include <sys/socket.h>

struct ifaddrs;

/* Only processes that have named the same file find each other. */
void osw_sockets_name(int fd);

/* From now on, for this process. */
void osw_sockets_begin(void);
bool osw_sockets_active(void);

/* Give a descriptor to each process of the gang that asks for that name, from
 * now on.  -1, with errno EADDRINUSE: the name is taken.  Fetch: a descriptor
 * of this process, or -1 with errno.
 */
int osw_sockets_offer(const char *called, int fd);
int osw_sockets_fetch(const char *called);

/* As the functions of the C library.  The sandbox program gives them their
 * names there (stand_ins.c).
 */
int osw_sockets_socket(int domain, int type, int protocol);
int osw_sockets_bind(int fd, const struct sockaddr *address, socklen_t size);
int osw_sockets_connect(int fd, const struct sockaddr *address, socklen_t size);
int osw_sockets_accept4(int fd, struct sockaddr *address, socklen_t *size,
                        int flags);
int osw_sockets_accept(int fd, struct sockaddr *address, socklen_t *size);
int osw_sockets_getsockname(int fd, struct sockaddr *address, socklen_t *size);
int osw_sockets_setsockopt(int fd, int level, int name, const void *value,
                           socklen_t size);
int osw_sockets_getifaddrs(struct ifaddrs **list);
void osw_sockets_freeifaddrs(struct ifaddrs *list);

#endif /* OSW_WORKER_SANDBOX_SOCKETS_H */
