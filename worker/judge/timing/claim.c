/* worker/judge/timing/claim.c - can the times that a sandbox claims be true? */
#include "worker/judge/timing/claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "worker/judge/process/watch.h"
#include "worker/judge/timing/samples.h"

/* By how much the cost of one request may exceed another's. */
#define SLACK_NS 10000.0
/* A sandbox that a request wakes up hardly waits longer for a core. */
#define WAKE_NS  20e6

enum {
    COPIES = 4,
    LEAST_UNDISTURBED = 3, /* samples that refute a claim */
    ENOUGH = 12,           /* points that make a claim false: */
    POINTS_REFUTED = 2,
    POINTS_DOUBTED = 1,
    POINTS_CONFIRMED = 4, /* against it */
};

struct osw_claim_account
osw_claim_account_now(const struct osw_sandbox *sandbox)
{
    int64_t own_ns = osw_watch_waited(gettid());
    int64_t held_ns = osw_watch_waited(sandbox->pid);

    return (struct osw_claim_account){.held_ns = own_ns + held_ns,
                                      .judge_held_ns = own_ns,
                                      .held_known = own_ns > 0 || held_ns > 0,
                                      .cpu_ns = osw_sandbox_cpu_ns(sandbox),
                                      .wall_ns = osw_clock_ns()};
}

struct osw_claim_account
osw_claim_account_since(const struct osw_claim_account *then,
                        const struct osw_sandbox *sandbox)
{
    int64_t wall_ns = osw_clock_ns() - then->wall_ns;
    struct osw_claim_account now = osw_claim_account_now(sandbox);

    now.wall_ns = wall_ns;
    now.held_ns -= then->held_ns;
    now.judge_held_ns -= then->judge_held_ns;
    now.cpu_ns -= then->cpu_ns;
    return now;
}

/* By processor time, and by time without waits for a core: each excludes the
 * time that a busy machine takes.
 */
static double busy_ns(const struct osw_claim_beside *beside,
                      const struct osw_claim_account *a, int n_threads)
{
    return ((double)a->cpu_ns - beside->cpu_ns) / n_threads;
}

static double unheld_ns(const struct osw_claim_beside *beside,
                        const struct osw_claim_account *a)
{
    return a->held_known ? (double)(a->wall_ns - a->held_ns) - beside->run_ns
                         : 0;
}

/* By the judge's clock, without the longest waits for a core that no sample
 * shows.  Other waits fall in samples, so a block that is long against these
 * claims nearly all of its time, however busy the machine is.
 */
static double shown_ns(const struct osw_claim_beside *beside,
                       const struct osw_claim_account *a)
{
    return a->held_known ? (double)(a->wall_ns - a->judge_held_ns) - WAKE_NS -
                               beside->wall_ns
                         : 0;
}

enum osw_claim_verdict osw_claim_judge(double claimed_ns,
                                       const struct osw_claim_beside *beside,
                                       const struct osw_claim_account *a,
                                       int n_threads)
{
    double claim = claimed_ns + SLACK_NS;
    double most = (double)a->wall_ns - beside->wall_ns;

    if (claim >= OSW_CLAIM_LEAST * most)
        return OSW_CLAIM_CONFIRMED;
    if (claim < OSW_CLAIM_LEAST * busy_ns(beside, a, n_threads) ||
        claim < OSW_CLAIM_LEAST * shown_ns(beside, a))
        return OSW_CLAIM_REFUTED;
    return claim < OSW_CLAIM_LEAST * unheld_ns(beside, a) ? OSW_CLAIM_DOUBTED
                                                          : OSW_CLAIM_UNCLEAR;
}

/* Claims over the judge's times, sorted; of undisturbed samples only, or of
 * all.
 */
static size_t ratios(const float *claims_ns,
                     const struct osw_claim_stamp *stamps, size_t n,
                     double floor_ns, bool undisturbed, double *out)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++)
        if (!undisturbed || !stamps[i].disturbed)
            out[used++] = ((double)claims_ns[i] + floor_ns) / stamps[i].wall_ns;
    osw_samples_sort(out, used);
    return used;
}

enum osw_claim_verdict
osw_claim_judge_stamped(const float *claims_ns,
                        const struct osw_claim_stamp *stamps, size_t n,
                        double floor_ns, bool held_known, double *scratch)
{
    size_t enough = n < LEAST_UNDISTURBED ? n : LEAST_UNDISTURBED;

    if (ratios(claims_ns, stamps, n, floor_ns, false, scratch) == 0)
        return OSW_CLAIM_UNCLEAR;
    if (osw_samples_quantile(scratch, n, 0.5) >= OSW_CLAIM_LEAST)
        return OSW_CLAIM_CONFIRMED;
    if (!held_known)
        return OSW_CLAIM_DOUBTED;
    n = ratios(claims_ns, stamps, n, floor_ns, true, scratch);
    return n >= enough &&
                   osw_samples_quantile(scratch, n, 0.5) < OSW_CLAIM_LEAST
               ? OSW_CLAIM_REFUTED
               : OSW_CLAIM_UNCLEAR;
}

double osw_claim_least_ns(const struct osw_claim_beside *beside,
                          const struct osw_claim_account *a, int n_threads)
{
    return fmax(busy_ns(beside, a, n_threads), unheld_ns(beside, a));
}

uint32_t osw_claim_blocks(const struct osw_claim_tally *t)
{
    return t->confirmed + t->unclear + t->doubted + t->refuted;
}

void osw_claim_count(struct osw_claim_tally *t, enum osw_claim_verdict verdict)
{
    t->confirmed += verdict == OSW_CLAIM_CONFIRMED;
    t->unclear += verdict == OSW_CLAIM_UNCLEAR;
    t->doubted += verdict == OSW_CLAIM_DOUBTED;
    t->refuted += verdict == OSW_CLAIM_REFUTED;
}

bool osw_claim_is_false(const struct osw_claim_tally *t)
{
    return POINTS_REFUTED * t->refuted + POINTS_DOUBTED * t->doubted >=
           ENOUGH + POINTS_CONFIRMED * t->confirmed;
}

double osw_claim_copy_ns(uint64_t bytes)
{
    char *from = bytes ? malloc(bytes) : NULL,
         *to = bytes ? malloc(bytes) : NULL;
    int64_t least = bytes ? INT64_MAX : 0;
    volatile char kept = 0; /* else the compiler may drop the copies */

    if (from)
        memset(from, 1, bytes);
    for (int i = 0; i < COPIES && from && to; i++) {
        int64_t t0 = osw_clock_ns();

        memcpy(to, from, bytes);
        kept = to[bytes / 2];
        t0 = osw_clock_ns() - t0;
        least = t0 < least ? t0 : least;
    }
    (void)kept;
    free(from);
    free(to);
    return least < INT64_MAX ? (double)least : 0;
}
