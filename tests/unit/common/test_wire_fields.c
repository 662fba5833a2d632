/* tests/unit/common/test_wire_fields.c - a struct's fields as a message */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/wire_fields.h"

struct sample {
    int32_t small;
    bool flag;
    uint64_t number;
    const char *text;
    unsigned char bytes[3];
};

static const struct osw_field fields[] = {
    OSW_FIELD_BYTE(sample, small),
    OSW_FIELDS_4(sample, flag, number, text, bytes),
};

enum { BYTES = 1 + 1 + 8 + (2 + 2 + 1) + 3 };

static unsigned char message[64];

static size_t write_sample(void)
{
    struct sample sent = {7, true, UINT64_MAX - 1, "ab", {1, 2, 3}};
    struct osw_writer w = osw_writer(message, sizeof(message));

    osw_fields_put(&w, &sent, fields);
    assert_false(w.overrun);
    return w.used;
}

static void fields_arrive_as_they_were_sent(void **state)
{
    struct osw_reader r = osw_reader(message, write_sample());
    struct sample got = {.small = -1};

    (void)state;
    assert_int_equal(r.size, BYTES);
    osw_fields_get(&r, &got, fields);
    assert_true(osw_reader_done(&r));
    assert_int_equal(got.small, 7);
    assert_true(got.flag);
    assert_true(got.number == UINT64_MAX - 1);
    assert_string_equal(got.text, "ab");
    assert_memory_equal(got.bytes, ((unsigned char[]){1, 2, 3}), 3);
}

static void a_flag_is_one_whatever_comes(void **state)
{
    struct osw_reader r = osw_reader(message, write_sample());
    struct sample got;

    (void)state;
    message[1] = 0x80;
    osw_fields_get(&r, &got, fields);
    assert_int_equal(got.flag, 1);
}

static void past_the_end_all_is_nothing(void **state)
{
    struct osw_reader r = osw_reader(message, write_sample() - BYTES + 1);
    struct sample got = {.flag = true, .number = 1, .bytes = {1}};

    (void)state;
    osw_fields_get(&r, &got, fields);
    assert_true(r.overrun);
    assert_int_equal(got.small, 7);
    assert_false(got.flag);
    assert_true(got.number == 0);
    assert_string_equal(got.text, "");
    assert_int_equal(got.bytes[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_arrive_as_they_were_sent),
        cmocka_unit_test(a_flag_is_one_whatever_comes),
        cmocka_unit_test(past_the_end_all_is_nothing),
    };

    return cmocka_run_group_tests_name("common/wire_fields", tests, NULL, NULL);
}
