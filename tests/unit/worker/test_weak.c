/* tests/unit/worker/test_weak.c - would a trivial output pass too?
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/compare/weak.h"

enum { MAX = 4 };

/* An output of n elements, and one input like it. */
static const struct {
    const char *what;
    enum osw_dtype_id dtype;
    int64_t n;
    double want[MAX], input[MAX];
    struct osw_accept accept;
    const char *weak; /* NULL: the check says something */
} cases[] = {
    /* clang-format off */
    { "strong",            OSW_F32, 4, { 1, -2, 3, 4 }, { 5, 6, 7, 8 },     { 1e-5, 1e-5, 0, false }, NULL },
    { "tiny values",       OSW_F32, 4, { 1e-6, -2e-6, 0, 1e-7 }, { 5, 6, 7, 8 }, { 1e-5, 1e-5, 0, false }, "zeros" },
    { "all zeros",         OSW_F32, 4, { 0, 0, 0, 0 },  { 5, 6, 7, 8 },     { 1e-5, 1e-5, 0, false }, NULL },
    { "around 100",        OSW_F32, 4, { 100, 100.1, 99.9, 100.05 }, { 5, 6, 7, 8 }, { 0.01, 0, 0, false }, "the mean everywhere" },
    { "constant",          OSW_F32, 4, { 7, 7, 7, 7 },  { 5, 6, 7, 8 },     { 0.01, 0, 0, false }, NULL },
    { "constant, rounded", OSW_F16, 4, { 0.1, 0.1, 0.1, 0.1 }, { 5, 6, 7, 8 }, { 0.01, 0, 0, false }, NULL },
    { "one element",       OSW_F32, 1, { 3 },           { 5 },              { 0.01, 0, 0, false }, NULL },
    { "nearly the input",  OSW_F32, 4, { 5, 6, 7, 8.001 }, { 5, 6, 7, 8 },  { 0.01, 0, 0, false }, "a copy of an input" },
    { "the input",         OSW_F32, 4, { 5, 6, 7, 8 },  { 5, 6, 7, 8 },     { 0.01, 0, 0, false }, NULL },
    { "one NaN",           OSW_F32, 4, { 1e-6, NAN, 0, 0 }, { 5, 6, 7, 8 }, { 1e-5, 1e-5, 0, false }, NULL },
    { "exact",             OSW_F32, 4, { 1e-6, 0, 0, 0 }, { 5, 6, 7, 8 },   { 0, 0, 0, true }, NULL },
    { "integers",          OSW_I32, 4, { 1, 1, 1, 2 },  { 5, 6, 7, 8 },     { 0, 0, 0, true }, NULL },
    { "largest integers",  OSW_I64, 2, { 0x1p62, 0x1.8p62 }, { 5, 6 },      { 0, 0, 0, true }, NULL },
    { "integer, unrounded", OSW_I8, 1, { 7.9 },         { 5 },              { 0, 0.6, 0, false }, NULL },
    { "integers, tolerant", OSW_I8, 2, { 7.9, 9 },      { 5, 6 },           { 0, 1.5, 0, false }, "the mean everywhere" },
    { "bools",             OSW_B8,  4, { 1, 1, 1, 0 },  { 1, 1, 1, 1 },     { 0, 0, 0, true }, NULL },
    { "nothing",           OSW_F32, 0, { 0 },           { 0 },              { 0.01, 0, 0, false }, NULL },
    /* clang-format on */
};

static struct osw_device host = {.ops = &osw_device_cpu_ops};
static unsigned char scratch[OSW_PLACE_SCRATCH];
static const struct osw_place place = {
    .ops = &osw_judge_cpu_ops, .device = &host, .private.base = scratch};

static void trivial_outputs_are_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        struct tensor input, other[2];
        struct osw_view inputs[3];
        struct osw_expected want = {.exact = cases[i].want};
        const char *weak;

        print_message("  case: %s\n", cases[i].what);
        tensor_vector(&input, cases[i].dtype, cases[i].n);
        tensor_vector(&other[0], cases[i].dtype, cases[i].n + 1);
        tensor_vector(&other[1], OSW_U8, cases[i].n);
        inputs[0] = other[0].view;
        inputs[1] = other[1].view;
        inputs[2] = input.view;
        for (int64_t k = 0; k < cases[i].n; k++)
            tensor_set(&input, k, cases[i].input[k]);
        weak = osw_weak_find(&place, &input.desc, &want, &cases[i].accept,
                             inputs, 3);
        if (cases[i].weak)
            assert_string_equal(weak, cases[i].weak);
        else
            assert_null(weak);
        tensor_free(&input);
        tensor_free(&other[0]);
        tensor_free(&other[1]);
    }
}

static void expected_views_and_complex_outputs_are_tried_too(void **state)
{
    struct osw_accept accept = {.atol = 1e-3};
    struct osw_expected want = {.exact = NULL};
    struct tensor t;

    (void)state;
    tensor_vector(&t, OSW_C64, 600);
    want.view = t.view;
    assert_null(osw_weak_find(&place, &t.desc, &want, &accept, NULL, 0));
    ((float *)t.view.data)[1001] = 1e-4f;
    assert_string_equal(osw_weak_find(&place, &t.desc, &want, &accept, NULL, 0),
                        "zeros");
    ((float *)t.view.data)[1001] = 1;
    assert_null(osw_weak_find(&place, &t.desc, &want, &accept, NULL, 0));
    tensor_free(&t);
}

static void the_mean_is_taken_over_strided_views(void **state)
{
    const int64_t shape[] = {50, 7}, strides[] = {1, 60};
    struct osw_accept accept = {.rtol = 0.01};
    struct osw_expected want = {.exact = NULL};
    struct tensor t;

    (void)state;
    tensor_make(&t, OSW_F64, 2, shape, strides);
    for (int64_t i = 0; i < 350; i++)
        tensor_set(&t, i, 200 + (double)(i % 3) / 4);
    want.view = t.view;
    assert_string_equal(osw_weak_find(&place, &t.desc, &want, &accept, NULL, 0),
                        "the mean everywhere");
    tensor_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trivial_outputs_are_named),
        cmocka_unit_test(expected_views_and_complex_outputs_are_tried_too),
        cmocka_unit_test(the_mean_is_taken_over_strided_views),
    };

    return cmocka_run_group_tests_name("worker/weak", tests, NULL, NULL);
}
