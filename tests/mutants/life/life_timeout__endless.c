/* life_timeout__endless.c - never returns; waits meanwhile (one that computes:
 * tests/fixtures/ops/twice/twice_timeout__endless.c)
 */
#include <unistd.h>

#include "life.h"

int life_kernel_impl(const osw_call *call)
{
    (void)call;
    for (;;)
        usleep(10000);
}
