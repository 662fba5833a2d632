/* worker/judge/timing/device_clock.h - what a call takes on a device by the
 * judge's own clock
 *
 * Clocks in the process of the op code can lie.  The judge sees from outside
 * how long a request takes: one with k calls a sample, and one with 3 k.  Their
 * difference is that of 2 k calls; what a request costs by itself drops out.
 * Where inputs are restored before each call, it is n samples and 3 n, less the
 * same without calls.
 *
 * A device that works for others, too, makes either request longer, so that a
 * difference can come out too long or too short.  Only pairs in which three
 * times as many take two to three times as long count; and none counts
 * against a claim while a computation of the judge's own is slow, too, or
 * sandbox and judge wait for a core.  Where a processor does the device's work,
 * such waits are left out instead, by the kernel's account.
 *
 * Upstream: blocks.h asks for calls.  Downstream: measure.c.
 */
#ifndef OSW_WORKER_JUDGE_DEVICE_CLOCK_H
#define OSW_WORKER_JUDGE_DEVICE_CLOCK_H

#include <stdbool.h>

#include "worker/judge/timing/blocks.h"
#include "worker/judge/timing/claim.h"

/* Claims below this share of the judge's clock are refuted. */
#define OSW_DEVICE_CLOCK_LEAST 0.5

/** Do these times, of k calls and of 3 k, show calls and not other work? */
bool osw_device_clock_is_steady(double once_ns, double thrice_ns);

/** A pair: what it says of a call, ns, and what may have made that wrong. */
struct osw_device_clock_pair {
    double call_ns;
    double own_ns; /* what its own samples claim; INFINITY: another clock's */
    bool steady;
    bool crowded;  /* a computation of the judge's own was slow, too, or waits
                      for a core are part of call_ns */
    bool held;     /* sandbox or judge waited for a core */
    bool restored; /* what comes before each call is taken off */
};

/* What was found out about a call by the pairs so far. */
struct osw_device_clock {
    double least_ns; /* of the pairs against the claim; INFINITY: none */
    double claim_ns; /* that the least is held against */
    int n_against, n_pairs;
    int n_for; /* of those that may say too little: for it less against it */
};

/**
 * Add a pair.  CONFIRMED: the claim can be true.  REFUTED: enough pairs say
 * that it is not, while nothing else kept device or processors busy.  UNCLEAR:
 * another pair is needed; after the last one it stays unclear.
 *
 * Steady requests of calls say three quarters of what a call takes at least,
 * whatever disturbs them.  A wait for a core makes a difference too long or too
 * short, and the account of waits is not exact; where inputs are restored,
 * calls can be a small part of two long times.  So such pairs confirm a claim
 * only where several more of them do than not, and pairs with waits are against
 * it only where a call takes four times as long, and not if they are crowded.
 *
 * Calls of a gang take several times as long when ranks sleep while they wait
 * for each other, and not when they are awake: a claim from slow calls would
 * cover a false clock in quick ones.  So what a pair's own samples claim is
 * held against it, too.
 */
enum osw_claim_verdict
osw_device_clock_add(struct osw_device_clock *c, double claim_ns,
                     const struct osw_device_clock_pair *pair);

/** Is a call of so many ns one that the claim can stand for? */
bool osw_device_clock_allows(double claim_ns, double call_ns);

/**
 * Hold a claim, ns per call, against the judge's clock; when it is refuted,
 * `*claim_ns` becomes the one that was.  `hot_ns` is what a
 * call claims with warm caches, `sample_ns` what a sample does.  In
 * `*judged_ns` is what the judge saw: the least, since other work only adds to
 * it; NaN: calls failed.
 */
enum osw_claim_verdict osw_device_clock_check(const struct osw_measure_job *job,
                                              struct osw_blocks *s,
                                              double *claim_ns, double hot_ns,
                                              double sample_ns,
                                              double *judged_ns);

#endif /* OSW_WORKER_JUDGE_DEVICE_CLOCK_H */
