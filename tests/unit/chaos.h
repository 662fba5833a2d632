/* tests/unit/chaos.h - make the n-th allocation fail
 *
 * Every unit test is linked with malloc, calloc, realloc and strdup of our
 * own code (not of libraries) redirected here.  The loop:
 *
 *     for (int n = 0, struck = 1; struck; n++) {
 *         chaos_arm(n);
 *         rc = osw_thing(...);
 *         struck = chaos_struck();
 *         assert_int_equal(rc, struck ? -1 : 0);
 *     }
 */
#ifndef OSW_TESTS_UNIT_CHAOS_H
#define OSW_TESTS_UNIT_CHAOS_H

#include <stdbool.h>

/* Let `skip` allocations pass, fail the one after them. */
void chaos_arm(int skip);

/* Disarm; did it happen? */
bool chaos_struck(void);

#endif /* OSW_TESTS_UNIT_CHAOS_H */
