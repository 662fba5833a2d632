/* im2col - each element from its place in the image, 0 outside */
#include "../shared/columns.h"
#include "../shared/image_reference.h"

int im2col_meta(const osw_call *call)
{
    struct osw_columns k = {.places = {0}};

    return osw_columns_open(call, &k);
}

static double at(const void *job, int64_t i, double *squares)
{
    const struct osw_columns *k = (const struct osw_columns *)job;
    struct osw_spot s = osw_image_spot(&k->columns, i);
    struct osw_spot r = osw_columns_row(k, s.y);
    int64_t y = osw_columns_place(k, 0, s.x / k->places[1], r.y);
    int64_t x = osw_columns_place(k, 1, s.x % k->places[1], r.x);

    (void)squares;
    return osw_columns_inside(k, y, x)
               ? osw_image_get(&k->image, s.n, r.c, y, x)
               : 0.0;
}

int im2col_reference(const osw_call *call)
{
    struct osw_columns k = {.places = {0}};
    int rc = osw_columns_open(call, &k);

    return rc ? rc
              : osw_image_reference(call, 0, osw_image_numel(&k.columns), at,
                                    &k);
}
