/* tests/unit/ops/test_dtype.c - the table of element types */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/notation/dtype.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Numbers are on disk: this table may grow, no row of it may change. */
static const struct {
    int id;
    const char *name;
    enum osw_dtype_class class;
    size_t bytes;
    int code, bits;
    double rtol, atol;
} want[] = {
    /* clang-format off */
    {  1, "f64",  OSW_CLASS_FLOAT,    8,  2, 64,  1e-9,   1e-11 },
    {  2, "f32",  OSW_CLASS_FLOAT,    4,  2, 32,  1.3e-6, 1e-5 },
    {  3, "f16",  OSW_CLASS_FLOAT,    2,  2, 16,  1e-3,   1e-5 },
    {  4, "bf16", OSW_CLASS_FLOAT,    2,  4, 16,  1.6e-2, 1e-5 },
    {  5, "i64",  OSW_CLASS_INT,      8,  0, 64,  0, 0 },
    {  6, "i32",  OSW_CLASS_INT,      4,  0, 32,  0, 0 },
    {  7, "i16",  OSW_CLASS_INT,      2,  0, 16,  0, 0 },
    {  8, "i8",   OSW_CLASS_INT,      1,  0, 8,   0, 0 },
    {  9, "u8",   OSW_CLASS_INT,      1,  1, 8,   0, 0 },
    { 10, "b8",   OSW_CLASS_BOOL,     1,  6, 8,   0, 0 },
    { 11, "c64",  OSW_CLASS_COMPLEX,  8,  5, 64,  1.3e-6, 1e-5 },
    { 12, "c128", OSW_CLASS_COMPLEX, 16,  5, 128, 1e-9,   1e-11 },
    { 13, "c32",  OSW_CLASS_COMPLEX,  4,  5, 32,  1e-3,   1e-5 },
    /* clang-format on */
};

static void every_row_is_as_written_on_disk(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(want); i++) {
        const struct osw_dtype_info *d = osw_dtype_info(want[i].id);

        print_message("  dtype: %s\n", want[i].name);
        assert_non_null(d);
        assert_int_equal(d->id, want[i].id);
        assert_string_equal(d->name, want[i].name);
        assert_int_equal(d->class, want[i].class);
        assert_int_equal(d->bytes, want[i].bytes);
        assert_int_equal(d->dl.code, want[i].code);
        assert_int_equal(d->dl.bits, want[i].bits);
        assert_int_equal(d->dl.lanes, 1);
        assert_true(d->rtol == want[i].rtol && d->atol == want[i].atol);
    }
}

static void every_row_is_found_by_name_and_by_dlpack_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(want); i++) {
        const struct osw_dtype_info *d = osw_dtype_at(i);

        assert_non_null(d);
        assert_ptr_equal(osw_dtype_find(d->name, strlen(d->name)), d);
        assert_ptr_equal(osw_dtype_from_dl(d->dl), d);
    }
    assert_null(osw_dtype_at(N_ELEM(want)));
}

static void what_is_no_dtype_is_not_found(void **state)
{
    osw_dtype vector = {OSW_FLOAT, 32, 4}, odd = {OSW_FLOAT, 8, 1};

    (void)state;
    assert_null(osw_dtype_info(0));
    assert_null(osw_dtype_info(14));
    assert_null(osw_dtype_find("f3", 2));
    assert_null(osw_dtype_find("f322", 4));
    assert_null(osw_dtype_find("", 0));
    assert_null(osw_dtype_from_dl(vector));
    assert_null(osw_dtype_from_dl(odd));
}

static void two_dtypes_are_computed_in_as_torch_does(void **state)
{
    static const char *const rows[][3] = {
        {"f32", "f16", "f32"},   {"f16", "bf16", "f32"},
        {"bf16", "i64", "bf16"}, {"i32", "b8", "i32"},
        {"u8", "i8", "i16"},     {"u8", "i16", "i16"},
        {"u8", "u8", "u8"},      {"i64", "u8", "i64"},
        {"b8", "b8", "b8"},      {"c64", "f64", "c128"},
        {"c64", "f32", "c64"},   {"c64", "i64", "c64"},
        {"c128", "c64", "c128"}, {"f64", "bf16", "f64"},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_dtype_info *d[3];

        for (int k = 0; k < 3; k++)
            d[k] = osw_dtype_find(rows[i][k], strlen(rows[i][k]));
        assert_string_equal(osw_dtype_promote(d[0], d[1])->name, d[2]->name);
        assert_string_equal(osw_dtype_promote(d[1], d[0])->name, d[2]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_as_written_on_disk),
        cmocka_unit_test(every_row_is_found_by_name_and_by_dlpack_type),
        cmocka_unit_test(what_is_no_dtype_is_not_found),
        cmocka_unit_test(two_dtypes_are_computed_in_as_torch_does),
    };

    return cmocka_run_group_tests_name("ops/dtype", tests, NULL, NULL);
}
