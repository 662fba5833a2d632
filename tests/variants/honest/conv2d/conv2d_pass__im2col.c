/* conv2d_pass__im2col.c - columns of patches, then a product. */
#include "../conv.h"

static void conv(const struct conv *v)
{
    int64_t oh = v->h - 2, ow = v->width - 2, k = v->c * 9, p = oh * ow;
    float *col = memory(k * p, sizeof(float));

    for (int64_t z = 0; z < v->batch; z++) {
        for (int64_t l = 0; l < k; l++)
            for (int64_t at = 0; at < p; at++)
                col[l * p + at] =
                    v->x[((z * v->c + l / 9) * v->h + at / ow + l % 9 / 3) *
                             v->width +
                         at % ow + l % 3];
        for (int64_t f = 0; f < v->o; f++)
            for (int64_t l = 0; l < k; l++)
                for (int64_t at = 0; at < p; at++)
                    v->y[(z * v->o + f) * p + at] +=
                        v->w[f * k + l] * col[l * p + at];
    }
    free(col);
}

int conv2d_kernel_impl(const osw_call *call)
{
    return conv3x3(call, conv);
}
