/* tests/unit/results/test_command.c - the command line that runs one cell */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "results/report/command.h"

static void a_whole_command(void **state)
{
    const struct osw_file_run run = {
        .campaign_resolved = "{\"suite\": \"traces\", \"device\": \"cuda\","
                             " \"baseline\": \"\", \"seed\": 1,"
                             " \"custom_ops_root\": \"/a b/it's\"}",
        .seed = UINT64_MAX,
    };
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    assert_int_equal(osw_command_begin(&run, &t, &err), 0);
    osw_command_cell("aten.mm.default", "$(id)", "((T([2], f32),), {})", "",
                     &t);
    osw_command_end(&run, &t);
    assert_string_equal(osw_text_str(&t),
                        "opsweep run --suite traces --custom-ops-root "
                        "'/a b/it'\\''s' --device cuda --ops aten.mm.default "
                        "--impls '$(id)' --case '((T([2], f32),), {})' "
                        "--seed 18446744073709551615 -o cell.h5");
    osw_text_free(&t);
}

/* Only what would not hold anyway; numbers as they were given. */
static void limits_that_were_set(void **state)
{
    static const struct {
        const char *json, *want, *line, *file;
    } cases[] = {
        {"\"device\": \"cpu\", \"profile\": \"smoke\", \"max_work\": 3.0, "
         "\"timeout\": 0.0, \"threads\": 0, \"cold\": false",
         "opsweep run --device cpu --profile smoke"},
        {"\"device\": \"cuda\", \"max_bytes\": 8589934592",
         "opsweep run --device cuda"},
        {"\"device\": \"cpu\", \"max_bytes\": 8589934592",
         "opsweep run --device cpu"},
        {"\"device\": \"cpu\", \"max_bytes\": 8589934592",
         "opsweep run --device cpu --max-bytes 8589934592",
         .line = "opsweep run --max-bytes=8G"},
        {"\"device\": \"cpu\", \"max_bytes\": 8589934592",
         "opsweep run --device cpu --max-bytes 8589934592",
         .file = "{\"max_bytes\": \"8G\"}"},
        {"\"profile\": \"sweep\", \"max_work\": 3.0",
         "opsweep run --profile sweep --max-work 3"},
        {"\"timeout\": 0.1, \"threads\": 2, \"cold\": true, "
         "\"keep_going\": true",
         "opsweep run --cold --timeout 0.1 --keep-going --threads 2"},
        {"\"library\": \"/nonexistent\"", "opsweep run"},
        {"\"library\": \"/\"", "opsweep run --library /"},
        {"\"traces\": [\"a\"], \"offset\": 1, \"ranks\": 3", "opsweep run"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_text t = OSW_TEXT_INIT;
        struct osw_file_run run = {0};
        char json[256];

        snprintf(json, sizeof(json), "{%s}", cases[i].json);
        run.campaign_resolved = json;
        run.command_line = cases[i].line;
        run.campaign_json = cases[i].file;
        assert_int_equal(osw_command_begin(&run, &t, &err), 0);
        assert_string_equal(osw_text_str(&t), cases[i].want);
        osw_text_free(&t);
    }
}

static void a_fill_and_no_implementation(void **state)
{
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_command_cell("a", "", "c", "uniform(0, 1)", &t);
    assert_string_equal(osw_text_str(&t),
                        " --ops a --case c --fill 'uniform(0, 1)'");
    osw_text_free(&t);
}

static void ranks_of_a_collective_op(void **state)
{
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    osw_command_world(0, 7, &t);
    osw_command_world(1, 7, &t);
    assert_int_equal(t.used, 0);
    osw_command_world(4, 0xabc, &t);
    assert_string_equal(osw_text_str(&t), " -n 5 --cells 0x0000000000000abc");
    osw_text_free(&t);
}

static void a_campaign_that_is_no_json(void **state)
{
    const struct osw_file_run run = {.campaign_resolved = "{\"suite\": "};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t = OSW_TEXT_INIT;

    (void)state;
    assert_int_equal(osw_command_begin(&run, &t, &err), -1);
    assert_non_null(strstr(err.text, "/campaign/resolved"));
    assert_int_equal(t.used, 0);
    osw_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_command),
        cmocka_unit_test(limits_that_were_set),
        cmocka_unit_test(a_fill_and_no_implementation),
        cmocka_unit_test(ranks_of_a_collective_op),
        cmocka_unit_test(a_campaign_that_is_no_json),
    };

    return cmocka_run_group_tests_name("results/command", tests, NULL, NULL);
}
