/* _embedding_bag_backward - term by term, in double */
#include <math.h>

#include "bag_backward.h"

int _embedding_bag_backward_meta(const osw_call *call)
{
    struct bag_back b = {0};

    return bag_back_open(call, &b);
}

static double grad_of(const struct bag_back *b, int64_t bag, int64_t col)
{
    return osw_get(b->grad, bag * b->width + col);
}

static double count_of(const struct bag_back *b, int64_t k)
{
    double count = 0.0;

    for (int64_t i = 0; i < b->n; i++)
        count += osw_bag_entry(b->indices, i) == k;
    return count;
}

/* How much the bag of index i has of its row of weight, among its neighbours of
 * that bag: these terms have one sign, and their rounding errors add up.
 */
static double share_of(const struct bag_back *b, int64_t i, int64_t bag)
{
    int64_t k = osw_bag_entry(b->indices, i), first = i;
    double share = 0.0;

    while (first > 0 && bag_back_bag(b, first - 1) == bag)
        first--;
    for (; first < b->n && bag_back_bag(b, first) == bag; first++)
        if (osw_bag_entry(b->indices, first) == k)
            share += fabs(bag_back_scale(b, first, bag));
    return share;
}

/* norm: the squares of the terms, equal ones taken together. */
static void add_indices(const struct bag_back *b, double *exact, double *norm)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t k = osw_bag_entry(b->indices, i), bag = bag_back_bag(b, i);
        double scale, share, count;

        if (k == b->padding)
            continue;
        count = b->by_frequency ? count_of(b, k) : 1.0;
        scale = bag_back_scale(b, i, bag) / count;
        share = norm ? share_of(b, i, bag) / count : 0.0;
        for (int64_t col = 0; col < b->width; col++) {
            double g = grad_of(b, bag, col);

            exact[k * b->width + col] += g * scale;
            if (norm)
                norm[k * b->width + col] += g * g * fabs(scale) * share;
        }
    }
}

static void add_largest(const struct bag_back *b, double *exact, double *norm)
{
    for (int64_t bag = 0; bag < b->n_bags; bag++)
        for (int64_t col = 0; col < b->width; col++) {
            int64_t at = bag_back_largest(b, bag, col) * b->width + col;
            double term = grad_of(b, bag, col);

            if (osw_bag_entry(b->sizes, bag) == 0)
                continue;
            exact[at] += term;
            if (norm)
                norm[at] += term * term;
        }
}

int _embedding_bag_backward_reference(const osw_call *call)
{
    struct bag_back b = {0};
    int rc = bag_back_open(call, &b);
    int64_t n = rc ? 0 : b.n_weights * b.width;
    double *exact = NULL, *norm = NULL;

    if (!rc)
        rc = bag_back_check(call, &b);
    if (rc)
        return rc;
    exact = osw_output_exact(call, 0);
    if (!exact)
        return OSW_ERROR;
    norm = osw_output_norm(call, 0);
    for (int64_t i = 0; i < n; i++) {
        exact[i] = 0.0;
        if (norm)
            norm[i] = 0.0;
    }
    if (b.mode == BAG_MAX)
        add_largest(&b, exact, norm);
    else
        add_indices(&b, exact, norm);
    for (int64_t i = 0; norm && i < n; i++)
        norm[i] = sqrt(norm[i]);
    return 0;
}
