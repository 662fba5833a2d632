/* worker/judge/timing/whole.c - calls on inputs that are new in every element
 */
#include "worker/judge/timing/whole.h"

#include <math.h>

#include "common/clock.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/timing/edited.h"

enum {
    ALL_NS = 20000000, /* what these calls may take together */
    LEAST_CALLS = 2,
    MOST_CALLS = 16,
    FEW_BYTES = 4 << 20, /* of inputs that may change for any call */
    BESIDE_NS = 1000,    /* of a call, by another process's clock */
    FACTOR = 8,          /* for branches that are no longer foreseen */
    TRIES = 64,          /* before it is unclear */
    /* Tries in which calls with one new element were quick, and those with all
     * elements new were not.  Where a busy machine makes both slow, a try in
     * which one kind is quick is as likely for the other: by chance, one in
     * 1,024.
     */
    ENOUGH = 10,
};

#define TRIES_NS INT64_C(10000000000) /* and what they may take */

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

/* Some calls that take so long, one by one: the quickest to *ns. */
static int ask(const struct osw_measure_job *job, struct osw_blocks *s,
               double call_ns, bool whole, double *ns)
{
    double n = fmin(fmax(ALL_NS / (call_ns + 1), LEAST_CALLS), MOST_CALLS);
    int rc;

    s->whole = whole;
    rc = ask_both(job, s, (uint32_t)n, ns);
    s->whole = false;
    return rc;
}

/* As osw_whole_ask, of calls that take so long. */
static int ask_whole(const struct osw_measure_job *job, struct osw_blocks *s,
                     double call_ns)
{
    double ns;

    if (ask(job, s, call_ns, true, &ns) < 0)
        return -1;
    if (s->whole_ns == 0 || ns < s->whole_ns)
        s->whole_ns = ns;
    return 0;
}

int osw_whole_ask(const struct osw_measure_job *job, struct osw_blocks *s,
                  int64_t base_ns)
{
    return can_ask(job, s, base_ns)
               ? ask_whole(job, s, (double)long_ns(s, base_ns))
               : 0;
}

enum osw_whole osw_whole_compare(const struct osw_measure_job *job,
                                 struct osw_blocks *s, double median_ns)
{
    double most = FACTOR * (median_ns + BESIDE_NS) + ns_of_bytes(job, s), ns;
    int64_t t0 = osw_clock_ns();
    int n_quick = 0;

    for (int i = 0; s->whole_ns > most && n_quick < ENOUGH; i++) {
        if (i == TRIES || osw_clock_ns() - t0 > TRIES_NS)
            return OSW_WHOLE_UNCLEAR;
        if (ask_whole(job, s, s->whole_ns) < 0 ||
            ask(job, s, s->whole_ns, false, &ns) < 0)
            return OSW_WHOLE_FAILED;
        n_quick += ns <= most;
    }
    return s->whole_ns > most ? OSW_WHOLE_DIFFERS : OSW_WHOLE_SAME;
}
