/* tests/simulate/clock.h - virtual time, which the simulator moves
 *
 * Everything that asks common/clock.h in this program gets virtual time: the
 * linker replaces clock_gettime() and nanosleep() (--wrap, see the Makefile).
 * The processor's own time is still there, to measure what the code costs.
 */
#ifndef OSW_TESTS_SIMULATE_CLOCK_H
#define OSW_TESTS_SIMULATE_CLOCK_H

#include <stdint.h>

/* Virtual nanoseconds, as osw_clock_ns() gives them; and set them.  They never
 * go back.
 */
int64_t sim_clock_ns(void);
void sim_clock_set(int64_t now_ns);

/* Real nanoseconds, and those of the processor that this process used. */
int64_t sim_clock_real_ns(void);
int64_t sim_clock_cpu_ns(void);

#endif /* OSW_TESTS_SIMULATE_CLOCK_H */
