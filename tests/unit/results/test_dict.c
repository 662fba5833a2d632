/* tests/unit/results/test_dict.c - texts and their numbers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ops/record/record.h"
#include "ops/record/state.h"
#include "results/journal/dict.h"
#include "results/journal/digest.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static int set_up(void **state)
{
    *state = osw_dicts_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    osw_dicts_destroy(*state);
    return 0;
}

static uint32_t intern(osw_dicts_t *d, enum osw_dict dict, const char *text,
                       bool want_new)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool is_new;
    uint32_t id;

    assert_int_equal(osw_dicts_intern(d, dict, text, &id, &is_new, &err), 0);
    assert_int_equal(is_new, want_new);
    return id;
}

static void a_text_has_one_number(void **state)
{
    osw_dicts_t *d = *state;

    assert_int_equal(intern(d, OSW_DICT_OP, "add", true), 1);
    assert_int_equal(intern(d, OSW_DICT_OP, "mm", true), 2);
    assert_int_equal(intern(d, OSW_DICT_OP, "add", false), 1);
    assert_int_equal(intern(d, OSW_DICT_IMPL, "mm", true), 1);
    assert_int_equal(osw_dicts_count(d, OSW_DICT_OP), 3);
    assert_string_equal(osw_dicts_text(d, OSW_DICT_OP, 2), "mm");
    assert_string_equal(osw_dicts_texts(d, OSW_DICT_OP)[1], "add");
    assert_null(osw_dicts_text(d, OSW_DICT_OP, 3));
}

static void entry_0_is_the_empty_text(void **state)
{
    osw_dicts_t *d = *state;

    assert_int_equal(intern(d, OSW_DICT_REASON, "", false), 0);
    assert_int_equal(intern(d, OSW_DICT_REASON, NULL, false), 0);
    assert_string_equal(osw_dicts_text(d, OSW_DICT_REASON, 0), "");
}

static void many_texts_stay_apart(void **state)
{
    osw_dicts_t *d = *state;
    char text[32];

    for (uint32_t i = 1; i <= 5000; i++) {
        snprintf(text, sizeof(text), "case %u", i);
        assert_int_equal(intern(d, OSW_DICT_CASE, text, true), i);
    }
    for (uint32_t i = 1; i <= 5000; i++) {
        snprintf(text, sizeof(text), "case %u", i);
        assert_int_equal(intern(d, OSW_DICT_CASE, text, false), i);
        assert_string_equal(osw_dicts_text(d, OSW_DICT_CASE, i), text);
    }
}

static void fixed_dictionaries_are_the_tables_of_ops(void **state)
{
    osw_dicts_t *d = *state;

    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++) {
        enum osw_state s = osw_state_at(i);

        assert_string_equal(osw_dicts_text(d, OSW_DICT_STATUS, (uint32_t)s),
                            osw_state_name(s));
        assert_int_equal(intern(d, OSW_DICT_STATUS, osw_state_name(s), false),
                         s);
    }
    /* As in files of before. */
    assert_string_equal(osw_dicts_text(d, OSW_DICT_STATUS, 28), "node");
    assert_string_equal(osw_dicts_text(d, OSW_DICT_STATUS, 0), "");
    assert_string_equal(osw_dicts_text(d, OSW_DICT_PHASE, 0), "none");
    assert_int_equal(intern(d, OSW_DICT_PHASE, "none", false), 0);
    assert_string_equal(osw_dicts_text(d, OSW_DICT_PHASE, OSW_PHASE_TIME),
                        "time");
    assert_string_equal(osw_dicts_text(d, OSW_DICT_CHECK, OSW_CHECK_FREIVALDS),
                        "freivalds");
    assert_string_equal(osw_dicts_text(d, OSW_DICT_STOP, OSW_STOP_TIME_LIMIT),
                        "time_limit");
    assert_true(osw_dict_fixed(OSW_DICT_STOP));
    assert_false(osw_dict_fixed(OSW_DICT_OP));
}

static void a_fixed_dictionary_takes_no_new_entry(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    bool is_new;
    uint32_t id = 99;

    assert_int_equal(
        osw_dicts_intern(*state, OSW_DICT_STATUS, "passed", &id, &is_new, &err),
        -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_string_equal(err.text, "unknown status 'passed'");
    assert_int_equal(id, 99);
}

static void what_is_not_utf8_becomes_question_marks(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
        {"\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80"},
        {"a\xff"
         "b",
         "a?b"},
        {"cut \xe2\x82", "cut ??"},
        {"overlong \xc0\xaf", "overlong ??"},
        {"overlong \xe0\x80\xaf", "overlong ???"},
        {"surrogate \xed\xa0\x80", "surrogate ???"},
        {"beyond \xf4\x90\x80\x80", "beyond ????"},
        {"alone \x80", "alone ?"},
    };

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        uint32_t id = intern(*state, OSW_DICT_OUTPUT, cases[i].text, true);

        assert_string_equal(osw_dicts_text(*state, OSW_DICT_OUTPUT, id),
                            cases[i].want);
    }
    assert_int_equal(intern(*state, OSW_DICT_OUTPUT, "a?b", false), 3);
}

static void the_last_entry_can_be_taken_back(void **state)
{
    osw_dicts_t *d = *state;
    char text[32];

    for (uint32_t i = 1; i <= 100; i++) {
        snprintf(text, sizeof(text), "op %u", i);
        assert_int_equal(intern(d, OSW_DICT_OP, text, true), i);
        osw_dicts_forget(d, OSW_DICT_OP);
        assert_null(osw_dicts_text(d, OSW_DICT_OP, i));
        assert_int_equal(intern(d, OSW_DICT_OP, text, true), i);
    }
    assert_int_equal(intern(d, OSW_DICT_OP, "op 1", false), 1);
    assert_int_equal(osw_dicts_count(d, OSW_DICT_OP), 101);
}

static void a_lean_dictionary_keeps_no_texts(void **state)
{
    osw_dicts_t *d = osw_dicts_create_lean();
    char text[32];

    (void)state;
    assert_non_null(d);
    for (uint32_t i = 1; i <= 5000; i++) {
        snprintf(text, sizeof(text), "case %u", i);
        assert_int_equal(intern(d, OSW_DICT_CASE, text, true), i);
        assert_string_equal(osw_dicts_text(d, OSW_DICT_CASE, i), text);
        assert_int_equal(intern(d, OSW_DICT_CASE, text, false), i);
    }
    assert_null(osw_dicts_texts(d, OSW_DICT_CASE));
    assert_string_equal(osw_dicts_text(d, OSW_DICT_CASE, 0), "");
    assert_null(osw_dicts_text(d, OSW_DICT_CASE, 4999));
    assert_true(osw_dicts_is(d, OSW_DICT_CASE, 0, ""));
    assert_true(osw_dicts_is(d, OSW_DICT_CASE, 4999, "case 4999"));
    assert_false(osw_dicts_is(d, OSW_DICT_CASE, 4998, "case 4999"));
    assert_false(osw_dicts_is(d, OSW_DICT_CASE, 5001, "case 5001"));
    assert_int_equal(intern(d, OSW_DICT_CASE, "a\xff", true), 5001);
    assert_string_equal(osw_dicts_text(d, OSW_DICT_CASE, 5001), "a?");
    osw_dicts_forget(d, OSW_DICT_CASE);
    assert_null(osw_dicts_text(d, OSW_DICT_CASE, 5001));
    assert_null(osw_dicts_text(d, OSW_DICT_CASE, 5000));
    assert_int_equal(intern(d, OSW_DICT_CASE, "a?", true), 5001);
    assert_int_equal(intern(d, OSW_DICT_OP, "mm", true), 1);
    assert_int_equal(intern(d, OSW_DICT_OP, "add", true), 2);
    assert_string_equal(osw_dicts_text(d, OSW_DICT_OP, 1), "mm");
    osw_dicts_destroy(d);
}

/* Of the bytes 0, 1, 2, ... by the key 0, 1, ... 15: vectors_sip128 of the
 * reference implementation (github.com/veorq/SipHash), the first 12 of 16.
 */
static const struct {
    size_t n;
    uint8_t want[12];
} digests[] = {
    /* clang-format off */
    {0, {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14}},
    {1, {0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11}},
    /* clang-format on */
};

static uint8_t key[OSW_DIGEST_KEY_BYTES], text_bytes[64];

static void count_up(void)
{
    for (size_t i = 0; i < sizeof(text_bytes); i++)
        text_bytes[i] = (uint8_t)i;
    memcpy(key, text_bytes, sizeof(key));
}

static void digests_are_those_of_the_reference(void **state)
{
    (void)state;
    count_up();
    for (size_t i = 0; i < N_ELEM(digests); i++) {
        struct osw_digest d = osw_digest_of(key, text_bytes, digests[i].n);

        for (size_t k = 0; k < 12; k++)
            assert_int_equal(d.words[k / 4] >> (8 * (k % 4)) & 255,
                             digests[i].want[k]);
    }
}

static void every_byte_and_the_key_count(void **state)
{
    (void)state;
    count_up();
    for (size_t n = 1; n <= sizeof(text_bytes); n++) {
        struct osw_digest whole = osw_digest_of(key, text_bytes, n), other;

        for (size_t i = 0; i < n; i++) {
            text_bytes[i] ^= 0x80;
            other = osw_digest_of(key, text_bytes, n);
            text_bytes[i] ^= 0x80;
            assert_memory_not_equal(&whole, &other, sizeof(whole));
        }
        other = osw_digest_of(key, text_bytes, n - 1);
        assert_memory_not_equal(&whole, &other, sizeof(whole));
        key[n % sizeof(key)] ^= 1;
        other = osw_digest_of(key, text_bytes, n);
        key[n % sizeof(key)] ^= 1;
        assert_memory_not_equal(&whole, &other, sizeof(whole));
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        char text[32] = "";
        bool is_new;
        enum osw_dict dict = OSW_DICT_OP;
        uint32_t id;
        int rc = -1;
        osw_dicts_t *d;

        chaos_arm(failures);
        d = osw_dicts_create_lean();
        for (int i = 0; d && i < 40; i++) {
            snprintf(text, sizeof(text), "\xc3\xbc %d", i);
            dict = i % 2 ? OSW_DICT_OP : OSW_DICT_CASE;
            rc = osw_dicts_intern(d, dict, text, &id, &is_new, &err);
            if (rc)
                break;
        }
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        if (struck && d) {
            assert_int_equal(err.status, OSW_NO_MEMORY);
            /* what failed can be tried again */
            err = (struct osw_error)OSW_ERROR_INIT;
            assert_int_equal(
                osw_dicts_intern(d, dict, text, &id, &is_new, &err), 0);
            assert_true(is_new);
        }
        osw_dicts_destroy(d);
    }
    assert_true(failures > 5);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_text_has_one_number),
        T(entry_0_is_the_empty_text),
        T(many_texts_stay_apart),
        T(fixed_dictionaries_are_the_tables_of_ops),
        T(a_fixed_dictionary_takes_no_new_entry),
        T(what_is_not_utf8_becomes_question_marks),
        T(the_last_entry_can_be_taken_back),
        cmocka_unit_test(a_lean_dictionary_keeps_no_texts),
        cmocka_unit_test(digests_are_those_of_the_reference),
        cmocka_unit_test(every_byte_and_the_key_count),
        cmocka_unit_test(every_allocation_failure_is_reported),
    };
#undef T

    return cmocka_run_group_tests_name("results/dict", tests, NULL, NULL);
}
