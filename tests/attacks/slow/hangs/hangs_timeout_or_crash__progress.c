/* hangs_timeout_or_crash__progress.c - Compiling, it says, for ever. */

#include "../../answer.h"

static size_t edit(unsigned char *m, size_t n)
{
    unsigned char progress = PROGRESS;

    (void)m;
    (void)n;
    for (;;) {
        say(&progress, 1);
        sleep_ms(50);
    }
}

int hangs_kernel_impl(const osw_call *call)
{
    edit_answers(edit);
    return scale(call);
}
