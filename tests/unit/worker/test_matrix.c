/* tests/unit/worker/test_matrix.c - exact arithmetic on matrices of integers
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
#include "worker/judge/compare/matrix.h"

enum { N_VECTORS = 2 };

static struct osw_matrix matrix_of(const struct tensor *t)
{
    return (struct osw_matrix){.data = t->view.data,
                               .dtype = t->desc.dtype,
                               .bytes = (int64_t)osw_view_elem_bytes(&t->view),
                               .rows = t->shape[0],
                               .cols = t->shape[1],
                               .row_stride = t->strides[0],
                               .col_stride = t->strides[1]};
}

static const struct {
    const char *what;
    enum osw_dtype_id dtype;
    int64_t shape[2], strides[2];
} layouts[] = {
    /* clang-format off */
    { "by rows",          OSW_F32,  { 7, 600 }, { 600, 1 } },
    { "by columns",       OSW_F16,  { 600, 7 }, { 1, 600 } },
    { "gaps everywhere",  OSW_F64,  { 5, 33 },  { 70, 2 } },
    { "one row repeated", OSW_BF16, { 6, 300 }, { 0, 1 } },
    { "one column repeated", OSW_F32, { 6, 30 }, { 1, 0 } },
    { "one element",      OSW_F32,  { 1, 1 },   { 1, 1 } },
    { "no columns",       OSW_F32,  { 3, 0 },   { 0, 1 } },
    /* clang-format on */
};

static void products_with_vectors_are_exact(void **state)
{
    (void)state;
    for (size_t l = 0; l < N_ELEM(layouts); l++) {
        struct tensor t;
        struct osw_matrix m;
        int64_t rows, cols;
        double *x, *y;

        print_message("  layout: %s\n", layouts[l].what);
        tensor_make(&t, layouts[l].dtype, 2, layouts[l].shape,
                    layouts[l].strides);
        m = matrix_of(&t);
        rows = m.rows;
        cols = m.cols;
        for (int64_t i = 0; i < rows * cols; i++)
            tensor_set(&t, i, (double)(i % 17 - 8));
        x = calloc((size_t)(N_VECTORS * cols) + 1, sizeof(*x));
        y = calloc((size_t)(N_VECTORS * rows) + 1, sizeof(*y));
        for (int64_t i = 0; i < N_VECTORS * cols; i++)
            x[i] = (double)(i * 31 % 1001 - 500);
        for (int64_t i = 0; i < N_VECTORS * rows; i++)
            y[i] = (double)i;
        osw_matrix_apply(&m, N_VECTORS, x, y);
        for (int k = 0; k < N_VECTORS; k++)
            for (int64_t i = 0; i < rows; i++) {
                double want = (double)(k * rows + i);

                for (int64_t j = 0; j < cols; j++)
                    want += tensor_get(&t, i * cols + j) * x[k * cols + j];
                assert_true(y[k * rows + i] == want);
            }
        free(x);
        free(y);
        tensor_free(&t);
    }
}

static void the_largest_entry_is_found_and_fractions_refused(void **state)
{
    static const double refused[] = {0.5,       NAN,    INFINITY,
                                     -INFINITY, 0x1p52, 1e-300};
    struct tensor t;
    double max;

    (void)state;
    tensor_vector(&t, OSW_F64, 1000);
    assert_true(osw_matrix_scan(&t.view, &max));
    assert_true(max == 0);
    for (int64_t at = 0; at < 1000; at += 111) {
        tensor_set(&t, at, -123 - (double)at);
        assert_true(osw_matrix_scan(&t.view, &max));
        assert_true(max == 123 + (double)at);
        for (size_t i = 0; i < N_ELEM(refused); i++) {
            tensor_set(&t, at, refused[i]);
            assert_false(osw_matrix_scan(&t.view, &max));
        }
        tensor_set(&t, at, 0x1p51);
        assert_true(osw_matrix_scan(&t.view, &max));
        tensor_set(&t, at, 0);
    }
    tensor_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_with_vectors_are_exact),
        cmocka_unit_test(the_largest_entry_is_found_and_fractions_refused),
    };

    return cmocka_run_group_tests_name("worker/matrix", tests, NULL, NULL);
}
