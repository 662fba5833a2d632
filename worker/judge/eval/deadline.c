/* worker/judge/eval/deadline.c - how long one call may take */
#include "worker/judge/eval/deadline.h"

/* A time that no sum of two overflows. */
#define MOST_NS (INT64_MAX / 4)

static int64_t times(int64_t ns, int64_t factor)
{
    if (ns <= 0)
        return 0;
    return ns < MOST_NS / factor ? ns * factor : MOST_NS;
}

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t osw_deadline_of_call(int64_t prediction_ns, int64_t reference_ns,
                             int64_t floor_ns)
{
    int64_t work = longer(times(prediction_ns, OSW_DEADLINE_PREDICTIONS),
                          times(reference_ns, OSW_DEADLINE_REFERENCES));

    return longer(work, floor_ns);
}

int64_t osw_deadline_floor(double op_timeout_s, int64_t campaign_ns,
                           int64_t default_ns, int64_t least_ns)
{
    int64_t floor_ns = campaign_ns > 0 ? campaign_ns : default_ns;

    if (op_timeout_s > 0)
        floor_ns = op_timeout_s < (double)MOST_NS * 1e-9
                       ? (int64_t)(op_timeout_s * 1e9)
                       : MOST_NS;
    return longer(floor_ns, least_ns);
}
