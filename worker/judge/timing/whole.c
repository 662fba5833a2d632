/* worker/judge/timing/whole.c - calls on inputs that are new in every element
 */
#include "worker/judge/timing/whole.h"

#include <math.h>

#include "common/clock.h"
#include "worker/judge/eval/checks.h"
#include "worker/judge/eval/random.h"
#include "worker/judge/timing/edited.h"
#include "worker/judge/timing/samples.h"

enum {
    ALL_NS = 20000000, /* what these calls may take together */
    LEAST_CALLS = 2,
    MOST_CALLS = 16,
    FEW_BYTES = 4 << 20, /* of inputs that may change for any call */
    BESIDE_NS = 1000,    /* of a call, by another process's clock */
    LAUNCH_NS = 20000,   /* a call that is no graph's takes more, at most */
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

/* Such calls take so many times as long, and more: their times count.  Less is
 * what caches and branches that are foreseen make.
 */
#define SLOWER       1.5
#define SLOWER_TRIES 3
#define SLOWER_NS    INT64_C(500000000) /* more tries, on a busy machine */

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

/* Two requests of two calls, before and after each of which they change. */
static bool is_affordable(const struct osw_measure_job *job,
                          const struct osw_blocks *s)
{
    return 8 * ns_of_bytes(job, s) <= (double)job->profile->time_cap_ns;
}

/* Many bytes change only for calls that take longer, by the baseline, or where
 * there is time for it.
 */
static bool can_ask(const struct osw_measure_job *job,
                    const struct osw_blocks *s, int64_t base_ns)
{
    double bytes = (double)osw_edited_bytes(&s->edits);

    /* Such calls are a check after timing, too. */
    return job->edits && OSW_CHECKS(WHOLE) && OSW_CHECKS(TIMED_RECHECK) &&
           !job->agree->gang && bytes > 0 &&
           (bytes <= FEW_BYTES || is_affordable(job, s) ||
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

/* The last call is the one that can be verified. */
static double last_claim(const struct osw_blocks *s)
{
    return s->reply.n ? (double)s->reply.samples[s->reply.n - 1] : INFINITY;
}

/* How many calls that take so long are made together, at most. */
static uint32_t n_calls(double call_ns)
{
    return (uint32_t)fmin(fmax(ALL_NS / (call_ns + 1), LEAST_CALLS),
                          MOST_CALLS);
}

/* Of so many at most, which of them is the last one cannot be foreseen. */
static uint32_t some(const struct osw_measure_job *job, uint32_t most)
{
    return LEAST_CALLS +
           (uint32_t)(osw_random_next(job->random) % (most - LEAST_CALLS + 1));
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
    *ns = fmax(*ns, last_claim(s));
    return 0;
}

/* Some calls that take so long, one by one: the last one to *ns, or what the
 * judge's clock says of the quickest, if that is more.
 */
static int ask(const struct osw_measure_job *job, struct osw_blocks *s,
               double call_ns, bool whole, double *ns)
{
    int rc;

    s->whole = whole;
    if (whole)
        call_ns += ns_of_bytes(job, s);
    rc = ask_both(job, s, some(job, n_calls(call_ns)), ns);
    s->whole = false;
    return rc;
}

/* As osw_whole_ask, of calls that take so long. */
static int ask_whole(const struct osw_measure_job *job, struct osw_blocks *s,
                     double call_ns)
{
    double ns;

    s->n_whole++;
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

/* What they may take.  On a device the times may be those of a graph, which
 * launches quicker, and such calls are none of a graph's: what others that are
 * launched likewise take counts, as far as launches explain it.  Code may know
 * whether it is captured.
 */
static int find_most(const struct osw_measure_job *job, struct osw_blocks *s,
                     double median_ns, double *most)
{
    double beside = job->own_memory ? ns_of_bytes(job, s) : 0, ns;
    int rc;

    *most = SLOWER * (median_ns + BESIDE_NS) + beside;
    if (!job->own_memory || s->whole_ns <= *most)
        return 0;
    s->live = true;
    rc = ask(job, s, s->whole_ns, false, &ns);
    s->live = false;
    ns = fmin(ns, median_ns + LAUNCH_NS);
    *most = SLOWER * (fmax(median_ns, ns) + BESIDE_NS) + beside;
    return rc;
}

/* Are they slower, also when they are made once more? */
static int ask_slower(const struct osw_measure_job *job, struct osw_blocks *s,
                      double median_ns, bool *slower)
{
    int64_t until = osw_clock_ns() + SLOWER_NS;
    double most;

    if (find_most(job, s, median_ns, &most) < 0)
        return -1;
    for (int i = 0; s->whole_ns > most &&
                    (i < SLOWER_TRIES || (i < TRIES && osw_clock_ns() < until));
         i++)
        if (ask_whole(job, s, s->whole_ns) < 0)
            return -1;
    *slower = s->whole_ns > most;
    return 0;
}

enum osw_whole osw_whole_compare(const struct osw_measure_job *job,
                                 struct osw_blocks *s, double median_ns)
{
    double most = FACTOR * (median_ns + BESIDE_NS) + ns_of_bytes(job, s), ns;
    int64_t t0 = osw_clock_ns();
    bool slower = false;
    int n_quick = 0;

    for (int i = 0; s->whole_ns > most && n_quick < ENOUGH; i++) {
        if (i == TRIES || osw_clock_ns() - t0 > TRIES_NS)
            return OSW_WHOLE_UNCLEAR;
        if (ask_whole(job, s, s->whole_ns) < 0)
            return OSW_WHOLE_FAILED;
        if (s->whole_ns <= most)
            break; /* its last call is to be verified */
        if (ask(job, s, s->whole_ns, false, &ns) < 0)
            return OSW_WHOLE_FAILED;
        n_quick += ns <= most;
    }
    if (s->whole_ns > most)
        return OSW_WHOLE_DIFFERS;
    if (ask_slower(job, s, median_ns, &slower) < 0)
        return OSW_WHOLE_FAILED;
    return slower ? OSW_WHOLE_SLOWER : OSW_WHOLE_SAME;
}

void osw_whole_begin(struct osw_blocks *s)
{
    s->n_inner = 1;
    s->n = 0;
    s->n_medians = 0;
}

/* The claims of the last request, where the judge's clock says more, that. */
static double median_of(struct osw_blocks *s)
{
    for (uint32_t i = 0; i < s->n_stamps; i++)
        if (!s->stamps[i].disturbed)
            s->reply.samples[i] =
                fmaxf(s->reply.samples[i],
                      (float)(s->stamps[i].wall_ns - s->floor_ns));
    return osw_samples_median_f32(s->reply.samples, s->reply.n, s->scratch);
}

static void keep(struct osw_blocks *s, double median)
{
    if (s->n_medians < 2 * OSW_BLOCKS_MAX_ROUNDS)
        s->medians[s->n_medians++] = median;
    for (uint32_t i = 0; s->samples && i < s->reply.n; i++)
        if (s->n < OSW_RECORD_MAX_SAMPLES)
            s->samples[s->n++] = s->reply.samples[i];
}

/* The block that counts is the last one, which may be verified. */
static int take(const struct osw_measure_job *job, struct osw_blocks *s)
{
    uint32_t n = n_calls(s->whole_ns > 0 ? s->whole_ns : (double)s->call_ns);
    double stamped = 0, median;

    if (s->watched) {
        if ((s->floor_ns == 0 && osw_blocks_probe_stamps(job, s) < 0) ||
            osw_blocks_ask_stamped(job, s, n, 1) < 0)
            return -1;
        stamped = median_of(s);
    }
    if (osw_blocks_ask(job, s, n, 1) < 0)
        return -1;
    median = median_of(s);
    for (uint32_t i = 0; median < stamped && i < s->reply.n; i++)
        s->reply.samples[i] = fmaxf(s->reply.samples[i], (float)stamped);
    keep(s, fmax(median, stamped));
    return 0;
}

enum osw_blocks_kept osw_whole_take(const struct osw_measure_job *job,
                                    struct osw_blocks *s)
{
    int rc;

    s->whole = true;
    rc = take(job, s);
    s->whole = false;
    return rc < 0 ? OSW_BLOCKS_FAILED : OSW_BLOCKS_KEPT;
}
