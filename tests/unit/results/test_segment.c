/* tests/unit/results/test_segment.c - headers and frames, whole and harmed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "results/journal/crc32c.h"
#include "results/journal/segment.h"

static struct osw_segment sample(void)
{
    struct osw_segment s = {.number = 7,
                            .first_seq = 4711,
                            .uuid = "01234567-89ab-4cde-8f01-23456789abcd",
                            .tool_version = "1.2.3"};

    for (int i = 0; i < 32; i++)
        s.campaign_sha256[i] = (uint8_t)i;
    return s;
}

static void encode(const struct osw_segment *s, unsigned char *out)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_segment_encode(s, out, &err), 0);
}

static void a_header_comes_back_as_written(void **state)
{
    unsigned char bytes[OSW_SEGMENT_HEADER_BYTES];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_segment s = sample(), got = {0};

    (void)state;
    encode(&s, bytes);
    assert_int_equal(osw_segment_decode(bytes, sizeof(bytes), &got, &err), 0);
    assert_int_equal(got.number, 7);
    assert_int_equal(got.first_seq, 4711);
    assert_string_equal(got.uuid, s.uuid);
    assert_string_equal(got.tool_version, "1.2.3");
    assert_memory_equal(got.campaign_sha256, s.campaign_sha256, 32);
}

static void any_flipped_bit_of_a_header_is_noticed(void **state)
{
    unsigned char bytes[OSW_SEGMENT_HEADER_BYTES];
    struct osw_segment s = sample(), got;

    (void)state;
    encode(&s, bytes);
    for (size_t bit = 0; bit < 8 * sizeof(bytes); bit += 5) {
        struct osw_error err = OSW_ERROR_INIT;

        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_equal(osw_segment_decode(bytes, sizeof(bytes), &got, &err),
                         -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

static void a_short_header_is_none(void **state)
{
    unsigned char bytes[OSW_SEGMENT_HEADER_BYTES];
    struct osw_segment s = sample(), got;

    (void)state;
    encode(&s, bytes);
    for (size_t n = 0; n < sizeof(bytes); n += 97) {
        struct osw_error err = OSW_ERROR_INIT;

        assert_int_equal(osw_segment_decode(bytes, n, &got, &err), -1);
        assert_string_equal(err.text, "not a journal segment");
    }
}

static void sign(unsigned char *bytes)
{
    uint32_t crc = osw_crc32c(0, bytes, OSW_SEGMENT_HEADER_BYTES - 4);

    memcpy(bytes + OSW_SEGMENT_HEADER_BYTES - 4, &crc, sizeof(crc));
}

static void another_format_version_says_so(void **state)
{
    unsigned char bytes[OSW_SEGMENT_HEADER_BYTES];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_segment s = sample(), got;

    (void)state;
    encode(&s, bytes);
    bytes[8] = 2; /* the version, after the magic */
    sign(bytes);
    assert_int_equal(osw_segment_decode(bytes, sizeof(bytes), &got, &err), -1);
    assert_string_equal(err.text, "journal format 2, this program reads 1");
}

static void other_columns_name_the_version_that_wrote_them(void **state)
{
    unsigned char bytes[OSW_SEGMENT_HEADER_BYTES];
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_segment s = sample(), got;
    unsigned char *name;

    (void)state;
    encode(&s, bytes);
    name = memmem(bytes, sizeof(bytes), "sample_off", 10);
    assert_non_null(name);
    name[7] = 'x';
    sign(bytes);
    assert_int_equal(osw_segment_decode(bytes, sizeof(bytes), &got, &err), -1);
    assert_non_null(strstr(err.text, "opsweep 1.2.3"));
    assert_non_null(strstr(err.text, "other columns"));
}

static void a_frame_comes_back_as_written(void **state)
{
    unsigned char bytes[64], payload[20] = "payload of 20 bytes";
    struct osw_frame f;

    (void)state;
    assert_int_equal(osw_frame_bytes(0), 24);
    assert_int_equal(osw_frame_bytes(8), 32);
    assert_int_equal(osw_frame_bytes(20), 48);
    osw_frame_encode(bytes, 5, 6, 1, payload, 20);
    assert_true(osw_frame_decode(bytes, sizeof(bytes), 5, &f));
    assert_int_equal(f.seq, 5);
    assert_int_equal(f.type, 6);
    assert_int_equal(f.version, 1);
    assert_int_equal(f.payload_bytes, 20);
    assert_int_equal(f.bytes, 48);
    assert_memory_equal(f.payload, payload, 20);
}

static void any_harm_to_a_frame_is_noticed(void **state)
{
    unsigned char bytes[48];
    struct osw_frame f;

    (void)state;
    osw_frame_encode(bytes, 5, 6, 1, "payload of 20 bytes", 20);
    assert_false(osw_frame_decode(bytes, sizeof(bytes), 4, &f));
    assert_false(osw_frame_decode(bytes, sizeof(bytes), 6, &f));
    for (size_t n = 0; n < sizeof(bytes); n++)
        assert_false(osw_frame_decode(bytes, n, 5, &f));
    for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(osw_frame_decode(bytes, sizeof(bytes), 5, &f));
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(osw_frame_decode(bytes, sizeof(bytes), 5, &f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_header_comes_back_as_written),
        cmocka_unit_test(any_flipped_bit_of_a_header_is_noticed),
        cmocka_unit_test(a_short_header_is_none),
        cmocka_unit_test(another_format_version_says_so),
        cmocka_unit_test(other_columns_name_the_version_that_wrote_them),
        cmocka_unit_test(a_frame_comes_back_as_written),
        cmocka_unit_test(any_harm_to_a_frame_is_noticed),
    };

    return cmocka_run_group_tests_name("results/segment", tests, NULL, NULL);
}
