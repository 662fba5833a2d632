/* tests/unit/common/test_npy.c - arrays as numpy's .npy files */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/formats/npy.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    char path[64];
    unsigned char bytes[4096];
    size_t n;
    struct osw_error err;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    int fd;

    assert_non_null(f);
    strcpy(f->path, "/tmp/osw-npy-XXXXXX");
    fd = mkstemp(f->path);
    assert_true(fd >= 0);
    close(fd);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    unlink(f->path);
    free(f);
    return 0;
}

static void read_back(struct fixture *f)
{
    FILE *in = fopen(f->path, "r");

    assert_non_null(in);
    f->n = fread(f->bytes, 1, sizeof(f->bytes), in);
    fclose(in);
}

/* Headers in the order in which numpy writes their keys. */
static const struct {
    const char *descr;
    int32_t ndim;
    int64_t shape[3];
    size_t data_bytes;
    const char *header;
} cases[] = {
    /* clang-format off */
    { "<f4", 0, {0},       4,  "{'descr': '<f4', 'fortran_order': False, 'shape': (), }" },
    { "<f8", 1, {3},       24, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }" },
    { "|b1", 2, {2, 5},    10, "{'descr': '|b1', 'fortran_order': False, 'shape': (2, 5), }" },
    { "<c16", 3, {1, 2, 3}, 96, "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 2, 3), }" },
    { "<i2", 2, {0, 7},    0,  "{'descr': '<i2', 'fortran_order': False, 'shape': (0, 7), }" },
    /* clang-format on */
};

static void heads_and_data_are_as_the_format_says(void **state)
{
    struct fixture *f = *state;
    unsigned char data[128];

    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)(i + 1);
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        osw_npy_t *npy = osw_npy_create(f->path, cases[i].descr, cases[i].ndim,
                                        cases[i].shape, &f->err);
        size_t half = cases[i].data_bytes / 2, len;

        print_message("  case: %s\n", cases[i].header);
        assert_non_null(npy);
        assert_int_equal(osw_npy_put(npy, data, half, &f->err), 0);
        assert_int_equal(
            osw_npy_put(npy, data + half, cases[i].data_bytes - half, &f->err),
            0);
        assert_int_equal(osw_npy_close(npy, &f->err), 0);
        read_back(f);
        assert_memory_equal(f->bytes, "\x93NUMPY\x01\x00", 8);
        len = f->bytes[8] + 256u * f->bytes[9];
        assert_int_equal((10 + len) % 64, 0);
        assert_memory_equal(f->bytes + 10, cases[i].header,
                            strlen(cases[i].header));
        for (size_t k = strlen(cases[i].header); k + 1 < len; k++)
            assert_int_equal(f->bytes[10 + k], ' ');
        assert_int_equal(f->bytes[10 + len - 1], '\n');
        assert_int_equal(f->n, 10 + len + cases[i].data_bytes);
        assert_memory_equal(f->bytes + 10 + len, data, cases[i].data_bytes);
    }
}

static void the_largest_head_fits(void **state)
{
    struct fixture *f = *state;
    int64_t shape[OSW_NPY_MAX_NDIM];
    osw_npy_t *npy;

    for (size_t d = 0; d < N_ELEM(shape); d++)
        shape[d] = INT64_MAX;
    shape[0] = 0;
    npy = osw_npy_create(f->path, "<c16", OSW_NPY_MAX_NDIM, shape, &f->err);
    assert_non_null(npy);
    assert_int_equal(osw_npy_close(npy, &f->err), 0);
    read_back(f);
    assert_int_equal(f->n % 64, 0);
}

static void too_few_elements_are_told(void **state)
{
    struct fixture *f = *state;
    osw_npy_t *npy = osw_npy_create(f->path, "<f4", 1, (int64_t[]){3}, &f->err);

    assert_non_null(npy);
    assert_int_equal(osw_npy_put(npy, "12345678", 8, &f->err), 0);
    assert_int_equal(osw_npy_close(npy, &f->err), -1);
    assert_int_equal(f->err.status, OSW_INTERNAL);
    assert_non_null(strstr(f->err.text, "4 bytes short of its shape"));
}

static void what_cannot_be_written_is_told_by_name(void **state)
{
    struct fixture *f = *state;
    osw_npy_t *npy;

    assert_null(osw_npy_create("/nowhere/x.npy", "<f4", 0, NULL, &f->err));
    assert_int_equal(f->err.status, OSW_SYSTEM);
    assert_non_null(strstr(f->err.text, "cannot write '/nowhere/x.npy'"));

    f->err = (struct osw_error)OSW_ERROR_INIT;
    npy = osw_npy_create("/dev/full", "<f4", 0, NULL, &f->err);
    assert_non_null(npy); /* the head still is in the stream's buffer */
    assert_int_equal(osw_npy_put(npy, "1234", 4, &f->err), 0);
    assert_int_equal(osw_npy_close(npy, &f->err), -1);
    assert_non_null(strstr(f->err.text, "cannot write '/dev/full'"));
    assert_int_equal(osw_npy_close(NULL, NULL), 0);
}

static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;
    int n = 0;

    for (bool struck = true; struck; n++) {
        osw_npy_t *npy;

        f->err = (struct osw_error)OSW_ERROR_INIT;
        chaos_arm(n);
        npy = osw_npy_create(f->path, "<f4", 1, (int64_t[]){0}, &f->err);
        struck = chaos_struck();
        assert_true(!npy == struck);
        assert_int_equal(f->err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        assert_int_equal(osw_npy_close(npy, NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(heads_and_data_are_as_the_format_says),
        T(the_largest_head_fits),
        T(too_few_elements_are_told),
        T(what_cannot_be_written_is_told_by_name),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("common/npy", tests, NULL, NULL);
}
