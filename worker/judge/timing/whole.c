/* worker/judge/timing/whole.c - calls on inputs that are new in every element
 */
#include "worker/judge/timing/whole.h"

#include <math.h>

#include "worker/judge/eval/checks.h"
#include "worker/judge/timing/edited.h"

enum {
    ALL_NS = 20000000, /* what these calls may take together */
    LEAST_CALLS = 2,
    MOST_CALLS = 16,
    FEW_BYTES = 4 << 20, /* of inputs that may change for any call */
    BESIDE_NS = 1000,    /* of a call, by another process's clock */
    FACTOR = 8,          /* for branches that are no longer foreseen */
    TRIES = 4,           /* before the answer is no */
};

/* What changes inputs takes half as long, and what reads them from memory, and
 * no longer from caches, less.  On a device it is ten times what reading takes.
 */
#define NS_PER_BYTE        2.0
#define DEVICE_NS_PER_BYTE 0.005

static double ns_of_bytes(const struct osw_measure_job *job,
                          const struct osw_blocks *s)
{
    return (job->own_memory ? DEVICE_NS_PER_BYTE : NS_PER_BYTE) *
           (double)osw_edited_bytes(&s->edits);
}

static int64_t long_ns(const struct osw_blocks *s, int64_t base_ns)
{
    return s->call_ns > base_ns ? s->call_ns : base_ns;
}

/* Many bytes change only for calls that take longer, by the baseline. */
static bool can_ask(const struct osw_measure_job *job,
                    const struct osw_blocks *s, int64_t base_ns)
{
    double bytes = (double)osw_edited_bytes(&s->edits);

    /* Such calls are a check after timing, too. */
    return job->edits && OSW_CHECKS(WHOLE) && OSW_CHECKS(TIMED_RECHECK) &&
           !job->agree->gang && bytes > 0 &&
           (bytes <= FEW_BYTES ||
            (double)long_ns(s, base_ns) > ns_of_bytes(job, s));
}

/* Of calls that no wait for a core disturbed; 0: there are none. */
static double quickest_stamp(const struct osw_blocks *s)
{
    double ns = INFINITY;

    for (uint32_t i = 0; i < s->n_stamps; i++)
        if (!s->stamps[i].disturbed)
            ns = fmin(ns, s->stamps[i].wall_ns);
    return isinf(ns) ? 0 : ns;
}

static double quickest_claim(const struct osw_blocks *s)
{
    double ns = INFINITY;

    for (uint32_t i = 0; i < s->reply.n; i++)
        ns = fmin(ns, (double)s->reply.samples[i]);
    return ns;
}

/* On a processor by the judge's clock, which stands around each call; and
 * without it, since before a call that it follows there is time to work ahead.
 */
static int ask_both(const struct osw_measure_job *job, struct osw_blocks *s,
                    uint32_t n, double *ns)
{
    *ns = 0;
    if (s->watched && osw_blocks_ask_stamped(job, s, n, 1) < 0)
        return -1;
    if (s->watched && s->n_stamps > 0)
        *ns = quickest_stamp(s);
    if (osw_blocks_ask(job, s, n, 1) < 0)
        return -1;
    *ns = fmax(*ns, quickest_claim(s));
    return 0;
}

int osw_whole_ask(const struct osw_measure_job *job, struct osw_blocks *s,
                  int64_t base_ns)
{
    int64_t n = ALL_NS / long_ns(s, base_ns);
    double ns;
    int rc;

    if (!can_ask(job, s, base_ns))
        return 0;
    n = n < LEAST_CALLS ? LEAST_CALLS : n > MOST_CALLS ? MOST_CALLS : n;
    s->whole = true;
    rc = ask_both(job, s, (uint32_t)n, &ns);
    s->whole = false;
    if (rc == 0 && (s->whole_ns == 0 || ns < s->whole_ns))
        s->whole_ns = ns;
    return rc;
}

int osw_whole_differs(const struct osw_measure_job *job, struct osw_blocks *s,
                      int64_t base_ns, double median_ns)
{
    double most = FACTOR * (median_ns + BESIDE_NS) + ns_of_bytes(job, s);

    for (int i = 0; i < TRIES && s->whole_ns > most; i++)
        if (osw_whole_ask(job, s, base_ns) < 0)
            return -1;
    return s->whole_ns > most;
}
