/* matmul_pass__strassen_one_level.c - one level of Strassen over halves that
 * are padded to even sizes. */
#include "../product.h"

/* to [rows, cols] = quadrant of x [h, w], plus sign times another one. */
static void quadrants(const float *x, int64_t h, int64_t w, int64_t rows,
                      int64_t cols, int q, int p, float sign, float *to)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            int64_t qi = i + (q / 2) * rows, qj = j + (q % 2) * cols;
            int64_t pi = i + (p / 2) * rows, pj = j + (p % 2) * cols;
            float v = qi < h && qj < w ? x[qi * w + qj] : 0.0f;

            if (sign != 0.0f && pi < h && pj < w)
                v += sign * x[pi * w + pj];
            to[i * cols + j] = v;
        }
}

static void add_to(float *c, int64_t m, int64_t n, const float *part,
                   int64_t rows, int64_t cols, int q, float sign)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            int64_t ci = i + (q / 2) * rows, cj = j + (q % 2) * cols;

            if (ci < m && cj < n)
                c[ci * n + cj] += sign * part[i * cols + j];
        }
}

/* Each product: quadrants of a, of b, and where it goes. */
static const struct {
    int aq, ap;
    float as;
    int bq, bp;
    float bs, to[4];
} STEPS[7] = {
    {0, 3, 1, 0, 3, 1, {1, 0, 0, 1}},  {2, 3, 1, 0, 0, 0, {0, 0, 1, -1}},
    {0, 0, 0, 1, 3, -1, {0, 1, 0, 1}}, {3, 0, 0, 2, 0, -1, {1, 0, 1, 0}},
    {0, 1, 1, 3, 0, 0, {-1, 1, 0, 0}}, {2, 0, -1, 0, 1, 1, {0, 0, 0, 1}},
    {1, 3, -1, 2, 3, 1, {1, 0, 0, 0}},
};

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    int64_t hm = (m + 1) / 2, hn = (n + 1) / 2, hk = (k + 1) / 2;
    float *x = memory(hm * hk, 4), *y = memory(hk * hn, 4);
    float *z = memory(hm * hn, 4);

    /* Strassen's errors grow with the operands, not with the element. */
    for (int64_t i = 0; i < m && k < 16; i++)
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++)
                c[i * n + j] += a[i * k + l] * b[l * n + j];
    if (k < 16)
        hk = 0;
    for (int s = 0; s < 7 && hk; s++) {
        quadrants(a, m, k, hm, hk, STEPS[s].aq, STEPS[s].ap, STEPS[s].as, x);
        quadrants(b, k, n, hk, hn, STEPS[s].bq, STEPS[s].bp, STEPS[s].bs, y);
        memset(z, 0, (size_t)(hm * hn) * 4);
        for (int64_t i = 0; i < hm; i++)
            for (int64_t l = 0; l < hk; l++)
                for (int64_t j = 0; j < hn; j++)
                    z[i * hn + j] += x[i * hk + l] * y[l * hn + j];
        for (int q = 0; q < 4; q++)
            if (STEPS[s].to[q] != 0.0f)
                add_to(c, m, n, z, hm, hn, q, STEPS[s].to[q]);
    }
    free(x);
    free(y);
    free(z);
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
