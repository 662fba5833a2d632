/* worker/judge/compare/matrix.h - arithmetic on matrices, in doubles
 *
 * Exact for integers as long as the sums of absolute values stay within 2^53,
 * which the caller proves from osw_matrix_scan's maxima; then the order does
 * not matter.
 */
#ifndef OSW_WORKER_JUDGE_MATRIX_H
#define OSW_WORKER_JUDGE_MATRIX_H

#include "worker/judge/memory/view.h"

struct osw_matrix {
    const char *data;
    enum osw_dtype_id dtype;
    int64_t bytes; /* of an element */
    int64_t rows, cols;
    int64_t row_stride, col_stride; /* in elements; 0 repeats */
    bool squared; /* osw_matrix_apply() takes the squares of its elements */
};

/* Are n values integers, of absolute value `limit` (<= 2^51) at most? */
bool osw_matrix_is_whole(const double *v, int64_t n, double limit);

/* The largest absolute value of a view's elements; false when one is no
 * integer, or beyond 2^51.
 */
bool osw_matrix_scan(const struct osw_view *v, double *max);

/* Row `row` as doubles into to[cols]. */
void osw_matrix_row(const struct osw_matrix *m, int64_t row, double *to);

/* y[k][i] += sum over j of m[i][j] * x[k][j], for k < n_vectors: x is
 * [n_vectors, cols], y is [n_vectors, rows].
 */
void osw_matrix_apply(const struct osw_matrix *m, int n_vectors,
                      const double *x, double *y);

/* Sum over i < n of a[i] * b[i]. */
double osw_matrix_dot(const double *a, const double *b, int64_t n);

#endif /* OSW_WORKER_JUDGE_MATRIX_H */
