/* worker/judge/compare/sensitivity.h - how sensitive output elements are to
 * rounding
 *
 * The judge runs the float64 reference again on inputs that are perturbed in
 * their last place, as in Monte Carlo arithmetic (D. Stott Parker, "Monte Carlo
 * arithmetic", UCLA CSD-970002, 1997) and in the CESTAC method of CADNA
 * (J. Vignes, Numerical Algorithms 37, 2004).  This file perturbs, and turns
 * the differences into two numbers for each element:
 *
 *   amount  S: the spread of the element divided by the relative size of the
 *           perturbation, sqrt(sum_j (x_j dy/dx_j)^2).  For a sum this is the
 *           L2 norm of its terms.
 *   growth  sqrt(n) of the n inputs that the element depends on.  Level k
 *           perturbs each input with probability 4^-k.  An element of n inputs
 *           reacts to a level with probability 1 - exp(-n 4^-k), which is close
 *           to 1 up to level log4(n): each level doubles sqrt(n).
 *
 * tolerance.h has the rule that uses both.  A few samples may happen to be
 * small, so elements are pooled with their neighbours in row-major order.
 *
 * Pure arithmetic on the host's memory, by n_threads threads
 * (common/parallel.h), the same for any number of them.  Upstream:
 * eval/appeal.c.
 */
#ifndef OSW_WORKER_JUDGE_SENSITIVITY_H
#define OSW_WORKER_JUDGE_SENSITIVITY_H

#include "worker/judge/compare/compare.h"
#include "worker/judge/compare/tolerance.h"

enum {
    OSW_SENSITIVITY_PAIRS = 3,   /* of runs on all inputs, +d and -d */
    OSW_SENSITIVITY_LEVELS = 12, /* at most: n up to 4^12 */
    OSW_SENSITIVITY_POOL = 16,   /* neighbours */
};

/* Differences below this part of the value are rounding errors of the reference
 * itself.
 */
#define OSW_SENSITIVITY_NOISE 0x1p-48

/* Which inputs a run perturbs, and in which direction. */
struct osw_sensitivity_run {
    uint64_t seed;
    int level;      /* each input with probability 4^-level */
    bool backwards; /* the other direction of the same run */
    bool wide;      /* 64 units in place of one; of 16-bit inputs four */
};

/* The precision, in bits, that inputs of these dtypes are perturbed at: that
 * of the coarsest one; 0 when none is floating.  Inputs of float64 are
 * perturbed at 37 bits, far above the rounding errors of the reference.
 */
int osw_sensitivity_bits(int bits, enum osw_dtype_id dtype);

/* Units that a wide run moves inputs by, which have that precision. */
double osw_sensitivity_wide(int bits);

/* Likewise the precision of the finest one, as it is stored. */
int osw_sensitivity_finest(int bits, enum osw_dtype_id dtype);

/* Perturb all elements of one dtype in `bytes` of memory, by one unit in the
 * last of `bits` places; in a run of a level above 0 by up to 2^(bits/3) of
 * them. Zeros, infinities and NaN stay.  `tensor` numbers the tensors of a run.
 */
void osw_sensitivity_perturb(const struct osw_sensitivity_run *run, int bits,
                             enum osw_dtype_id dtype, uint32_t tensor,
                             unsigned n_threads, void *data, uint64_t bytes);

/* An element that jumps where inputs move in a wide run, and where to: such a
 * number was rounded, or compared, and lies near the place where that changes.
 */
struct osw_sensitivity_jump {
    int64_t at; /* index of the element */
    double value;
};

/* Of the elements of one output. */
struct osw_sensitivity {
    int64_t n;
    float *amount; /* [n] S; below 0: not smooth, nothing is known */
    float *growth; /* [n] sqrt(n), >= 1 */
    const struct osw_sensitivity_jump *jumps; /* [n_jumps], in order */
    int64_t n_jumps;
};

/* Sums over pairs of runs, of each element: squares of its differences, and by
 * how much these are not opposite.  They begin as zeros.
 */
struct osw_sensitivity_sums {
    double *sq, *bent; /* [n] */
};

/* Add a pair of runs: `plus` and `minus` beside the unperturbed values `base`,
 * [n] each.  A smooth function answers both with opposite differences p and m;
 * one that jumps answers one of them.  Where p happens to be small, p + m of a
 * smooth one may not be: so all pairs together tell, |p + m| - (|p| + |m|) / 2
 * of each added up.
 */
void osw_sensitivity_add_pair(const double *base, const double *plus,
                              const double *minus, int64_t n,
                              unsigned n_threads,
                              const struct osw_sensitivity_sums *sums);

/* After all of them, by a pair of wide runs: an element that seemed to jump,
 * and answers these by far more, is smooth and curved.  A sum of squares is:
 * where inputs move by d, by the part d of its terms, sqrt(n) d of the norm of
 * n, and d^2 of all of them, n d^2, whichever way they move.
 */
void osw_sensitivity_unbend(const double *base, const double *plus,
                            const double *minus, int64_t n, int bits,
                            const struct osw_sensitivity_sums *sums);

/* Elements that a pair of wide runs says to jump: the first `most` of them into
 * jumps.  Returns how many those are.
 */
int64_t osw_sensitivity_find_jumps(const double *base, const double *plus,
                                   const double *minus, int64_t n, int64_t most,
                                   struct osw_sensitivity_jump *jumps);

/* So many elements of n may be excused since they jump: what is wrong at ties,
 * or at every threshold, has more.
 */
static inline int64_t osw_sensitivity_most_jumps(int64_t n)
{
    return 2 + n / 8192;
}

/* By how much two runs on the same inputs differ at most: a reference on a GPU
 * may add in any order.  0: not at all; NaN: by more than 2^-(bits + 10) of the
 * largest value, so that perturbed runs would tell nothing.
 */
double osw_sensitivity_noise(const double *base, const double *again, int64_t n,
                             int bits);

/* Add a run of a level: count the elements that differ from `base` by more than
 * `noise` explains.  Returns how many those are.
 */
int64_t osw_sensitivity_add_level(const double *base, const double *values,
                                  int64_t n, double noise, unsigned n_threads,
                                  uint8_t *levels);

/* Pool, and fill s->amount and s->growth from what was added. */
void osw_sensitivity_finish(const double *base,
                            const struct osw_sensitivity_sums *sums,
                            const uint8_t *levels, int bits, unsigned n_threads,
                            struct osw_sensitivity *s);

/* What a comparison by the rule of tolerance.h found. */
struct osw_sensitivity_errors {
    int64_t n_bad;
    int64_t first_bad; /* -1: none */
    int64_t n_jumped;  /* that have the value they jump to; few enough */
    double worst;      /* largest error / allowance */
    double rms, limit; /* of error / T, and what it may be */
};

/* Compare all elements with want->exact (and want->norm), all in the host's
 * memory.  Of complex outputs elements are the parts of numbers, one after the
 * other; `got` is a view of these.  False: no memory.
 */
bool osw_sensitivity_compare(const struct osw_view *got,
                             const struct osw_expected *want,
                             const struct osw_sensitivity *s,
                             const struct osw_tolerance_job *job, int bits,
                             unsigned n_threads,
                             struct osw_sensitivity_errors *out);

#endif /* OSW_WORKER_JUDGE_SENSITIVITY_H */
