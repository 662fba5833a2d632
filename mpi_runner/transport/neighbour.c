/* mpi_runner/transport/neighbour.c - has another process of this node ended? */
#include "mpi_runner/transport/neighbour.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/kernel/kernel_file.h"

uint64_t osw_neighbour_born(uint64_t pid)
{
    long long born = pid <= INT32_MAX
                         ? osw_kernel_stat((pid_t)pid, OSW_KERNEL_STAT_START)
                         : -1;

    return born > 0 ? (uint64_t)born : 0;
}

uint64_t osw_neighbour_pid_space(void)
{
    struct stat st;

    return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

static bool is_here(const char *host)
{
    char mine[256] = "";

    gethostname(mine, sizeof(mine) - 1);
    return strcmp(mine, host) == 0;
}

bool osw_neighbour_has_ended(const char *host, uint64_t pid, uint64_t born,
                             uint64_t pid_space)
{
    return born != 0 && pid_space != 0 && is_here(host) &&
           osw_neighbour_pid_space() == pid_space &&
           osw_neighbour_born(pid) != born;
}

int osw_neighbour_watch(const char *host, uint64_t pid, uint64_t born)
{
    int fd;

    if (born == 0 || !is_here(host) || pid == (uint64_t)getpid())
        return -1;
    fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (fd < 0 || osw_neighbour_born(pid) == born)
        return fd;
    close(fd);
    return -1;
}

bool osw_neighbour_gone(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return fd >= 0 && poll(&p, 1, 0) > 0;
}

void osw_neighbour_kill(int fd)
{
    if (fd >= 0)
        (void)syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
}
