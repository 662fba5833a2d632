/* worker/slot.c - which cores a worker and its sandboxes use */
#include "worker/slot.h"

#include <sched.h>
#include <string.h>

struct osw_slot osw_slot_choose(size_t n_cores, int32_t local_index,
                                int32_t n_local, uint32_t n_threads)
{
    struct osw_slot none = {0, 0};
    size_t workers = n_local > 0 ? (size_t)n_local : 1;
    size_t index = local_index > 0 ? (size_t)local_index : 0;

    if (n_threads == 0 || index >= workers || n_cores / workers < n_threads)
        return none;
    return (struct osw_slot){index * n_threads, n_threads};
}

/* The cores of *from that the slot means, into *to. */
static void pick(const cpu_set_t *from, struct osw_slot slot, cpu_set_t *to)
{
    size_t k = 0;

    CPU_ZERO(to);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, from)) {
            if (k >= slot.first && k < slot.first + slot.n)
                CPU_SET(cpu, to);
            k++;
        }
}

void osw_slot_enter(int32_t local_index, int32_t n_local, uint32_t n_threads)
{
    cpu_set_t usable, mine;
    struct osw_slot slot;

    if (sched_getaffinity(0, sizeof(usable), &usable) < 0)
        return;
    if ((size_t)CPU_COUNT(&usable) < n_threads) {
        memset(&usable, 0xff, sizeof(usable)); /* the kernel takes what is */
        if (sched_setaffinity(0, sizeof(usable), &usable) < 0 ||
            sched_getaffinity(0, sizeof(usable), &usable) < 0)
            return;
    } else if ((size_t)CPU_COUNT(&usable) == n_threads) {
        return; /* the launcher gave this rank its own */
    }
    slot = osw_slot_choose((size_t)CPU_COUNT(&usable), local_index, n_local,
                           n_threads);
    if (slot.n == 0)
        return;
    pick(&usable, slot, &mine);
    (void)sched_setaffinity(0, sizeof(mine), &mine);
}
