/* slots.h - other functions in the place of those that the program calls
 *
 * The program that loaded an implementation, and its plugins, keep addresses
 * of the C library's functions in memory that can be written.  Include first.
 */
#ifndef OSW_TESTS_SLOTS_H
#define OSW_TESTS_SLOTS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef void (*slot)(void);

struct slots {
    slot real, ours;
    int n_objects, n_replaced;
};

static inline void slots_look(struct slots *s, uintptr_t from, size_t bytes)
{
    size_t page = (size_t)getpagesize();
    uintptr_t first = from & ~(page - 1);

    if (mprotect((void *)first, from + bytes - first, PROT_READ | PROT_WRITE))
        return;
    for (uintptr_t at = (from + 7) & ~(uintptr_t)7; at + 8 <= from + bytes;
         at += 8)
        if (!memcmp((void *)at, &s->real, 8)) {
            memcpy((void *)at, &s->ours, 8);
            s->n_replaced++;
        }
}

static inline int slots_of_object(struct dl_phdr_info *info, size_t size,
                                  void *arg)
{
    struct slots *s = (struct slots *)arg;

    (void)size;
    if (s->n_objects++ > 0 && !strstr(info->dlpi_name, "/libopsweep-"))
        return 0; /* the first object is the program */
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_LOAD && (p->p_flags & PF_W))
            slots_look(s, info->dlpi_addr + p->p_vaddr, p->p_memsz);
    }
    return 0;
}

/* Every slot that holds `real` gets `ours`; how many there were. */
static inline int slots_replace(slot real, slot ours)
{
    struct slots s = {real, ours, 0, 0};

    dl_iterate_phdr(slots_of_object, &s);
    return s.n_replaced;
}

#endif /* OSW_TESTS_SLOTS_H */
