/* conv2d_pass__winograd_1d.c - winograd F(2, 3) along rows: four products for
 * two outputs of three taps. */
#include "../conv.h"

static void two_outputs(const float *x, const float *w, float *y)
{
    float a = (x[0] - x[2]) * w[0];
    float b = (x[1] + x[2]) * (0.5f * (w[0] + w[1] + w[2]));
    float c = (x[2] - x[1]) * (0.5f * (w[0] - w[1] + w[2]));
    float d = (x[1] - x[3]) * w[2];

    y[0] += a + b + c;
    y[1] += b - c - d;
}

static void conv(const struct conv *v)
{
    int64_t oh = v->h - 2, ow = v->width - 2;

    for (int64_t zf = 0; zf < v->batch * v->o; zf++)
        for (int64_t i = 0; i < oh; i++)
            for (int64_t c = 0; c < v->c * 3; c++) {
                const float *w = v->w + (zf % v->o * v->c * 3 + c) * 3;
                const float *x =
                    v->x +
                    ((zf / v->o * v->c + c / 3) * v->h + i + c % 3) * v->width;
                float *y = v->y + (zf * oh + i) * ow;
                int64_t j = 0;

                for (; j + 1 < ow; j += 2)
                    two_outputs(x + j, w, y + j);
                if (j < ow)
                    y[j] += x[j] * w[0] + x[j + 1] * w[1] + x[j + 2] * w[2];
            }
}

int conv2d_kernel_impl(const osw_call *call)
{
    return conv3x3(call, conv);
}
