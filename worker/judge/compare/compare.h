/* worker/judge/compare/compare.h - outputs against what they should be
 *
 * An element is good when |got - want| <= atol + rtol * |want| + ntol * norm,
 * or when it is `want` rounded to its dtype, to the bit (so that overflow to
 * infinity and a tolerance of 0 mean what they say; |want| counts as the
 * smallest normal number of the dtype where it is smaller and not 0, since its
 * last place is that number's; +0 and -0 are equal, unless
 * asked for: osw_accept.signed_zero).  The
 * norm is that of the terms that were summed to the element: rounding errors
 * of a sum are in proportion to it, not to the sum.  NaN is good only
 * for NaN, an infinity only for the same infinity.  Integers and bool are
 * compared exactly, unless a tolerance is given for them, complex numbers by
 * their parts; a bool that is stored as another byte than 0 or 1 is bad.
 *
 * Pure: memory in, numbers out; one pass at the speed of memory as long as
 * elements are good.
 */
#ifndef OSW_WORKER_JUDGE_COMPARE_H
#define OSW_WORKER_JUDGE_COMPARE_H

#include "worker/judge/compare/compare_value.h"
#include "worker/judge/memory/view.h"

/* What is expected: unrounded values, or a view of the same shape and dtype. */
struct osw_expected {
    const double *exact;  /* [numel] row-major, or NULL: the view counts;
                             not for complex outputs */
    const double *norm;   /* [numel] beside exact, >= 0; NULL: none */
    struct osw_view view; /* used when exact is NULL */
};

struct osw_accept {
    double rtol, atol; /* NaN counts as 0 */
    double ntol;       /* times the norm, where there is one; NaN counts as 0 */
    bool exact;        /* all count as 0: only the rounded value is good */
    bool signed_zero;  /* +0 and -0 differ; ignored for integers and bool */
    bool keep_tiny;    /* a result below OSW_VALUE_TINY that is a normal number
                          must be right to 1/8 of itself: atol hides none */
};

/* What a comparison found.  Errors are those of good elements too; NaN and
 * NaN where it belongs have none.
 */
struct osw_errors {
    int64_t n_elem;
    int64_t n_bad;
    int64_t n_nan;     /* NaN in place of a number, or a number in its place */
    int64_t first_bad; /* row-major index; -1: none */
    double max_abs;
    double max_rel; /* where want is not 0 */
    double max_ulp; /* in units of the last place that the dtype has at want */
    double sum_sq;  /* of absolute errors: rms = sqrt(sum_sq / n_elem) */
    double max_allowed; /* of error / what is allowed there; at most 1 where it
                           is right; NaN: not computed on this device */
    /* Of elements that have an error, where the norm is finite and above 0;
     * all 0 without norms.
     */
    int64_t n_norm;
    double max_norm;    /* of error / norm */
    double sum_norm_sq; /* of (error / norm)^2 */
    double sum_want_sq; /* of (want / norm)^2 */
};

/* How values of a dtype are judged, one by one. */
struct osw_value_rule osw_compare_rule(enum osw_dtype_id dtype,
                                       const struct osw_accept *accept);

/* Compare all elements.  Both must have as many; *out is overwritten. */
void osw_compare(const struct osw_view *got, const struct osw_expected *want,
                 const struct osw_accept *accept, struct osw_errors *out);

/* Would it pass?  Stops at the first block with a bad element. */
bool osw_compare_passes(const struct osw_view *got,
                        const struct osw_expected *want,
                        const struct osw_accept *accept);

/* Elements that are good neither by `exact` [numel] nor by `own`, of the same
 * shape and dtype, a floating one.  All in the host's memory.
 */
int64_t osw_compare_neither(const struct osw_view *got, const double *exact,
                            const struct osw_view *own,
                            const struct osw_accept *accept);

/* Words on one element: "got 1.5, expected 1.25".  Cut to `size` bytes. */
void osw_compare_describe(const struct osw_view *got,
                          const struct osw_expected *want, int64_t index,
                          char *words, size_t size);

/* Is one element within 1/128 of what is expected, or equal to it? */
bool osw_compare_is_near(const struct osw_view *got,
                         const struct osw_expected *want, int64_t index);

#endif /* OSW_WORKER_JUDGE_COMPARE_H */
