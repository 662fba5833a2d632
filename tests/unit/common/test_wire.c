/* tests/unit/common/test_wire.c - bounded little-endian messages */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/wire.h"

/* What one value of each type comes to, byte by byte. */
static void scalars_are_little_endian(void **state)
{
    static const unsigned char want[] = {
        0x12,                                           /* u8 */
        0x34, 0x12,                                     /* u16 */
        0x78, 0x56, 0x34, 0x12,                         /* u32 */
        0xfe, 0xff, 0xff, 0xff,                         /* i32 -2 */
        0x00, 0x00, 0x80, 0x3f,                         /* f32 1.0 */
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* i64 -1 */
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xc0, /* f64 -2.0 */
        0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, /* u64 */
    };
    unsigned char data[64];
    struct osw_writer w = osw_writer(data, sizeof(data));
    struct osw_reader r;

    (void)state;
    osw_write_u8(&w, 0x12);
    osw_write_u16(&w, 0x1234);
    osw_write_u32(&w, 0x12345678);
    osw_write_i32(&w, -2);
    osw_write_f32(&w, 1.0f);
    osw_write_i64(&w, -1);
    osw_write_f64(&w, -2.0);
    osw_write_u64(&w, 0x0102030405060708);
    assert_false(w.overrun);
    assert_int_equal(w.used, sizeof(want));
    assert_memory_equal(data, want, sizeof(want));

    r = osw_reader(data, w.used);
    assert_int_equal(osw_read_u8(&r), 0x12);
    assert_int_equal(osw_read_u16(&r), 0x1234);
    assert_int_equal(osw_read_u32(&r), 0x12345678);
    assert_int_equal(osw_read_i32(&r), -2);
    assert_true(osw_read_f32(&r) == 1.0f);
    assert_int_equal(osw_read_i64(&r), -1);
    assert_true(osw_read_f64(&r) == -2.0);
    assert_true(osw_read_u64(&r) == 0x0102030405060708);
    assert_true(osw_reader_done(&r));
}

static void a_string_is_length_bytes_and_nul(void **state)
{
    static const unsigned char want[] = {2, 0, 'h', 'i', 0, 0, 0, 0};
    unsigned char data[16];
    struct osw_writer w = osw_writer(data, sizeof(data));
    struct osw_reader r;

    (void)state;
    osw_write_str(&w, "hi");
    osw_write_str(&w, NULL);
    assert_int_equal(w.used, sizeof(want));
    assert_memory_equal(data, want, sizeof(want));
    r = osw_reader(data, w.used);
    assert_string_equal(osw_read_str(&r), "hi");
    assert_string_equal(osw_read_str(&r), "");
    assert_true(osw_reader_done(&r));
}

static void a_string_beyond_64k_is_cut(void **state)
{
    static char text[70001];
    static unsigned char data[80000];
    struct osw_writer w = osw_writer(data, sizeof(data));
    struct osw_reader r;

    (void)state;
    memset(text, 'a', 70000);
    osw_write_str(&w, text);
    assert_int_equal(w.used, 2 + 65535 + 1);
    r = osw_reader(data, w.used);
    assert_int_equal(strlen(osw_read_str(&r)), 65535);
    assert_true(osw_reader_done(&r));
}

static void writing_beyond_the_end_sticks(void **state)
{
    unsigned char data[8];
    struct osw_writer w = osw_writer(data, 5);

    (void)state;
    memset(data, 0xee, sizeof(data));
    osw_write_u32(&w, 1);
    osw_write_u16(&w, 2); /* one byte too much */
    osw_write_u8(&w, 3);  /* would fit, but comes too late */
    assert_true(w.overrun);
    assert_int_equal(w.used, 4);
    assert_int_equal(data[4], 0xee);
    assert_int_equal(data[5], 0xee);
}

static void reading_beyond_the_end_sticks_and_gives_zero(void **state)
{
    static const unsigned char data[] = {1, 2, 3};
    struct osw_reader r = osw_reader(data, sizeof(data));

    (void)state;
    assert_int_equal(osw_read_u16(&r), 0x0201);
    assert_int_equal(osw_read_u16(&r), 0);
    assert_int_equal(osw_read_u8(&r), 0);
    assert_string_equal(osw_read_str(&r), "");
    assert_true(r.overrun);
    assert_false(osw_reader_done(&r));
}

static void bytes_left_over_are_not_done(void **state)
{
    static const unsigned char data[] = {1, 2};
    struct osw_reader r = osw_reader(data, sizeof(data));

    (void)state;
    osw_read_u8(&r);
    assert_false(osw_reader_done(&r));
    osw_read_u8(&r);
    assert_true(osw_reader_done(&r));
}

/* Each row is wrong in one way; "ab" would be 02 00 61 62 00. */
static void malformed_strings_are_refused(void **state)
{
    static const struct {
        const char *what;
        unsigned char data[5];
        size_t n;
    } rows[] = {
        {"no length", {2}, 1},
        {"bytes missing", {2, 0, 'a'}, 3},
        {"no closing NUL", {2, 0, 'a', 'b', 'c'}, 5},
        {"NUL cut off", {2, 0, 'a', 'b'}, 4},
        {"NUL inside", {2, 0, 0, 'b', 0}, 5},
        {"length beyond the end", {255, 255, 'a', 'b', 0}, 5},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_reader r = osw_reader(rows[i].data, rows[i].n);

        print_message("  case: %s\n", rows[i].what);
        assert_string_equal(osw_read_str(&r), "");
        assert_true(r.overrun);
    }
}

static void absurd_sizes_do_not_wrap_around(void **state)
{
    unsigned char data[4] = {0};
    struct osw_writer w = osw_writer(data, sizeof(data));
    struct osw_reader r = osw_reader(data, sizeof(data));

    (void)state;
    osw_write_u8(&w, 1);
    assert_null(osw_write_raw(&w, SIZE_MAX));
    osw_read_u8(&r);
    assert_null(osw_read_raw(&r, SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_little_endian),
        cmocka_unit_test(a_string_is_length_bytes_and_nul),
        cmocka_unit_test(a_string_beyond_64k_is_cut),
        cmocka_unit_test(writing_beyond_the_end_sticks),
        cmocka_unit_test(reading_beyond_the_end_sticks_and_gives_zero),
        cmocka_unit_test(bytes_left_over_are_not_done),
        cmocka_unit_test(malformed_strings_are_refused),
        cmocka_unit_test(absurd_sizes_do_not_wrap_around),
    };

    return cmocka_run_group_tests_name("common/wire", tests, NULL, NULL);
}
