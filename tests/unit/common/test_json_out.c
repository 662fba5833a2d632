/* tests/unit/common/test_json_out.c - writing JSON in order */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/json.h"
#include "common/json_out.h"

static void members_are_written_in_the_order_of_calls(void **state)
{
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&t);

    (void)state;
    osw_json_out_object(&o, NULL);
    osw_json_out_str(&o, "z", "x");
    osw_json_out_list(&o, "a");
    osw_json_out_i64(&o, NULL, -1);
    osw_json_out_u64(&o, NULL, UINT64_MAX);
    osw_json_out_object(&o, NULL);
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    osw_json_out_list(&o, "empty");
    osw_json_out_end(&o);
    osw_json_out_bool(&o, "b", true);
    osw_json_out_null(&o, "n");
    osw_json_out_end(&o);
    assert_string_equal(osw_text_str(&t), "{\n"
                                          "  \"z\": \"x\",\n"
                                          "  \"a\": [\n"
                                          "    -1,\n"
                                          "    18446744073709551615,\n"
                                          "    {}\n"
                                          "  ],\n"
                                          "  \"empty\": [],\n"
                                          "  \"b\": true,\n"
                                          "  \"n\": null\n"
                                          "}\n");
    osw_text_free(&t);
}

static void numbers_read_back_the_same(void **state)
{
    static const struct {
        double v;
        const char *want;
    } rows[] = {
        {0.0, "0.0"},        {-0.0, "-0.0"},
        {1.0, "1.0"},        {0.1, "0.1"},
        {-2.5, "-2.5"},      {1e300, "1e+300"},
        {NAN, "null"},       {INFINITY, "null"},
        {-INFINITY, "null"}, {0x1.0000000000001p0, "1.0000000000000002"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_text t = OSW_TEXT_INIT;
        struct osw_json_out o = osw_json_out(&t);

        osw_json_out_f64(&o, NULL, rows[i].v);
        assert_string_equal(osw_text_str(&t), rows[i].want);
        osw_text_free(&t);
    }
}

static void strings_are_escaped(void **state)
{
    static const struct {
        const char *in, *want;
    } rows[] = {
        {"", "\"\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"a\nb\tc\x7f", "\"a\\nb\\u0009c\\u007f\""},
        {"h\xc3\xa9", "\"h\xc3\xa9\""},
        {"\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"a\xff", "\"a\\ufffd\""},
        {"\xc3", "\"\\ufffd\""},                       /* cut short */
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},            /* overlong */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* surrogate */
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_text t = OSW_TEXT_INIT;
        struct osw_json_out o = osw_json_out(&t);

        osw_json_out_str(&o, NULL, rows[i].in);
        assert_string_equal(osw_text_str(&t), rows[i].want);
        osw_text_free(&t);
    }
}

/* Every byte but NUL, and every pair that starts a sequence wrongly. */
static void whatever_is_written_can_be_read(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&t);
    osw_json_t *root;

    (void)state;
    osw_json_out_list(&o, NULL);
    for (int first = 1; first < 256; first++)
        for (int second = 0x70; second < 256; second += 8) {
            char s[] = {(char)first, (char)second, '\0'};

            osw_json_out_str(&o, NULL, s);
        }
    osw_json_out_f64(&o, NULL, DBL_MIN);
    osw_json_out_end(&o);
    root = osw_json_parse(t.data, t.used, "out", &err);
    assert_string_equal(err.text, "");
    assert_int_equal(osw_json_size(root), 255 * 18 + 1);
    osw_json_free(root);
    osw_text_free(&t);
}

/* Lists in lists up to what can be written, one more is refused. */
static void what_was_read_is_written_again(void **state)
{
    static const char text[] = "{\n"
                               "  \"z\": \"x\",\n"
                               "  \"a\": [\n"
                               "    -1,\n"
                               "    0.1,\n"
                               "    {\n"
                               "      \"b\": true,\n"
                               "      \"n\": null\n"
                               "    },\n"
                               "    []\n"
                               "  ]\n"
                               "}\n";
    static const int depths[] = {OSW_JSON_OUT_MAX_DEPTH,
                                 OSW_JSON_OUT_MAX_DEPTH + 1};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&t);
    osw_json_t *doc = osw_json_parse(text, strlen(text), "doc", &err);

    (void)state;
    assert_non_null(doc);
    assert_int_equal(osw_json_out_value(&o, NULL, doc, &err), 0);
    assert_string_equal(osw_text_str(&t), text);
    osw_json_free(doc);
    for (size_t i = 0; i < 2; i++) {
        char deep[2 * OSW_JSON_OUT_MAX_DEPTH + 3] = "";

        for (int k = 0; k < depths[i]; k++) {
            deep[k] = '[';
            deep[2 * depths[i] - 1 - k] = ']';
        }
        doc = osw_json_parse(deep, strlen(deep), "doc", &err);
        assert_non_null(doc);
        osw_text_reset(&t);
        o = osw_json_out(&t);
        assert_int_equal(osw_json_out_value(&o, NULL, doc, &err), -(int)i);
        osw_json_free(doc);
    }
    assert_non_null(strstr(err.text, "expected fewer lists in lists"));
    osw_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_written_in_the_order_of_calls),
        cmocka_unit_test(numbers_read_back_the_same),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(whatever_is_written_can_be_read),
        cmocka_unit_test(what_was_read_is_written_again),
    };

    return cmocka_run_group_tests_name("common/json_out", tests, NULL, NULL);
}
