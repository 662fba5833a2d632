/* conv2d_pass__winograd_2d.c - winograd F(2x2, 3x3), channels summed in the
 * transformed domain. */
#include "../conv.h"

static void filter(const float *w, float u[16])
{
    float t[12];

    for (int j = 0; j < 3; j++) {
        t[j] = w[j];
        t[3 + j] = 0.5f * (w[j] + w[3 + j] + w[6 + j]);
        t[6 + j] = 0.5f * (w[j] - w[3 + j] + w[6 + j]);
        t[9 + j] = w[6 + j];
    }
    for (int i = 0; i < 4; i++) {
        const float *r = t + 3 * i;

        u[4 * i] = r[0];
        u[4 * i + 1] = 0.5f * (r[0] + r[1] + r[2]);
        u[4 * i + 2] = 0.5f * (r[0] - r[1] + r[2]);
        u[4 * i + 3] = r[2];
    }
}

static void data(float d[16])
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 4; i++) {
            int s = pass ? 1 : 4, o = pass ? 4 * i : i;
            float a = d[o] - d[o + 2 * s], b = d[o + s] + d[o + 2 * s];
            float c = d[o + 2 * s] - d[o + s], e = d[o + s] - d[o + 3 * s];

            d[o] = a;
            d[o + s] = b;
            d[o + 2 * s] = c;
            d[o + 3 * s] = e;
        }
}

static void conv(const struct conv *v)
{
    int64_t oh = v->h - 2, ow = v->width - 2;

    for (int64_t zf = 0; zf < v->batch * v->o; zf++)
        for (int64_t i = 0; i < oh; i += 2)
            for (int64_t j = 0; j < ow; j += 2) {
                float m[16] = {0};

                for (int64_t c = 0; c < v->c; c++) {
                    float u[16], d[16];

                    filter(v->w + (zf % v->o * v->c + c) * 9, u);
                    for (int t = 0; t < 16; t++) {
                        int64_t y = i + t / 4, x = j + t % 4;

                        d[t] = y < v->h && x < v->width
                                   ? v->x[((zf / v->o * v->c + c) * v->h + y) *
                                              v->width +
                                          x]
                                   : 0.0f;
                    }
                    data(d);
                    for (int t = 0; t < 16; t++)
                        m[t] += u[t] * d[t];
                }
                for (int p = 0; p < 2; p++)
                    for (int q = 0; q < 2; q++) {
                        float s = 0.0f;
                        static const float A[2][4] = {{1, 1, 1, 0},
                                                      {0, 1, -1, -1}};

                        for (int t = 0; t < 16; t++)
                            s += A[p][t / 4] * A[q][t % 4] * m[t];
                        if (i + p < oh && j + q < ow)
                            v->y[(zf * oh + i + p) * ow + j + q] = s;
                    }
            }
}

int conv2d_kernel_impl(const osw_call *call)
{
    return conv3x3(call, conv);
}
