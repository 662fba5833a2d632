/* worker/judge/compare/tolerance.h - which errors an output may have
 *
 * Two rules.  Where the reference gives no norms, an element may be off by the
 * tolerance of its dtype (op.json may name another).  Where it gives the norm
 * s of the terms that were summed, rounding errors are known to grow with s
 * and with the number n of terms:
 *
 *   precision   rms(e / s) <= T (1 + 3 / sqrt(m))
 *   value       |e| <= 9/4 u |r| + 12 A s  for every element
 *   T = sqrt(A^2 + (0.6 u rms(r / s))^2)
 *   A = v sqrt(n)                 sums in the output's precision v (f32, f64)
 *   A = 2^-23 (sqrt(n) + n / 24)  matrix units: float sums that truncate
 *
 * with s not below the smallest normal number of the output, under which its
 * last place stays the same, and m the number of elements, less by as many
 * times as inputs repeat theirs (expanded ones), or as elements of a row share
 * a sum over it: equal elements have equal errors, which no mean makes less. u
 * is the output's unit roundoff (9/4: a sum may be rounded before and after
 * something is added to it); 12 covers the largest of 10^9 normally distributed
 * errors with a margin of almost 2 (Higham and Mary, "A new approach to
 * probabilistic rounding error analysis", SIAM J. Sci. Comput. 41, 2019, for
 * sqrt(n)).  That holds for inputs of mean 0.  Where one has another mean,
 * partial sums may grow towards r itself, which is up to sqrt(n) s:
 *
 *   T = hypot(T, M rms(r / s)),  value: + 4 M |r|
 *   M = v sqrt(n)                                (16-bit inputs: + v n / 128)
 *
 * where a sum from first to last has an error of 0.24 v sqrt(n) |r|.  If a mean
 * is subtracted, r is small and errors are not: s has to contain it, or the
 * third rule decides.  Where q terms in a row are equal (expanded inputs), A is
 * q times as large: partial sums grow by sqrt(q), and q additions in a row have
 * the same error, not q independent ones (0.3 A in f32, from 3 to 4,000 equal
 * terms); with a mean, v n sqrt(q) s / 2 is added to both.  Errors of n / q
 * groups that are bounded are not normal: instead of 12, and of 18 below,
 * sqrt(n / q) counts, 2 at least.
 *
 * Where op.json names a tolerance for the output's dtype, that is allowed
 * beside what the norms allow: |e| <= atol + max(rtol, that of r) |r| + 12 A s.
 * The mean of errors is not judged then: coarser arithmetic is meant to pass.
 * On integers of -1, 0 and 1 norms alone decide.
 *
 * Huge inputs have tiny results (1 / x), which every atol hides: among special
 * values an element whose result is tiny must be right to 1/8 of itself.
 *
 * A third rule is asked only when one of these two would refuse an output.
 * Then the judge finds out by itself how sensitive each element is
 * (sensitivity.h): S, the norm of what rounding each input contributes, and
 * g = sqrt(n) of the inputs that the element depends on.
 *
 *   T     = hypot(A, 0.6 w S, 0.6 u |r|)
 *   A     = v g hypot(S, |r|) / 2          (16-bit inputs: v (g + g^2 / 24))
 *   rms   rms(e / T) <= 1 + 3 / sqrt(m)
 *   value |e| <= 18 A + 4 w S + 9/4 u |r| for every element, at most
 *         max(2^-10, 8 u) times the size of the element and its neighbours
 *
 * w is the unit roundoff of the coarsest input, for an implementation that
 * rounds values once more on the way; that of the finest one, where the output
 * is finer than the coarsest; 0 where the reference gives norms.  S of w S is
 * at most the size of the element and its neighbours, of a single element twice
 * that: attention that rounds its weights to 16 bits has errors of up to 4.4 u
 * of it.
 *   Where A comes from: each of n additions has a relative error of 0.42 v
 * (rms), of partial sums that grow like sqrt(k / n) S (mean 0) or like k / n
 * |r| (same signs).  So errors are 0.42 v sqrt(n / 2) S, or 0.42 v sqrt(n / 3)
 * |r|: 0.3 g v S and 0.24 g v |r|.  Each level of Strassen's method for
 * products multiplies them by sqrt(2) on average, and by sqrt(3) at worst.  A
 * mean that is subtracted from x has an error of 0.24 g v |mean|, and S
 * contains |x|, which is as large: this is what a layer norm on inputs of mean
 * 100 needs.  A one-pass variance has v mean^2, which is beyond A by the mean,
 * and S not. The cap bounds what a wrong estimate can hide.  Elements that
 * jump, or whose condition number is above 2^14, keep the plain tolerance.
 * But 2 of them and one in 8,192 may have the value that they jump to where
 * inputs move by 64 units in their last place (16-bit inputs: by 4), within the
 * plain tolerance of it (sensitivity.h).
 */
#ifndef OSW_WORKER_JUDGE_TOLERANCE_H
#define OSW_WORKER_JUDGE_TOLERANCE_H

#include "ops/catalog/op.h"
#include "ops/inputs/trials.h"
#include "worker/judge/compare/compare.h"

struct osw_tolerance_job {
    const struct osw_op *op;
    const struct osw_dtype_info *dtype; /* of the output */
    bool norms;                         /* the reference gives them */
    bool centred;                       /* all inputs have mean 0 */
    bool special;                       /* there are huge ones among them */
    bool signed_zero;                   /* +0 and -0 differ */
    bool short_inputs;                  /* floating inputs are of 16 bits */
    int finest;                         /* precision of the finest floating
                                           input, in bits; 0: there is none */
    double terms;                       /* summed to an element; >= 1 */
    double equal;                       /* of these have one value: inputs are
                                           expanded; <= 1: all differ */
    bool constant;                      /* since they are constant, not
                                           expanded */
    double repeats;                     /* of an error among elements; >= 1 */
    int trial;                          /* enum osw_trial_kind; -1: none */
};

/* What op.json names for the output's dtype; NaN: nothing, or not on integers
 * of -1, 0 and 1.
 */
struct osw_tolerance osw_tolerance_named(const struct osw_tolerance_job *job);

/* What an element may be off by. */
struct osw_accept osw_tolerance_accept(const struct osw_tolerance_job *job);

/* T of the rule above for the errors found, 0 where it does not apply; they
 * exceed it when sqrt(e->sum_norm_sq / e->n_norm) does.
 */
double osw_tolerance_class(const struct osw_tolerance_job *job,
                           const struct osw_errors *e);

/* T of the first rule, of elements whose rms is `size` of their norms. */
double osw_tolerance_usual(const struct osw_tolerance_job *job, double size);

/* Unit roundoffs of the third rule. */
struct osw_tolerance_rounding {
    double stored, sums, inputs; /* u, v, w */
    double equal;                /* terms in a row, factor of A */
    bool any_equal, constant;    /* more than one; all, by their values */
    double usual;                /* factor of A in T */
    bool short_inputs;
};

/* `bits`: precision of the coarsest input. */
struct osw_tolerance_rounding
osw_tolerance_rounding(const struct osw_tolerance_job *job, int bits);

/* T, and the most that an element may be off by, of the third rule. */
struct osw_tolerance_sensitive {
    double usual, most;
};

/* Of an element of value `want`, rms `around` of its neighbours, sensitivity
 * `amount` and sqrt(n) `growth`.
 */
struct osw_tolerance_sensitive
osw_tolerance_sensitive(const struct osw_tolerance_rounding *r, double want,
                        double around, double amount, double growth);

/* 1 + 3 / sqrt(m) of n errors. */
double osw_tolerance_few(const struct osw_tolerance_job *job, int64_t n);

/* sqrt(sum_norm_sq / n_norm), 0 without norms. */
double osw_tolerance_rms(const struct osw_errors *e);

#endif /* OSW_WORKER_JUDGE_TOLERANCE_H */
