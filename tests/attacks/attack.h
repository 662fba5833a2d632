/* attacks/attack.h - what hostile ops share: the honest result and hooks
 *
 * Every op here computes y = a * x.  scale() does so honestly; an attack does
 * something else before, during or after it.
 */
#ifndef ATTACK_H
#define ATTACK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <opsweep/op.h>

/* Descriptor of the socket to the judge (worker/protocol.h). */
enum { JUDGE = 3 };

/* The honest result; *y and *x on request. */
static inline int scale_into(const osw_call *call, float **y, int64_t *n)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    float a = (float)osw_arg_float(call, 1, 1.0);
    osw_tensor *out;

    if (!x || !osw_is(x, OSW_FLOAT, 32) || !osw_is_contiguous(x))
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!out)
        return OSW_ERROR;
    if (y)
        *y = osw_data(out);
    if (n)
        *n = osw_numel(x);
    for (int64_t i = 0; i < osw_numel(x); i++)
        ((float *)osw_data(out))[i] = a * ((const float *)osw_data(x))[i];
    return 0;
}

static inline int scale(const osw_call *call)
{
    return scale_into(call, NULL, NULL);
}

static inline void start_thread(void *(*run)(void *), void *arg)
{
    pthread_t thread;

    if (!pthread_create(&thread, NULL, run, arg))
        pthread_detach(thread);
}

static inline void sleep_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    syscall(SYS_nanosleep, &t, NULL);
}

/* ns, by the kernel: patched clocks do not change it. */
static inline int64_t kernel_ns(clockid_t id)
{
    struct timespec t;

    syscall(SYS_clock_gettime, id, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* A file or folder outside of the scratch folder, below what the test gave. */
static inline const char *outside(const char *name)
{
    static __thread char path[PATH_MAX];
    const char *root = getenv("ATTACK_OUTSIDE");

    snprintf(path, sizeof(path), "%s/%s", root ? root : "/nonexistent", name);
    return path;
}

/* Replace a function of libc by `to`, in its code; false where that cannot be.
 */
static inline bool patch(const char *name, const void *to)
{
#ifdef __x86_64__
    unsigned char jump[13] = {0x49, 0xbb, 0, 0,    0,    0,   0,
                              0,    0,    0, 0x41, 0xff, 0xe3};
    unsigned char *code = dlsym(RTLD_DEFAULT, name);
    uintptr_t page = (uintptr_t)code & ~(uintptr_t)4095;

    if (!code ||
        mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    memcpy(jump + 2, &to, sizeof(to));
    memcpy(code, jump, sizeof(jump));
    return true;
#else
    (void)name;
    (void)to;
    return false;
#endif
}

#endif /* ATTACK_H */
