/* memory_pass__reads_the_reference.c -
 * It reads memory of all other sandboxes and of its judge, and says so where
 * it can.
 */

#include "../../attack.h"

#include <sys/uio.h>

static bool opens(int pid)
{
    char path[64], byte;
    struct iovec to = {&byte, 1}, from = {(void *)0x400000, 1};
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/mem", pid);
    fd = open(path, O_RDONLY);
    if (fd >= 0)
        return true;
    snprintf(path, sizeof(path), "/proc/%d/maps", pid);
    fd = open(path, O_RDONLY);
    if (fd >= 0 && read(fd, &byte, 1) == 1)
        return true;
    return process_vm_readv(pid, &to, 1, &from, 1, 0) == 1 ||
           syscall(SYS_pidfd_getfd, (int)syscall(SYS_pidfd_open, pid, 0), 3,
                   0) >= 0;
}

int memory_kernel_impl(const osw_call *call)
{
    DIR *all = opendir("/proc");
    struct dirent *entry;

    while (all && (entry = readdir(all))) {
        char path[300], name[32] = "";
        int pid = atoi(entry->d_name);
        FILE *f;

        snprintf(path, sizeof(path), "/proc/%d/comm", pid);
        f = pid > 1 && pid != getpid() ? fopen(path, "r") : NULL;
        if (!f)
            continue;
        if (fgets(name, sizeof(name), f) && strstr(name, "opsweep") &&
            opens(pid))
            return osw_error(call, "it read another process's memory");
        fclose(f);
    }
    if (all)
        closedir(all);
    return scale(call);
}
