/* tests/unit/ops/test_bicubic.c - ops/library/shared/bicubic.h against the
 * values that ONNX states for its cubic Resize, and the gradient against sums
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "ops/library/shared/bicubic.h"

enum { IN = 4, OUT = 8 };

static double from[IN * IN], to[OUT * OUT];

static struct osw_image image_of(double *data, int64_t size)
{
    const osw_dtype f64 = {OSW_FLOAT, 64, 1};
    struct osw_image m = {
        (char *)data, f64, 1, 1, size, size, {size * size, 0, size, 1}};

    return m;
}

static struct osw_bicubic doubled(int align_corners)
{
    struct osw_bicubic b = {.in = image_of(from, IN),
                            .out = image_of(to, OUT),
                            .align_corners = align_corners};

    osw_bicubic_scale(&b, 0, 2.0, IN, OUT);
    osw_bicubic_scale(&b, 1, 2.0, IN, OUT);
    return b;
}

static void rows_are_those_that_onnx_states(void **state)
{
    /* resize_upsample_scales_cubic, and with aligned corners its first row */
    static const double half_pixel[2][OUT] = {
        {0.47265625, 0.76953125, 1.24609375, 1.875, 2.28125, 2.91015625,
         3.38671875, 3.68359375},
        {1.66015625, 1.95703125, 2.43359375, 3.0625, 3.46875, 4.09765625,
         4.57421875, 4.87109375}};
    static const double aligned[] = {1.0,        1.34110787, 1.80029155,
                                     2.32944606, 2.67055394, 3.19970845,
                                     3.65889213, 4.0};
    struct osw_bicubic b = doubled(0);

    (void)state;
    for (int i = 0; i < IN * IN; i++)
        from[i] = i + 1;
    for (int i = 0; i < 2 * OUT; i++)
        assert_float_equal(osw_bicubic_at(&b, i), half_pixel[i / OUT][i % OUT],
                           1e-9);
    b = doubled(1);
    for (int i = 0; i < OUT; i++)
        assert_float_equal(osw_bicubic_at(&b, i), aligned[i], 1e-7);
}

/* sum(out(x) * g) = sum(x * gradient(g)) for each x with a single 1. */
static void the_gradient_is_what_each_output_takes(void **state)
{
    (void)state;
    for (int align = 0; align < 2; align++)
        for (int one = 0; one < IN * IN; one++) {
            struct osw_bicubic b = doubled(align);
            double sum = 0.0;

            for (int i = 0; i < IN * IN; i++)
                from[i] = i == one;
            for (int i = 0; i < OUT * OUT; i++)
                to[i] = sin(i);
            for (int i = 0; i < OUT * OUT; i++)
                sum += osw_bicubic_at(&b, i) * to[i];
            assert_float_equal(osw_bicubic_backward_at(&b, one), sum, 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_that_onnx_states),
        cmocka_unit_test(the_gradient_is_what_each_output_takes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
