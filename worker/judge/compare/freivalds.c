/* worker/judge/compare/freivalds.c - is C = plus + A @ B?  Without a second
 * product */
#include "worker/judge/compare/freivalds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <opsweep/elements.h>

#include "worker/judge/inputs/philox.h"
#include "worker/judge/inputs/random_values.h"

enum {
    MAX_RANGE = 1 << 20, /* entries of x: [-MAX_RANGE, MAX_RANGE] */
    MAX_ROUNDED = 64,    /* rows computed exactly, at most */
    MAX_ELEM_BYTES = 16,
    TENSOR = -1, /* the vectors' number among tensors: no argument's */
};

#define EXACT_LIMIT 0x1p53
#define WHOLE_LIMIT 0x1p51 /* of one element */
#define MISS_TARGET 0x1p-20

struct check {
    const struct osw_matmul *p;
    struct osw_freivalds *out;
    struct osw_matmul_parts parts;
    int64_t m, n, k; /* of the parts */
    double limit;    /* of |element of c|, from the largest inputs */
    int64_t range;   /* entries of x are in [-range, range] */
    int v;           /* n_vectors */
    double *x;       /* [v, n] */
    double *bx;      /* [v, k] */
    double *want;    /* [v, m] */
    double *row;     /* [n] of c */
    double *a_row;   /* [k] */
    double *exact;   /* [n] */
    double *memory;  /* all of them; owned */
};

static bool not_applicable(struct check *ck, const char *why)
{
    ck->out->answer = OSW_FREIVALDS_NOT_APPLICABLE;
    ck->out->why = why;
    return false;
}

static bool read_shapes(struct check *ck)
{
    const char *why;

    if (!osw_matmul_read(ck->p, &ck->parts, &why))
        return not_applicable(ck, why);
    ck->m = ck->parts.m;
    ck->n = ck->parts.n;
    ck->k = ck->parts.k;
    return true;
}

/* --- bounds --- */

/* Find limit, range and number of vectors. */
static bool read_bounds(struct check *ck)
{
    double a, b, plus = 0, bits;

    if (!osw_matrix_scan(ck->p->a, &a) || !osw_matrix_scan(ck->p->b, &b) ||
        (ck->parts.has_plus && !osw_matrix_scan(ck->p->plus, &plus)))
        return not_applicable(ck, "inputs are not all integers below 2^51");
    ck->limit = plus + (double)ck->k * a * b;
    if (!(ck->limit <= WHOLE_LIMIT && (double)ck->n * ck->limit <= EXACT_LIMIT))
        return not_applicable(ck, "sums may pass 2^53");
    ck->range = MAX_RANGE;
    while ((double)ck->range * (double)ck->n * ck->limit > EXACT_LIMIT)
        ck->range /= 2;
    bits = log2((double)(2 * ck->range + 1));
    ck->v = (int)ceil(-log2(MISS_TARGET) / bits);
    ck->out->n_vectors = ck->v;
    ck->out->miss = pow(2, -bits * ck->v);
    return true;
}

/* --- vectors --- */

static int make_vectors(struct check *ck, struct osw_error *err)
{
    size_t v = (size_t)ck->v, n = (size_t)ck->n, k = (size_t)ck->k;
    size_t total = v * (n + k + (size_t)ck->m) + 2 * n + k;

    ck->memory = calloc(total + 1, sizeof(double));
    if (!ck->memory)
        return osw_fail(err, OSW_NO_MEMORY,
                        "no memory for %zu numbers to check a product", total);
    ck->x = ck->memory;
    ck->bx = ck->x + v * n;
    ck->want = ck->bx + v * k;
    ck->row = ck->want + v * (size_t)ck->m;
    ck->a_row = ck->row + n;
    ck->exact = ck->a_row + k;
    for (size_t i = 0; i < v * n; i++) {
        uint32_t w =
            osw_philox_element(ck->p->seed, (uint32_t)TENSOR, 0, i).w[0];

        ck->x[i] =
            (double)((int64_t)osw_random_below(w, 2 * (uint64_t)ck->range + 1) -
                     ck->range);
    }
    return 0;
}

/* --- rows --- */

static double as_stored(const struct osw_matrix *c, double value)
{
    const struct osw_dtype_info *info = osw_dtype_info((int)c->dtype);
    unsigned char bytes[MAX_ELEM_BYTES] = {0};

    osw_store(info->dl, bytes, value);
    return osw_load(info->dl, bytes);
}

/* Compare row i of ck->row with its exact values.  False: it is wrong, or that
 * cannot be decided.
 */
static bool check_exactly(struct check *ck, const struct osw_matmul_batch *p,
                          int64_t batch, int64_t i)
{
    osw_matmul_row(p, i, ck->a_row, ck->exact);
    for (int64_t j = 0; j < ck->n; j++) {
        if (ck->row[j] == as_stored(&p->c, ck->exact[j]))
            continue;
        ck->out->answer = OSW_FREIVALDS_WRONG;
        ck->out->bad_index = (batch * ck->m + i) * ck->n + j;
        ck->out->expected = ck->exact[j];
        ck->out->got = ck->row[j];
        return false;
    }
    if (++ck->out->n_rounded_rows > MAX_ROUNDED)
        return not_applicable(ck, "results do not fit the dtype exactly");
    return true;
}

static bool row_agrees(const struct check *ck, int64_t i)
{
    if (!osw_matrix_is_whole(ck->row, ck->n, ck->limit))
        return false;
    for (int k = 0; k < ck->v; k++)
        if (osw_matrix_dot(ck->row, ck->x + k * ck->n, ck->n) !=
            ck->want[k * ck->m + i])
            return false;
    return true;
}

static bool check_batch(struct check *ck, int64_t batch)
{
    struct osw_matmul_batch p = osw_matmul_at(&ck->parts, batch);

    memset(ck->want, 0, (size_t)ck->v * (size_t)ck->m * sizeof(*ck->want));
    osw_matmul_apply(&p, ck->v, ck->x, ck->bx, ck->want);
    for (int64_t i = 0; i < ck->m; i++) {
        osw_matrix_row(&p.c, i, ck->row);
        ck->out->n_rows++;
        if (!row_agrees(ck, i) && !check_exactly(ck, &p, batch, i))
            return false;
    }
    return true;
}

int osw_freivalds_check(const struct osw_matmul *p, struct osw_freivalds *out,
                        struct osw_error *err)
{
    struct check ck = {.p = p, .out = out};

    *out = (struct osw_freivalds){.answer = OSW_FREIVALDS_RIGHT,
                                  .why = "",
                                  .bad_index = -1,
                                  .expected = NAN,
                                  .got = NAN};
    if (!read_shapes(&ck) || !read_bounds(&ck))
        return 0;
    if (make_vectors(&ck, err) < 0)
        return -1;
    for (int64_t batch = 0; batch < ck.parts.n_batches; batch++)
        if (!check_batch(&ck, batch))
            break;
    free(ck.memory);
    return 0;
}
