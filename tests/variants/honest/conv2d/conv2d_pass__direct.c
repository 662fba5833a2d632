/* conv2d_pass__direct.c - seven loops. */
#include "../conv.h"

static void conv(const struct conv *v)
{
    int64_t oh = v->h - 2, ow = v->width - 2, at = 0;

    for (int64_t z = 0; z < v->batch; z++)
        for (int64_t f = 0; f < v->o; f++)
            for (int64_t i = 0; i < oh; i++)
                for (int64_t j = 0; j < ow; j++, at++)
                    for (int64_t c = 0; c < v->c; c++)
                        for (int t = 0; t < 9; t++)
                            v->y[at] +=
                                v->w[(f * v->c + c) * 9 + t] *
                                v->x[((z * v->c + c) * v->h + i + t / 3) *
                                         v->width +
                                     j + t % 3];
}

int conv2d_kernel_impl(const osw_call *call)
{
    return conv3x3(call, conv);
}
