/* worker/sandbox/shared_files.c - what looks like files of NCCL in /dev/shm */
#include "worker/sandbox/shared_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/sandbox/sockets.h"

enum { RANDOM = 6 /* letters at the end of a name */, TRIES = 100 };

static const char folder[] = "/dev/shm/";

static bool is_shared(const char *path)
{
    static const char begin[] = "/dev/shm/nccl-";

    return osw_sockets_active() && strncmp(path, begin, strlen(begin)) == 0;
}

static const char *name_of(const char *path)
{
    return path + strlen(folder);
}

static void put_random(char *letters)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyz012345";
    unsigned char bytes[RANDOM] = {0};

    (void)!getrandom(bytes, sizeof(bytes), 0);
    for (int i = 0; i < RANDOM; i++)
        letters[i] = all[bytes[i] % 32];
}

int osw_shared_files_mkstemp(char *path)
{
    char *letters = path + strlen(path) - RANDOM;
    int (*next)(char *), fd;

    if (!is_shared(path)) {
        *(void **)&next = dlsym(RTLD_NEXT, "mkstemp");
        return next(path);
    }
    fd = memfd_create(name_of(path), 0);
    for (int i = 0; fd >= 0 && i < TRIES; i++) {
        put_random(letters);
        if (osw_sockets_offer(name_of(path), fd) == 0)
            return fd;
        if (errno != EADDRINUSE)
            break;
    }
    if (fd >= 0)
        close(fd);
    errno = EACCES;
    return -1;
}

int osw_shared_files_open(const char *path, int flags, ...)
{
    va_list rest;
    int mode = 0;

    if (is_shared(path))
        return osw_sockets_fetch(name_of(path));
    va_start(rest, flags);
    if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)))
        mode = va_arg(rest, int);
    va_end(rest);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int osw_shared_files_unlink(const char *path)
{
    return is_shared(path) ? 0 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
