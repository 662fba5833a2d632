/* _embedding_bag - element by element, in double */
#include <math.h>

#include "embedding_bag.h"

int _embedding_bag_meta(const osw_call *call)
{
    struct bags b = {0};

    return bags_open(call, &b);
}

static double weight_of(const struct bags *b, int64_t k, int64_t col)
{
    return osw_load(b->weight->dtype,
                    osw_at(b->weight, k * b->weight->strides[0] +
                                          col * b->weight->strides[1]));
}

static double scale_of(const struct bags *b, int64_t i)
{
    return b->scales ? osw_get(b->scales, i) : 1.0;
}

/* How much the bag has of each row of weight: the sizes of its scales. */
static void find_shares(const struct bags *b, int64_t bag, double *share)
{
    for (int64_t i = bag_begin(b, bag); i < bag_end(b, bag); i++)
        share[bag_entry(b->indices, i)] = 0.0;
    for (int64_t i = bag_begin(b, bag); i < bag_end(b, bag); i++)
        share[bag_entry(b->indices, i)] += fabs(scale_of(b, i));
}

/* *norm: of the terms, those of one row of weight taken as one term: they have
 * one sign, and their rounding errors add up.
 */
static double sum_of(const struct bags *b, int64_t bag, int64_t col,
                     const double *share, double *norm)
{
    double sum = 0.0, squares = 0.0, count = 0.0;

    for (int64_t i = bag_begin(b, bag); i < bag_end(b, bag); i++) {
        int64_t k = bag_entry(b->indices, i);
        double w, scale = scale_of(b, i);

        if (k == b->padding)
            continue;
        w = weight_of(b, k, col);
        sum += w * scale;
        squares += w * w * fabs(scale) * share[k];
        count += 1.0;
    }
    if (b->mode == BAG_SUM || count == 0.0)
        count = 1.0;
    *norm = sqrt(squares) / count;
    return sum / count;
}

/* The first of equal elements; a NaN stays if it is the first of all. */
static double largest_of(const struct bags *b, int64_t bag, int64_t col)
{
    int64_t at = -1;
    double max = 0.0;

    for (int64_t i = bag_begin(b, bag); i < bag_end(b, bag); i++) {
        int64_t k = bag_entry(b->indices, i);

        if (k == b->padding || (at >= 0 && !(weight_of(b, k, col) > max)))
            continue;
        max = weight_of(b, k, col);
        at = k;
    }
    bag_set(b->largest, bag * b->width + col, at < 0 ? 0 : at);
    return max;
}

/* share: room for a number per row of weight. */
static void fill_bag(const struct bags *b, int64_t bag, double *share,
                     double *exact, double *norm)
{
    bag_note(b, bag);
    find_shares(b, bag, share);
    for (int64_t col = 0; col < b->width; col++) {
        int64_t at = bag * b->width + col;
        double terms = 0.0;

        exact[at] = b->mode == BAG_MAX ? largest_of(b, bag, col)
                                       : sum_of(b, bag, col, share, &terms);
        if (norm)
            norm[at] = terms;
    }
}

int _embedding_bag_reference(const osw_call *call)
{
    struct bags b = {0};
    int rc = bags_open(call, &b), threads = (int)call->n_threads;
    double *exact = NULL, *norm = NULL, *share = NULL;

    if (!rc)
        rc = bags_check(call, &b);
    if (rc)
        return rc;
    exact = osw_output_exact(call, 0);
    share =
        (double *)osw_workspace(call, (size_t)(threads * b.n_weights) * 8 + 8);
    if (!exact || !share)
        return OSW_ERROR;
    if (b.mode != BAG_MAX)
        norm = osw_output_norm(call, 0);
#pragma omp parallel for num_threads(threads)
    for (int t = 0; t < threads; t++)
        for (int64_t bag = b.n_bags * t / threads;
             bag < b.n_bags * (t + 1) / threads; bag++)
            fill_bag(&b, bag, share + t * b.n_weights, exact, norm);
    return 0;
}
