/* worker/slot.h - which cores a worker and its sandboxes use
 *
 * Judge and sandbox of one worker take turns: on the same core the answer of
 * one wakes the other without another core having to wake up first, and finds
 * its data in that core's caches.
 */
#ifndef OSW_WORKER_SLOT_H
#define OSW_WORKER_SLOT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct osw_slot {
    size_t first; /* index among the usable cores */
    size_t n;     /* 0: no slot of its own, all cores */
};

/* The slot of worker `local_index` of n_local on a node with n_cores usable
 * ones, n_threads each: consecutive cores, when there are enough for all.
 */
struct osw_slot osw_slot_choose(size_t n_cores, int32_t local_index,
                                int32_t n_local, uint32_t n_threads);

/* Keep the calling thread, and what it starts from now on, to its slot.  A
 * launcher's binding to fewer cores than n_threads is undone.
 */
void osw_slot_enter(int32_t local_index, int32_t n_local, uint32_t n_threads);

/* The cores of worker `local_index`, near its device: near[k] [n_local] are
 * those near the device of worker k, none where that is not known.  Each worker
 * gets its n_threads from its own, as far as they go; then workers that lack
 * some take what is left.  false: there are not enough for all, and *out is
 * empty.
 */
bool osw_slot_choose_near(const cpu_set_t *usable, const cpu_set_t *near,
                          int32_t local_index, int32_t n_local,
                          uint32_t n_threads, cpu_set_t *out);

/* As osw_slot_enter(), by osw_slot_choose_near(). */
void osw_slot_enter_near(const cpu_set_t *near, int32_t local_index,
                         int32_t n_local, uint32_t n_threads);

/* "0-15,64-79", as the kernel writes cores, to *out.  false: it is no such
 * list, and *out is empty.
 */
bool osw_slot_read_list(const char *text, cpu_set_t *out);

#endif /* OSW_WORKER_SLOT_H */
