/* tests/unit/ops/test_device_info.c - what is said of a device comes over */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "ops/record/device_info.h"

/* Every text as long as it may be, every number at an edge of its type. */
static struct osw_device_info longest(void)
{
    size_t n;
    const struct osw_device_column *c = osw_device_info_columns(&n);
    struct osw_device_info d;

    osw_device_info_init(&d);
    for (size_t i = 0; i < n; i++)
        if (c[i].size) {
            memset((char *)&d + c[i].offset, 'x', c[i].size - 1);
            ((char *)&d + c[i].offset)[c[i].size - 1] = '\0';
        }
    d.index = INT32_MIN;
    d.cores = UINT32_MAX;
    d.memory_bytes = UINT64_MAX;
    d.max_clock_mhz = -0.0;
    d.check_ns = INT64_MIN;
    return d;
}

static void the_longest_fits_and_comes_back(void **state)
{
    unsigned char data[OSW_DEVICE_INFO_MAX_BYTES];
    struct osw_writer w = osw_writer(data, sizeof(data));
    struct osw_device_info d = longest(), got;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;
    size_t n;
    const struct osw_device_column *c = osw_device_info_columns(&n);

    (void)state;
    osw_device_info_encode(&d, &w);
    assert_false(w.overrun);
    r = osw_reader(data, w.used);
    assert_int_equal(osw_device_info_decode(&r, &got, &err), 0);
    assert_true(osw_reader_done(&r));
    for (size_t i = 0; i < n; i++)
        assert_memory_equal((char *)&d + c[i].offset,
                            (char *)&got + c[i].offset,
                            c[i].size ? c[i].size : 4);
    assert_int_equal(got.memory_bytes, UINT64_MAX);
    assert_int_equal(got.check_ns, INT64_MIN);
    assert_true(signbit(got.max_clock_mhz));
    assert_true(isnan(got.max_memory_clock_mhz));
}

static void cut_off_anywhere_it_is_refused(void **state)
{
    unsigned char data[OSW_DEVICE_INFO_MAX_BYTES];
    struct osw_writer w = osw_writer(data, sizeof(data));
    struct osw_device_info d = longest(), got;

    (void)state;
    osw_device_info_encode(&d, &w);
    memset(&got, 0x7e, sizeof(got));
    for (size_t n = 0; n < w.used; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_reader r = osw_reader(data, n);

        assert_int_equal(osw_device_info_decode(&r, &got, &err), -1);
        assert_int_equal(err.status, OSW_PROTOCOL);
        assert_non_null(strstr(err.text, "device ends in column '"));
    }
    assert_int_equal(got.kind[0], 0x7e); /* untouched */
}

static void a_text_without_room_is_refused(void **state)
{
    unsigned char data[OSW_DEVICE_INFO_MAX_BYTES];
    struct osw_writer w = osw_writer(data, sizeof(data));
    struct osw_device_info got;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;

    (void)state;
    osw_write_str(&w, "cuda");
    osw_write_i32(&w, 0);
    osw_write_str(&w, "GPU-0123456789012345678901234567890123456789012345678"
                      "90123456789");
    r = osw_reader(data, w.used);
    assert_int_equal(osw_device_info_decode(&r, &got, &err), -1);
    assert_string_equal(err.text,
                        "'uuid' of a device has 64 bytes, at most 63");
}

static void only_ok_is_fit(void **state)
{
    struct osw_device_info d;

    (void)state;
    osw_device_info_init(&d);
    assert_true(osw_device_info_fit(&d));
    strcpy(d.health, "oka");
    assert_false(osw_device_info_fit(&d));
    strcpy(d.health, "");
    assert_false(osw_device_info_fit(&d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_fits_and_comes_back),
        cmocka_unit_test(cut_off_anywhere_it_is_refused),
        cmocka_unit_test(a_text_without_room_is_refused),
        cmocka_unit_test(only_ok_is_fit),
    };

    return cmocka_run_group_tests_name("ops/device_info", tests, NULL, NULL);
}
