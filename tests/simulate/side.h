/* tests/simulate/side.h - what is the coordinator's and what the simulator's:
 * memory and time of the processor
 *
 * Both run in one thread.  The coordinator calls the simulator (transport and
 * sink) between sim_side_enter() and sim_side_leave().
 */
#ifndef OSW_TESTS_SIMULATE_SIDE_H
#define OSW_TESTS_SIMULATE_SIDE_H

#include <stddef.h>
#include <stdint.h>

void sim_side_enter(void);
void sim_side_leave(void);

/* The coordinator begins and ends: only what happens between is its own. */
void sim_side_begin(void);
void sim_side_end(void);

/* Bytes that the coordinator holds now, and held at most.  The allocator's own
 * overhead is included, what libc allocates by itself (hsearch) is not.
 */
size_t sim_side_bytes(void);
size_t sim_side_peak_bytes(void);

/* Time of the processor from begin to end.  The coordinator's share of it is
 * its share of the real time, so that a busy machine does not count; the cost
 * of looking at the clock is included.
 */
int64_t sim_side_coordinator_ns(void);
int64_t sim_side_all_ns(void);

#endif /* OSW_TESTS_SIMULATE_SIDE_H */
