/* worker/judge/compare/matmul.h - C = plus + A @ B, read as batches of matrices
 *
 * Upstream: freivalds.c and residual.c, which hold C against its factors.
 */
#ifndef OSW_WORKER_JUDGE_MATMUL_H
#define OSW_WORKER_JUDGE_MATMUL_H

#include "worker/judge/compare/matrix.h"

/* Floating dtypes, any strides.  c [.., M, N], a [.., M, K], b [.., K, N], of
 * two dimensions, or three with the batch first (a and b may leave it out, or
 * have it 1); plus broadcasts to c, NULL: none.  All borrowed.
 */
struct osw_matmul {
    const struct osw_view *c, *a, *b, *plus;
    uint64_t seed; /* must not be known to the code that made c */
};

struct osw_matmul_batches {
    struct osw_matrix matrix; /* of batch 0 */
    int64_t stride;           /* from batch to batch, in elements */
};

struct osw_matmul_parts {
    struct osw_matmul_batches a, b, c, plus;
    bool has_plus;
    int64_t n_batches, m, n, k;
};

/* False, with a static message in *why, when it is no product of matrices. */
bool osw_matmul_read(const struct osw_matmul *p, struct osw_matmul_parts *out,
                     const char **why);

/* The matrices of one batch; plus.data NULL: nothing is added. */
struct osw_matmul_batch {
    struct osw_matrix a, b, c, plus;
};
struct osw_matmul_batch osw_matmul_at(const struct osw_matmul_parts *p,
                                      int64_t batch);

/* The same product read the other way: its columns are rows. */
struct osw_matmul_batch osw_matmul_across(const struct osw_matmul_batch *p);

/* Row i of plus + A @ B in doubles, into to[n]; a_row is room for k. */
void osw_matmul_row(const struct osw_matmul_batch *p, int64_t i, double *a_row,
                    double *to);

/* to[v, m] += plus @ x + A @ (B @ x) of n_vectors x[v, n], in doubles; bx is
 * room for [v, k].
 */
void osw_matmul_apply(const struct osw_matmul_batch *p, int n_vectors,
                      const double *x, double *bx, double *to);

#endif /* OSW_WORKER_JUDGE_MATMUL_H */
