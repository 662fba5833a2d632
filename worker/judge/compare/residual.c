/* worker/judge/compare/residual.c - is C near plus + A @ B?  For inputs of any
 * value */
#include "worker/judge/compare/residual.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "worker/judge/inputs/philox.h"
#include "worker/judge/inputs/random_values.h"

enum {
    N_VECTORS = 4,
    LARGEST = 12, /* times T: of one residual */
    TENSOR = -2,  /* the vectors' number among tensors: no argument's */
};

#define MEAN_SQUARE (13.0 / 12) /* of the vectors' numbers */
#define SMALL       0x1p-4 /* error over norm: no coarser arithmetic has more */

/* Residuals of one kind: of rows, or of columns. */
struct side {
    int64_t n, n_coarse;  /* how many; with more than T */
    double sum_sq;        /* of residual / (T s), a mean of the vectors each */
    double sum_errors_sq; /* of residual / s */
    double sum_usual_sq;  /* of T */
};

struct check {
    const struct osw_matmul *p;
    struct osw_tolerance_job allowed;
    struct osw_residual *out;
    struct osw_matmul_parts parts;
    struct side sides[2]; /* rows, columns */
    double *x;            /* [v, cols]; more room than that for all of these */
    double *bx;           /* [v, k] */
    double *residual;     /* [v, rows] */
    double *weights;      /* [k] squared norms of the rows of b */
    double *norms;        /* [rows] s^2 */
    double *sizes;        /* [rows] sums of squares of c */
    double *ones;         /* [cols] */
    double *memory;       /* all of them; owned */
};

static int get_memory(struct check *ck, struct osw_error *err)
{
    size_t k = (size_t)ck->parts.k;
    size_t n = (size_t)(ck->parts.m > ck->parts.n ? ck->parts.m : ck->parts.n);
    size_t total = N_VECTORS * (2 * n + k) + k + 3 * n;

    ck->memory = calloc(total + 1, sizeof(double));
    if (!ck->memory)
        return osw_fail(err, OSW_NO_MEMORY,
                        "no memory for %zu numbers to check a product", total);
    ck->x = ck->memory;
    ck->bx = ck->x + N_VECTORS * n;
    ck->residual = ck->bx + N_VECTORS * k;
    ck->weights = ck->residual + N_VECTORS * n;
    ck->norms = ck->weights + k;
    ck->sizes = ck->norms + n;
    ck->ones = ck->sizes + n;
    for (size_t i = 0; i < n; i++)
        ck->ones[i] = 1;
    return 0;
}

static void make_vectors(struct check *ck, int side, int64_t n)
{
    for (int64_t i = 0; i < N_VECTORS * n; i++) {
        struct osw_philox r = osw_philox_element(ck->p->seed, (uint32_t)TENSOR,
                                                 (uint32_t)side, (uint64_t)i);
        double size = (double)osw_random_positive_f32(r.w[0]);

        ck->x[i] = r.w[1] & 1 ? size : -size;
    }
}

static void negate(double *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = -v[i];
}

/* to[i] += the sum of m[i][j]^2 weights[j]. */
static void add_squares(struct osw_matrix m, const double *weights, double *to)
{
    m.squared = true;
    osw_matrix_apply(&m, 1, weights, to);
}

static void clear(double *v, int64_t n)
{
    memset(v, 0, (size_t)n * sizeof(*v));
}

/* The residuals of all rows, and what they are held against. */
static void find_residuals(struct check *ck, const struct osw_matmul_batch *p)
{
    int64_t rows = p->c.rows;

    clear(ck->residual, N_VECTORS * rows);
    osw_matmul_apply(p, N_VECTORS, ck->x, ck->bx, ck->residual);
    negate(ck->residual, N_VECTORS * rows);
    osw_matrix_apply(&p->c, N_VECTORS, ck->x, ck->residual);
    clear(ck->weights, p->b.rows);
    clear(ck->norms, rows);
    clear(ck->sizes, rows);
    add_squares(p->b, ck->ones, ck->weights);
    add_squares(p->a, ck->weights, ck->norms);
    if (p->plus.data)
        add_squares(p->plus, ck->ones, ck->norms);
    add_squares(p->c, ck->ones, ck->sizes);
}

/* Find the element of row i that is off by most. */
static void find_worst(struct check *ck, const struct osw_matmul_batch *p,
                       int64_t i, int64_t first, int64_t step)
{
    /* Vectors and weights have served. */
    double *a_row = ck->weights, *want = ck->x, *got = ck->x + p->c.cols;
    double worst = -1;

    osw_matmul_row(p, i, a_row, want);
    osw_matrix_row(&p->c, i, got);
    for (int64_t j = 0; j < p->c.cols; j++) {
        double err = fabs(got[j] - want[j]);

        err = isfinite(got[j]) ? err : INFINITY;
        if (err <= worst)
            continue;
        worst = err;
        ck->out->bad_index = first + j * step;
        ck->out->expected = want[j];
        ck->out->got = got[j];
    }
}

/* The norm of a row's errors, all as large as op.json allows; 0: it does not
 * say.
 */
static double named_errors(const struct check *ck, int64_t cols, double sizes)
{
    struct osw_tolerance named = osw_tolerance_named(&ck->allowed);

    return isnan(named.rtol)
               ? 0
               : named.atol * sqrt((double)cols) + named.rtol * sqrt(sizes);
}

/* Judge row i by its residuals; false: it is bad. */
static bool judge_row(struct check *ck, struct side *side,
                      const struct osw_matrix *c, int64_t i)
{
    double named = named_errors(ck, c->cols, ck->sizes[i]);
    double s = sqrt(ck->norms[i]), sum_sq = 0, largest = 0, usual;
    int64_t rows = c->rows;

    side->n++;
    usual =
        osw_tolerance_usual(&ck->allowed, s > 0 ? sqrt(ck->sizes[i]) / s : 0);
    usual += s > 0 ? named / s : 0;
    for (int v = 0; v < N_VECTORS; v++) {
        double r = fabs(ck->residual[v * rows + i]);

        largest = r > largest || isnan(r) ? r : largest;
        sum_sq += r * r;
    }
    if (!isfinite(largest)) {
        side->n_coarse++;
        side->sum_sq = side->sum_errors_sq = INFINITY;
        return false;
    }
    if (s > 0) {
        double mean_sq = sum_sq / (N_VECTORS * MEAN_SQUARE * s * s);

        side->n_coarse += mean_sq > usual * usual;
        side->sum_errors_sq += mean_sq;
        side->sum_sq += mean_sq / (usual * usual);
    }
    side->sum_usual_sq += usual * usual;
    return largest <= LARGEST * (s > 0 ? usual * s : named);
}

static void check_side(struct check *ck, const struct osw_matmul_batch *p,
                       int64_t batch, int side)
{
    int64_t rows = p->c.rows, bad = -1,
            first = batch * ck->parts.m * ck->parts.n;

    make_vectors(ck, side, p->c.cols);
    find_residuals(ck, p);
    for (int64_t i = 0; i < rows; i++)
        if (!judge_row(ck, &ck->sides[side], &p->c, i)) {
            bad = bad < 0 ? i : bad;
            ck->out->n_bad++;
        }
    if (bad < 0 || ck->out->bad_index >= 0)
        return;
    if (side == 0)
        find_worst(ck, p, bad, first + bad * ck->parts.n, 1);
    else
        find_worst(ck, p, bad, first + bad, ck->parts.n);
}

static bool is_half(const struct side *s)
{
    return 2 * s->n_coarse >= s->n;
}

/* Rows and columns count alike: errors of one row have one residual there, and
 * one in each column.
 */
static void sum_up(struct check *ck)
{
    const struct side *r = &ck->sides[0], *c = &ck->sides[1];
    struct osw_residual *out = ck->out;
    double n = (double)(r->n + c->n);

    out->n_rows = r->n + c->n;
    if (n == 0)
        return;
    out->rms = sqrt((r->sum_errors_sq + c->sum_errors_sq) / n);
    out->allowed = sqrt((r->sum_usual_sq + c->sum_usual_sq) / n);
    out->of_allowed = sqrt((r->sum_sq + c->sum_sq) / n) /
                      osw_tolerance_few(&ck->allowed, out->n_rows);
    out->everywhere = out->rms < SMALL && is_half(r) && is_half(c);
}

/* The residuals of doubles are sums of doubles themselves, as long as a row. */
static double terms_of(const struct check *ck)
{
    const struct osw_matmul_parts *p = &ck->parts;
    bool doubles = p->c.matrix.dtype == OSW_F64;

    return (double)(p->k + p->has_plus + (doubles ? p->m + p->n : 0));
}

int osw_residual_check(const struct osw_matmul *p,
                       const struct osw_tolerance_job *allowed,
                       struct osw_residual *out, struct osw_error *err)
{
    struct check ck = {.p = p, .allowed = *allowed, .out = out};

    *out = (struct osw_residual){
        .why = "", .bad_index = -1, .expected = NAN, .got = NAN};
    if (!osw_matmul_read(p, &ck.parts, &out->why))
        return 0;
    ck.allowed.norms = true;
    ck.allowed.terms = fmax(terms_of(&ck), 1);
    if (get_memory(&ck, err) < 0)
        return -1;
    for (int64_t batch = 0; batch < ck.parts.n_batches; batch++) {
        struct osw_matmul_batch at = osw_matmul_at(&ck.parts, batch);
        struct osw_matmul_batch across = osw_matmul_across(&at);

        check_side(&ck, &at, batch, 0);
        check_side(&ck, &across, batch, 1);
    }
    sum_up(&ck);
    free(ck.memory);
    return 0;
}
