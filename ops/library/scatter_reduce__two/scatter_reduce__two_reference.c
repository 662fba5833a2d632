/* scatter_reduce.two - element by element: floats in double, integers wrap
 * around
 */
#include "../shared/scatter_add_reference.h"
#include "../shared/scatter_reduce.h"

/* A place of the output, of `count` elements; norm: of sums the squares of
 * their terms, added up.
 */
struct place {
    double value, norm;
    int64_t whole, count;
};

static void take(enum osw_scatter_way way, osw_dtype t, const void *x,
                 struct place *p)
{
    int is_float = t.code == OSW_FLOAT || t.code == OSW_BFLOAT;
    double v = is_float ? osw_load(t, x) : 0.0;
    int64_t k = is_float ? 0 : osw_load_int(t, x);
    int first = p->count++ == 0;

    p->value = first ? v : osw_scatter_combine_f64(way, p->value, v);
    p->whole = first ? k : osw_scatter_combine_int(way, p->whole, k);
    p->norm = first ? v * v : p->norm + v * v;
}

/* The norm of a product: each factor may be as wrong as a term of a sum. */
static double norm_of(enum osw_scatter_way way, const struct place *p)
{
    double n = p->count ? (double)p->count : 1.0;

    if (way == OSW_SCATTER_PROD)
        return fabs(p->value) * sqrt(n);
    if (way == OSW_SCATTER_MAX || way == OSW_SCATTER_MIN)
        return fabs(p->value);
    return sqrt(p->norm) / (way == OSW_SCATTER_MEAN ? n : 1.0);
}

static void give(const struct osw_scatter_reduce *r, int64_t i,
                 const struct place *p, double *exact, double *norm)
{
    osw_dtype t = r->s.out->dtype;
    int64_t n = p->count ? p->count : 1, whole = p->whole;
    int is_mean = r->way == OSW_SCATTER_MEAN;

    if (exact) {
        exact[i] = is_mean ? p->value / (double)n : p->value;
        norm[i] = norm_of(r->way, p);
        return;
    }
    whole = osw_scatter_wrap(whole, t.bits, t.code == OSW_UINT);
    whole = is_mean ? osw_quotient_floor_int(whole, n) : whole;
    memcpy(osw_at(r->s.out, osw_offset(r->s.out, i)), &whole, t.bits / 8);
}

int scatter_reduce__two_meta(const osw_call *call)
{
    struct osw_scatter_reduce r = {0};

    return osw_scatter_reduce_open(call, &r);
}

int scatter_reduce__two_reference(const osw_call *call)
{
    struct osw_scatter_reduce r = {0};
    int rc = osw_scatter_reduce_open(call, &r), is_float;
    int64_t n = rc ? 0 : osw_numel(r.s.self);
    double *exact = NULL, *norm = NULL;
    struct place *places;

    if (rc)
        return rc;
    is_float = osw_rows_is_float(r.s.self);
    exact = is_float ? osw_output_exact(call, 0) : NULL;
    norm = exact ? osw_output_norm(call, 0) : NULL;
    places = osw_workspace(call, (size_t)(n + 1) * sizeof(*places));
    if (!places || (is_float && !norm))
        return OSW_ERROR;
    if (!osw_picking_in_range(r.s.index.tensor, osw_scatter_n(&r.s)))
        return osw_error(call, "index is out of range");
    for (int64_t i = 0; i < n; i++) {
        places[i].count = 0;
        take(r.way, r.s.self->dtype, osw_at(r.s.self, osw_offset(r.s.self, i)),
             &places[i]);
        places[i].count = r.with_self;
    }
    for (int64_t i = 0; i < osw_numel(r.s.index.tensor); i++) {
        int64_t from, linear;

        osw_scatter_places(&r.s, i, &from, &linear);
        take(r.way, r.s.src->dtype, osw_at(r.s.src, from), &places[linear]);
    }
    for (int64_t i = 0; i < n; i++)
        give(&r, i, &places[i], exact, norm);
    return 0;
}
