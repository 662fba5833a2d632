/* col2im - the sum over the windows that an element is in, in double */
#include "../shared/columns.h"
#include "../shared/image_reference.h"

int col2im_meta(const osw_call *call)
{
    struct osw_columns k = {.places = {0}};

    return osw_columns_open_back(call, &k);
}

static double at(const void *job, int64_t i, double *squares)
{
    const struct osw_columns *k = (const struct osw_columns *)job;
    struct osw_spot s = osw_image_spot(&k->image, i);
    double sum = 0.0;

    for (int64_t ky = 0; ky < k->kernel[0]; ky++)
        for (int64_t kx = 0; kx < k->kernel[1]; kx++) {
            int64_t y = osw_columns_window(k, 0, s.y, ky);
            int64_t x = osw_columns_window(k, 1, s.x, kx), row;
            double v;

            if (y < 0 || x < 0)
                continue;
            row = (s.c * k->kernel[0] + ky) * k->kernel[1] + kx;
            v = osw_image_get(&k->columns, s.n, 0, row, y * k->places[1] + x);
            sum += v;
            *squares += v * v;
        }
    return sum;
}

int col2im_reference(const osw_call *call)
{
    struct osw_columns k = {.places = {0}};
    int rc = osw_columns_open_back(call, &k);

    return rc ? rc
              : osw_image_reference(call, 0, osw_image_numel(&k.image), at, &k);
}
