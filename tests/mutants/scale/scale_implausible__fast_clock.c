/* scale_implausible__fast_clock.c - makes the program's clock run slow */
/* Looks for the slot in which the program that loaded it keeps the address of
 * clock_gettime, and puts another function there.
 */
#define _GNU_SOURCE
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scale.h"

static int eighth(clockid_t id, struct timespec *t)
{
    static int64_t start[16];
    int rc = clock_gettime(id, t);
    int64_t ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;

    if (rc || id < 0 || id >= 16)
        return rc;
    if (!start[id])
        start[id] = ns;
    ns = start[id] + (ns - start[id]) / 8;
    t->tv_sec = ns / 1000000000;
    t->tv_nsec = ns % 1000000000;
    return 0;
}

/* Every pointer to the real function in a writable part becomes ours. */
static void replace(uintptr_t from, size_t bytes)
{
    int (*real)(clockid_t, struct timespec *) = clock_gettime;
    int (*ours)(clockid_t, struct timespec *) = eighth;
    size_t page = (size_t)getpagesize();
    uintptr_t first = from & ~(page - 1);

    if (mprotect((void *)first, from + bytes - first, PROT_READ | PROT_WRITE))
        return;
    for (uintptr_t at = (from + 7) & ~(uintptr_t)7; at + 8 <= from + bytes;
         at += 8)
        if (!memcmp((void *)at, &real, 8))
            memcpy((void *)at, &ours, 8);
}

static int on_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_LOAD && (p->p_flags & PF_W))
            replace(info->dlpi_addr + p->p_vaddr, p->p_memsz);
    }
    return 1; /* the first object is the program */
}

int scale_kernel_impl(const osw_call *call)
{
    static int patched;

    if (!patched++)
        dl_iterate_phdr(on_object, NULL);
    return scale_all(call);
}
