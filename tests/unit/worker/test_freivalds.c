/* tests/unit/worker/test_freivalds.c - is C = plus + A @ B?
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

#include "tests/unit/chaos.h"
#include "tests/unit/worker/judge_tensor.h"
#include "worker/judge/compare/freivalds.h"
#include "worker/judge/inputs/fill.h"

enum { NO_PLUS = -1 };

/* A product: shapes and strides of its parts (ndim 0, strides {0}: none
 * given; then contiguous).
 */
struct product {
    const char *what;
    enum osw_dtype_id dtype, c_dtype;
    double q; /* entries in [-q, q] */
    int32_t ndim_a, ndim_b, ndim_c, ndim_plus;
    int64_t a[3], b[3], c[3], plus[3];
    int64_t strides_a[3], strides_b[3];
};

/* clang-format off */
static const struct product products[] = {
    { "plain",          OSW_F32, OSW_F32, 8, 2, 2, 2, NO_PLUS, { 40, 30 }, { 30, 50 }, { 40, 50 }, { 0 }, { 0 }, { 0 } },
    { "halves",         OSW_F16, OSW_F16, 2, 2, 2, 2, NO_PLUS, { 70, 64 }, { 64, 300 }, { 70, 300 }, { 0 }, { 0 }, { 0 } },
    { "b transposed",   OSW_BF16, OSW_F32, 3, 2, 2, 2, NO_PLUS, { 9, 33 }, { 33, 17 }, { 9, 17 }, { 0 }, { 0 }, { 1, 33 } },
    { "a transposed",   OSW_F64, OSW_F64, 1000, 2, 2, 2, NO_PLUS, { 9, 33 }, { 33, 17 }, { 9, 17 }, { 0 }, { 1, 9 }, { 0 } },
    { "bias",           OSW_F32, OSW_F32, 4, 2, 2, 2, 1, { 12, 8 }, { 8, 20 }, { 12, 20 }, { 20 }, { 0 }, { 0 } },
    { "bias per row",   OSW_F32, OSW_F32, 4, 2, 2, 2, 2, { 12, 8 }, { 8, 20 }, { 12, 20 }, { 12, 1 }, { 0 }, { 0 } },
    { "a number added", OSW_F32, OSW_F32, 4, 2, 2, 2, 0, { 12, 8 }, { 8, 20 }, { 12, 20 }, { 0 }, { 0 }, { 0 } },
    { "matrix added",   OSW_F16, OSW_F16, 2, 2, 2, 2, 2, { 12, 8 }, { 8, 20 }, { 12, 20 }, { 12, 20 }, { 0 }, { 0 } },
    { "batches",        OSW_F32, OSW_F32, 4, 3, 3, 3, 3, { 3, 6, 8 }, { 3, 8, 5 }, { 3, 6, 5 }, { 3, 6, 5 }, { 0 }, { 0 } },
    { "batches by one b", OSW_F32, OSW_F32, 4, 3, 2, 3, 1, { 3, 6, 8 }, { 8, 5 }, { 3, 6, 5 }, { 5 }, { 0 }, { 0 } },
    { "batches by expanded a", OSW_F32, OSW_F32, 4, 3, 3, 3, NO_PLUS, { 3, 6, 8 }, { 3, 8, 5 }, { 3, 6, 5 }, { 0 }, { 0, 8, 1 }, { 0 } },
    { "large entries",  OSW_F64, OSW_F64, 0x1p20, 2, 2, 2, NO_PLUS, { 6, 16 }, { 16, 40 }, { 6, 40 }, { 0 }, { 0 }, { 0 } },
    { "one element",    OSW_F32, OSW_F32, 8, 2, 2, 2, NO_PLUS, { 1, 1 }, { 1, 1 }, { 1, 1 }, { 0 }, { 0 }, { 0 } },
    { "no inner size",  OSW_F32, OSW_F32, 8, 2, 2, 2, 1, { 3, 0 }, { 0, 4 }, { 3, 4 }, { 4 }, { 0 }, { 0 } },
    { "no rows",        OSW_F32, OSW_F32, 8, 2, 2, 2, NO_PLUS, { 0, 3 }, { 3, 4 }, { 0, 4 }, { 0 }, { 0 }, { 0 } },
    { "no columns",     OSW_F32, OSW_F32, 8, 2, 2, 2, NO_PLUS, { 3, 3 }, { 3, 0 }, { 3, 0 }, { 0 }, { 0 }, { 0 } },
};
/* clang-format on */

struct made {
    struct tensor a, b, c, plus;
    struct osw_matmul job;
};

/* Index of row-major element (batch, i, j) of a tensor that may broadcast. */
static int64_t index_in(const struct tensor *t, int64_t batch, int64_t i,
                        int64_t j)
{
    const int64_t at[3] = {j, i, batch};
    int64_t index = 0, step = 1;

    for (int32_t d = t->desc.ndim - 1, k = 0; d >= 0; d--, k++) {
        if (t->shape[d] != 1)
            index += at[k] * step;
        step *= t->shape[d];
    }
    return index;
}

static double exact_at(const struct made *m, int64_t batch, int64_t i,
                       int64_t j)
{
    int64_t inner = m->a.shape[m->a.desc.ndim - 1];
    double sum = 0;

    if (m->job.plus)
        sum = tensor_get(&m->plus, index_in(&m->plus, batch, i, j));
    for (int64_t k = 0; k < inner; k++)
        sum += tensor_get(&m->a, index_in(&m->a, batch, i, k)) *
               tensor_get(&m->b, index_in(&m->b, batch, k, j));
    return sum;
}

/* Fill the inputs and multiply the plain way, rounding to c's dtype. */
static void multiply(struct made *m, double q)
{
    struct osw_fill fill = {.kind = OSW_FILL_SMALLINT, .a = q};
    int32_t d = m->c.desc.ndim;
    int64_t n_batches = d > 2 ? m->c.shape[0] : 1;
    int64_t rows = m->c.shape[d - 2], cols = m->c.shape[d - 1];

    osw_fill_tensor(&m->a.view, &fill, 1, 0, 0);
    osw_fill_tensor(&m->b.view, &fill, 1, 1, 0);
    osw_fill_tensor(&m->plus.view, &fill, 1, 2, 0);
    for (int64_t batch = 0; batch < n_batches; batch++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++)
                tensor_set(&m->c, (batch * rows + i) * cols + j,
                           exact_at(m, batch, i, j));
}

static void make(struct made *m, const struct product *p)
{
    bool some_a = p->strides_a[1] || p->strides_a[0];
    bool some_b = p->strides_b[1] || p->strides_b[0];

    memset(m, 0, sizeof(*m));
    tensor_make(&m->a, p->dtype, p->ndim_a, p->a, some_a ? p->strides_a : NULL);
    tensor_make(&m->b, p->dtype, p->ndim_b, p->b, some_b ? p->strides_b : NULL);
    tensor_make(&m->c, p->c_dtype, p->ndim_c, p->c, NULL);
    tensor_make(&m->plus, p->dtype, p->ndim_plus < 0 ? 0 : p->ndim_plus,
                p->plus, NULL);
    m->job.a = &m->a.view;
    m->job.b = &m->b.view;
    m->job.c = &m->c.view;
    m->job.plus = p->ndim_plus == NO_PLUS ? NULL : &m->plus.view;
    m->job.seed = 99;
    multiply(m, p->q);
}

static void drop(struct made *m)
{
    tensor_free(&m->a);
    tensor_free(&m->b);
    tensor_free(&m->c);
    tensor_free(&m->plus);
}

static struct osw_freivalds check(const struct made *m)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_freivalds out;

    assert_int_equal(osw_freivalds_check(&m->job, &out, &err), 0);
    return out;
}

static void right_products_are_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(products); i++) {
        struct osw_freivalds out;
        struct made m;

        print_message("  product: %s\n", products[i].what);
        make(&m, &products[i]);
        out = check(&m);
        assert_int_equal(out.answer, OSW_FREIVALDS_RIGHT);
        assert_int_equal(out.n_rounded_rows, 0);
        assert_int_equal(out.bad_index, -1);
        assert_true(out.n_vectors >= 1 && out.miss <= 0x1p-20);
        if (osw_view_numel(&m.c.view) > 0)
            assert_int_equal(out.n_rows, osw_view_numel(&m.c.view) /
                                             m.c.shape[m.c.desc.ndim - 1]);
        drop(&m);
    }
}

static void one_wrong_element_is_found_wherever_it_is(void **state)
{
    static const double wrong[] = {1, -1, 0.5, 1e6, NAN, INFINITY};

    (void)state;
    for (size_t i = 0; i < N_ELEM(products); i++) {
        struct made m;
        int64_t n;

        print_message("  product: %s\n", products[i].what);
        make(&m, &products[i]);
        n = osw_view_numel(&m.c.view);
        for (int64_t at = 0; at<n; at += n> 50 ? n / 7 : 1) {
            double right = tensor_get(&m.c, at);

            for (size_t w = 0; w < N_ELEM(wrong); w++) {
                struct osw_freivalds out;

                tensor_set(&m.c, at, right + wrong[w]);
                if (tensor_get(&m.c, at) == right)
                    continue; /* too small a change for the dtype */
                out = check(&m);
                assert_int_equal(out.answer, OSW_FREIVALDS_WRONG);
                assert_int_equal(out.bad_index, at);
                assert_true(out.expected == right);
                assert_true(out.got == tensor_get(&m.c, at) ||
                            (isnan(out.got) && isnan(wrong[w])));
            }
            tensor_set(&m.c, at, right);
        }
        drop(&m);
    }
}

/* Errors that cancel in sums of a row, of a column, or over the matrix. */
static void errors_that_cancel_are_found(void **state)
{
    struct made m;

    (void)state;
    make(&m, &products[0]);
    tensor_set(&m.c, 3, tensor_get(&m.c, 3) + 1);
    tensor_set(&m.c, 4, tensor_get(&m.c, 4) - 1);
    tensor_set(&m.c, 53, tensor_get(&m.c, 53) - 1);
    tensor_set(&m.c, 54, tensor_get(&m.c, 54) + 1);
    assert_int_equal(check(&m).bad_index, 3);
    drop(&m);
}

static void a_missing_last_product_is_found(void **state)
{
    struct made m;
    int64_t k = products[1].a[1] - 1, cols = products[1].c[1];

    (void)state;
    make(&m, &products[1]);
    for (int64_t i = 0; i < products[1].c[0]; i++)
        for (int64_t j = 0; j < cols; j++)
            tensor_set(&m.c, i * cols + j,
                       exact_at(&m, 0, i, j) -
                           tensor_get(&m.a, index_in(&m.a, 0, i, k)) *
                               tensor_get(&m.b, index_in(&m.b, 0, k, j)));
    assert_int_equal(check(&m).answer, OSW_FREIVALDS_WRONG);
    drop(&m);
}

/* Row 0 of c passes 256, where bf16 leaves every other integer out. */
static void few_rounded_rows_are_right_and_many_not_applicable(void **state)
{
    const int64_t shape_a[] = {200, 1}, shape_b[] = {1, 3}, c[] = {200, 3};
    struct osw_freivalds out;
    struct made m;

    (void)state;
    memset(&m, 0, sizeof(m));
    tensor_make(&m.a, OSW_BF16, 2, shape_a, NULL);
    tensor_make(&m.b, OSW_BF16, 2, shape_b, NULL);
    tensor_make(&m.c, OSW_BF16, 2, c, NULL);
    m.job = (struct osw_matmul){
        .c = &m.c.view, .a = &m.a.view, .b = &m.b.view, .seed = 1};
    tensor_set(&m.b, 1, 255);
    for (int64_t i = 0; i < 200; i++) {
        tensor_set(&m.a, i, i == 100 ? 3 : 1); /* 765: rounded to 764 */
        tensor_set(&m.c, i * 3 + 1, i == 100 ? 764 : 255);
    }
    out = check(&m);
    assert_int_equal(out.answer, OSW_FREIVALDS_RIGHT);
    assert_int_equal(out.n_rounded_rows, 1);
    tensor_set(&m.c, 301, 768); /* rounded wrongly */
    out = check(&m);
    assert_int_equal(out.answer, OSW_FREIVALDS_WRONG);
    assert_int_equal(out.bad_index, 301);
    assert_true(out.expected == 765);
    assert_true(out.got == 768);
    for (int64_t i = 0; i < 200; i++) {
        tensor_set(&m.a, i, 3);
        tensor_set(&m.c, i * 3 + 1, 764);
    }
    out = check(&m);
    assert_int_equal(out.answer, OSW_FREIVALDS_NOT_APPLICABLE);
    assert_string_equal(out.why, "results do not fit the dtype exactly");
    drop(&m);
}

static void results_that_overflow_are_infinite(void **state)
{
    const int64_t one[] = {1, 1};
    struct made m;

    (void)state;
    memset(&m, 0, sizeof(m));
    tensor_make(&m.a, OSW_F16, 2, one, NULL);
    tensor_make(&m.b, OSW_F16, 2, one, NULL);
    tensor_make(&m.c, OSW_F16, 2, one, NULL);
    m.job = (struct osw_matmul){
        .c = &m.c.view, .a = &m.a.view, .b = &m.b.view, .seed = 1};
    tensor_set(&m.a, 0, 1024);
    tensor_set(&m.b, 0, 1024);
    tensor_set(&m.c, 0, INFINITY);
    assert_int_equal(check(&m).answer, OSW_FREIVALDS_RIGHT);
    tensor_set(&m.c, 0, 65504);
    assert_int_equal(check(&m).answer, OSW_FREIVALDS_WRONG);
    drop(&m);
}

/* --- what it is not for --- */

static void fractions_among_the_inputs_do_not_apply(void **state)
{
    static const double odd[] = {0.5, NAN, INFINITY};

    (void)state;
    for (size_t i = 0; i < N_ELEM(odd); i++)
        for (int which = 0; which < 3; which++) {
            struct osw_freivalds out;
            struct made m;
            struct tensor *t[] = {&m.a, &m.b, &m.plus};

            make(&m, &products[4]);
            tensor_set(t[which], 5, odd[i]);
            out = check(&m);
            assert_int_equal(out.answer, OSW_FREIVALDS_NOT_APPLICABLE);
            assert_string_equal(out.why,
                                "inputs are not all integers below 2^51");
            drop(&m);
        }
}

static void sums_beyond_2_to_53_do_not_apply(void **state)
{
    struct osw_freivalds out;
    struct product p = products[11];
    struct made m;

    (void)state;
    p.q = 0x1p24;
    make(&m, &p);
    out = check(&m);
    assert_int_equal(out.answer, OSW_FREIVALDS_NOT_APPLICABLE);
    assert_string_equal(out.why, "sums may pass 2^53");
    drop(&m);
}

static const struct {
    const char *what;
    enum osw_dtype_id dtype;
    int32_t ndim_a, ndim_b, ndim_plus;
    int64_t a[4], b[4], plus[4]; /* c is [3, 4] */
    const char *why;
} misfits[] = {
    /* clang-format off */
    { "inner sizes differ", OSW_F32, 2, 2, NO_PLUS, { 3, 5 }, { 6, 4 }, { 0 }, "shapes or dtypes are no matrix product's" },
    { "rows differ",        OSW_F32, 2, 2, NO_PLUS, { 2, 5 }, { 5, 4 }, { 0 }, "shapes or dtypes are no matrix product's" },
    { "columns differ",     OSW_F32, 2, 2, NO_PLUS, { 3, 5 }, { 5, 3 }, { 0 }, "shapes or dtypes are no matrix product's" },
    { "batches differ",     OSW_F32, 3, 2, NO_PLUS, { 2, 3, 5 }, { 5, 4 }, { 0 }, "shapes or dtypes are no matrix product's" },
    { "integers",           OSW_I32, 2, 2, NO_PLUS, { 3, 5 }, { 5, 4 }, { 0 }, "shapes or dtypes are no matrix product's" },
    { "a vector",           OSW_F32, 1, 2, NO_PLUS, { 5 }, { 5, 4 }, { 0 }, "not matrices, or batches of them" },
    { "four dimensions",    OSW_F32, 4, 2, NO_PLUS, { 1, 1, 3, 5 }, { 5, 4 }, { 0 }, "shapes or dtypes are no matrix product's" },
    { "plus does not fit",  OSW_F32, 2, 2, 1, { 3, 5 }, { 5, 4 }, { 3 }, "what is added does not fit the product" },
    /* clang-format on */
};

static void other_shapes_do_not_apply(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(misfits); i++) {
        const int64_t c[] = {3, 4};
        struct osw_freivalds out;
        struct made m;

        print_message("  misfit: %s\n", misfits[i].what);
        memset(&m, 0, sizeof(m));
        tensor_make(&m.a, misfits[i].dtype, misfits[i].ndim_a, misfits[i].a,
                    NULL);
        tensor_make(&m.b, misfits[i].dtype, misfits[i].ndim_b, misfits[i].b,
                    NULL);
        tensor_make(&m.plus, misfits[i].dtype,
                    misfits[i].ndim_plus < 0 ? 0 : misfits[i].ndim_plus,
                    misfits[i].plus, NULL);
        tensor_make(&m.c, OSW_F32, 2, c, NULL);
        m.job =
            (struct osw_matmul){.c = &m.c.view, .a = &m.a.view, .b = &m.b.view};
        if (misfits[i].ndim_plus != NO_PLUS)
            m.job.plus = &m.plus.view;
        out = check(&m);
        assert_int_equal(out.answer, OSW_FREIVALDS_NOT_APPLICABLE);
        assert_string_equal(out.why, misfits[i].why);
        drop(&m);
    }
}

static void no_memory_is_an_error(void **state)
{
    struct made m;
    bool struck = true;

    (void)state;
    make(&m, &products[0]);
    for (int n = 0; struck; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_freivalds out;
        int rc;

        chaos_arm(n);
        rc = osw_freivalds_check(&m.job, &out, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_products_are_right),
        cmocka_unit_test(one_wrong_element_is_found_wherever_it_is),
        cmocka_unit_test(errors_that_cancel_are_found),
        cmocka_unit_test(a_missing_last_product_is_found),
        cmocka_unit_test(few_rounded_rows_are_right_and_many_not_applicable),
        cmocka_unit_test(results_that_overflow_are_infinite),
        cmocka_unit_test(fractions_among_the_inputs_do_not_apply),
        cmocka_unit_test(sums_beyond_2_to_53_do_not_apply),
        cmocka_unit_test(other_shapes_do_not_apply),
        cmocka_unit_test(no_memory_is_an_error),
    };

    return cmocka_run_group_tests_name("worker/freivalds", tests, NULL, NULL);
}
