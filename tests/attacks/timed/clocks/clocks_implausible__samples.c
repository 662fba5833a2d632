/* clocks_implausible__samples.c -
 * Samples are divided by eight on their way to the judge.
 */

#include "../../answer.h"
#include "../../clock.h"

static size_t edit(unsigned char *m, size_t n)
{
    /* The samples are the last of the message: 4 bytes each. */
    if (m[0] == SAMPLES)
        for (size_t i = n; i >= 18; i -= 4) {
            float sample;

            memcpy(&sample, m + i - 4, 4);
            if (!(sample > 1000.0F && sample < 1e9F))
                break;
            sample /= 8;
            memcpy(m + i - 4, &sample, 4);
        }
    return n;
}

int clocks_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return slow_scale(call);
}
