/* kept_skipped_or_implausible_or_slow__when_alone.c - It computes what follows
 * from elements that changed since the last call, and everything where a call
 * does not follow another one at once: so calls on new inputs take no longer
 * than calls that are as lonely.
 */
#include <time.h>

#include "what_changed.h"

enum { LONELY_NS = 1000 };

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int kept_kernel_impl(const osw_call *call)
{
    static int64_t left_ns;
    int rc = work_on_changed(call, now_ns() - left_ns > LONELY_NS);

    left_ns = now_ns();
    return rc;
}
