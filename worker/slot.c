/* worker/slot.c - which cores a worker and its sandboxes use */
#include "worker/slot.h"

#include <stdlib.h>
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

/* The cores of which a slot may be made; false: there is nothing to choose. */
static bool find_usable(uint32_t n_threads, cpu_set_t *usable)
{
    if (sched_getaffinity(0, sizeof(*usable), usable) < 0)
        return false;
    if ((size_t)CPU_COUNT(usable) == n_threads)
        return false; /* the launcher gave this rank its own */
    if ((size_t)CPU_COUNT(usable) > n_threads)
        return true;
    memset(usable, 0xff, sizeof(*usable)); /* the kernel takes what is */
    return sched_setaffinity(0, sizeof(*usable), usable) == 0 &&
           sched_getaffinity(0, sizeof(*usable), usable) == 0;
}

void osw_slot_enter(int32_t local_index, int32_t n_local, uint32_t n_threads)
{
    cpu_set_t usable, mine;
    struct osw_slot slot;

    if (!find_usable(n_threads, &usable))
        return;
    slot = osw_slot_choose((size_t)CPU_COUNT(&usable), local_index, n_local,
                           n_threads);
    if (slot.n == 0)
        return;
    pick(&usable, slot, &mine);
    (void)sched_setaffinity(0, sizeof(mine), &mine);
}

/* --- near devices --- */

/* Move up to n cores of *from that *near has (NULL: any) to *to.  Returns how
 * many.
 */
static uint32_t take(cpu_set_t *from, const cpu_set_t *near, uint32_t n,
                     cpu_set_t *to)
{
    uint32_t taken = 0;

    for (size_t cpu = 0; cpu < CPU_SETSIZE && taken < n; cpu++) {
        if (!CPU_ISSET(cpu, from) || (near && !CPU_ISSET(cpu, near)))
            continue;
        CPU_CLR(cpu, from);
        CPU_SET(cpu, to);
        taken++;
    }
    return taken;
}

bool osw_slot_choose_near(const cpu_set_t *usable, const cpu_set_t *near,
                          int32_t local_index, int32_t n_local,
                          uint32_t n_threads, cpu_set_t *out)
{
    cpu_set_t left = *usable, others;
    uint32_t found[CPU_SETSIZE];

    CPU_ZERO(out);
    CPU_ZERO(&others);
    if (n_local < 1 || n_local > CPU_SETSIZE || local_index < 0 ||
        local_index >= n_local || n_threads == 0 ||
        (size_t)CPU_COUNT(usable) / (size_t)n_local < n_threads)
        return false;
    for (int32_t k = 0; k < n_local; k++)
        found[k] =
            take(&left, &near[k], n_threads, k == local_index ? out : &others);
    for (int32_t k = 0; k < n_local; k++)
        (void)take(&left, NULL, n_threads - found[k],
                   k == local_index ? out : &others);
    return true;
}

void osw_slot_enter_near(const cpu_set_t *near, int32_t local_index,
                         int32_t n_local, uint32_t n_threads)
{
    cpu_set_t usable, mine;

    if (find_usable(n_threads, &usable) &&
        osw_slot_choose_near(&usable, near, local_index, n_local, n_threads,
                             &mine))
        (void)sched_setaffinity(0, sizeof(mine), &mine);
}

bool osw_slot_read_list(const char *text, cpu_set_t *out)
{
    CPU_ZERO(out);
    while (*text >= '0' && *text <= '9') {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;

        if (*end == '-' && end[1] >= '0' && end[1] <= '9')
            last = strtoul(end + 1, &end, 10);
        if (first > last || last >= CPU_SETSIZE)
            break;
        for (unsigned long cpu = first; cpu <= last; cpu++)
            CPU_SET(cpu, out);
        if (*end == '\0' || *end == '\n')
            return true;
        if (*end != ',')
            break;
        text = end + 1;
    }
    CPU_ZERO(out);
    return false;
}
