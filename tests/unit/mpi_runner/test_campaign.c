/* tests/unit/mpi_runner/test_campaign.c - options and JSON to a campaign */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/campaign_dump.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/campaign_read.h"
#include "mpi_runner/commands/run_opts.h"
#include "results/report/command.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define DATA      "tests/data/campaign/"

static const struct osw_opt optv[] = {OSW_CAMPAIGN_OPTV, {0}};
static const struct osw_campaign_opts defaults = OSW_CAMPAIGN_DEFAULTS;
static const struct osw_cmd cmd = {
    .name = "test",
    .operands = "[CAMPAIGN.json]",
    .max_operands = 1,
    .opts = optv,
    .defaults = &defaults,
    .opts_size = sizeof(defaults),
};

struct fixture {
    osw_arena_t *arena;
    struct osw_campaign c;
    struct osw_error err;
};

#include "tests/unit/arena_fixture.h"

/* A command line, words up to a NULL, to a campaign. */
static int make(struct fixture *f, const char *const *words)
{
    const char *argv[16] = {"opsweep", "test"};
    const char *operands[OSW_CLI_MAX_OPERANDS];
    struct osw_campaign_opts opts = defaults;
    struct osw_args args;
    int n = 2;

    for (; words[n - 2]; n++)
        argv[n] = words[n - 2];
    f->err = (struct osw_error)OSW_ERROR_INIT;
    if (osw_cli_parse(&cmd, n, argv, &opts, operands, &args, &f->err) != 0)
        return -1;
    return osw_campaign_make(f->arena, &opts, &args, 2, &f->c, &f->err);
}

#define MAKE(f, ...) make(f, (const char *const[]){__VA_ARGS__, NULL})

static void defaults_follow_what_is_given(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(MAKE(f, "--library", "lib"), 0);
    assert_string_equal(f->c.suite, "smoke");
    assert_string_equal(f->c.backend, "library");
    assert_string_equal(f->c.library, "lib");
    assert_string_equal(f->c.profile, "sweep");
    assert_string_equal(f->c.device, "cpu"); /* of auto */
    assert_string_equal(f->c.top_by, "calls");
    assert_string_equal(f->c.baseline, "");
    assert_true(f->c.max_work_s == 20);
    assert_int_equal(f->c.seed, 0);
    assert_true(f->c.max_bytes > 1 << 20); /* of free memory */

    assert_int_equal(MAKE(f, "--custom-ops-root", "mine"), 0);
    assert_string_equal(f->c.suite, "custom_ops");
    assert_string_equal(f->c.backend, "custom_ops");
    assert_string_equal(f->c.custom_ops_root, "mine");

    /* Under BackendBench's name. */
    assert_int_equal(MAKE(f, "--ops-directory", "k", "--library", "lib"), 0);
    assert_string_equal(f->c.suite, "smoke");
    assert_string_equal(f->c.backend, "directory");
    assert_string_equal(f->c.kernels_dir, "k");
    assert_string_equal(osw_campaign_root(&f->c), "lib");
    assert_int_equal(MAKE(f, "--kernels-dir", "k", "--backend", "pregenerated",
                          "--custom-ops-root", "mine", "--library", "lib"),
                     0);
    assert_string_equal(f->c.suite, "custom_ops");
    assert_string_equal(f->c.backend, "directory");
    assert_string_equal(osw_campaign_root(&f->c), "mine");

    assert_int_equal(MAKE(f, "--traces", "a", "--traces", "b", "--library",
                          "lib", "--profile", "smoke"),
                     0);
    assert_string_equal(f->c.suite, "traces");
    assert_int_equal(f->c.n_traces, 2);
    assert_string_equal(f->c.traces[1], "b");
    assert_true(f->c.max_work_s == 3);
}

static void free_memory_is_shared_by_the_workers_of_a_node(void **state)
{
    struct osw_campaign_opts opts = defaults;
    struct fixture *f = *state;
    struct osw_campaign four;

    opts.library = "lib";
    assert_int_equal(
        osw_campaign_make(f->arena, &opts, NULL, 1, &f->c, &f->err), 0);
    assert_int_equal(
        osw_campaign_make(f->arena, &opts, NULL, 4, &four, &f->err), 0);
    /* Free memory moves while we look: between a half and an eighth. */
    assert_true(four.max_bytes < f->c.max_bytes / 2);
    assert_true(four.max_bytes > f->c.max_bytes / 8);
}

static void names_are_split_at_commas(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(
        MAKE(f, "--library", "lib", "--ops", "a.b, !c ,d*", "--impls", "plain"),
        0);
    assert_int_equal(f->c.n_ops, 3);
    assert_string_equal(f->c.ops[0], "a.b");
    assert_string_equal(f->c.ops[1], "!c");
    assert_string_equal(f->c.ops[2], "d*");
    assert_int_equal(f->c.n_impls, 1);
}

static void cells_are_sorted_and_named_once(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(MAKE(f, "--library", "lib", "--cells",
                          "0x00000000000000ff,0000000000000007, "
                          "0x00000000000000FF"),
                     0);
    assert_int_equal(f->c.n_cells, 2);
    assert_true(f->c.cells[0] == 7 && f->c.cells[1] == 255);
}

static void zeros_have_no_sign_unless_asked_for(void **state)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct fixture *f = *state;

    assert_int_equal(MAKE(f, "--library", "lib"), 0);
    assert_false(f->c.signed_zero);
    assert_int_equal(MAKE(f, "--library", "lib", "--signed-zero"), 0);
    assert_true(f->c.signed_zero);
    osw_campaign_dump(&f->c, &text);
    assert_non_null(strstr(osw_text_str(&text), "\"signed_zero\": true"));
    osw_text_free(&text);
}

static void an_offset_is_bounded(void **state)
{
    struct osw_text text = OSW_TEXT_INIT;
    struct fixture *f = *state;

    assert_int_equal(MAKE(f, "--library", "lib", "--offset", "1048576"), 0);
    assert_int_equal(f->c.offset, 1048576);
    osw_campaign_dump(&f->c, &text);
    assert_non_null(strstr(osw_text_str(&text), "\"offset\": 1048576"));
    osw_text_free(&text);
    assert_int_equal(MAKE(f, "--library", "lib", "--offset", "1048577"), -1);
    assert_string_equal(f->err.text,
                        "option '--offset': expected a whole number "
                        "from 0 to 1048576, found '1048577'");
}

static void a_file_is_read(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(MAKE(f, DATA "good/traces.json"), 0);
    assert_string_equal(f->c.suite, "traces");
    assert_int_equal(f->c.n_ops, 2);
    assert_string_equal(f->c.ops[1], "!add_.Tensor");
    assert_string_equal(f->c.impls[0], "plain");
    assert_string_equal(f->c.profile, "smoke");
    assert_int_equal(f->c.max_bytes, 1610612736); /* 1.5 GiB */
    assert_true(f->c.max_work_s == 2.5);
    assert_int_equal(f->c.top, 10);
    assert_string_equal(f->c.top_by, "size");
    assert_int_equal(f->c.seed, 7);
    assert_true(f->c.cold);
}

static void the_command_line_wins_over_the_file(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(MAKE(f, DATA "good/traces.json", "--seed", "8",
                          "--profile", "sweep", "--ops", "scale", "--max-bytes",
                          "1K"),
                     0);
    assert_int_equal(f->c.seed, 8);
    assert_string_equal(f->c.profile, "sweep");
    assert_int_equal(f->c.n_ops, 1);
    assert_int_equal(f->c.max_bytes, 1024);
    assert_true(f->c.max_work_s == 2.5); /* the file's */
    /* Also where it says the default. */
    assert_int_equal(MAKE(f, DATA "good/traces.json", "--seed", "0"), 0);
    assert_int_equal(f->c.seed, 0);
}

static void a_file_of_own_ops_is_read(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(MAKE(f, DATA "good/custom.json"), 0);
    assert_string_equal(f->c.custom_ops_root, "tests/data/ops/good");
    assert_int_equal(f->c.max_bytes, 4096);
    assert_int_equal(f->c.ranks, 3);
    assert_int_equal(MAKE(f, DATA "good/custom.json", "--custom-ops-root", "x"),
                     0);
    assert_string_equal(f->c.custom_ops_root, "x");
}

static void what_is_dumped_reads_back_as_the_same(void **state)
{
    static const char *const lines[][7] = {
        {"--library", "lib"},
        {DATA "good/traces.json", "--baseline", "plain"},
        {"--library", "lib", "--case", "((1,), {})", "--ops", "\"quoted\\\""},
        {"--library", "lib", "--cells", "00000000000000ff,fedcba9876543210"},
        {"--library", "lib", "--seed", "9223372036854775807"},
        {"--library", "lib", "--seed", "18446744073709551615"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(lines); i++) {
        struct osw_text first = OSW_TEXT_INIT, second = OSW_TEXT_INIT;
        struct osw_campaign_opts opts = defaults;

        assert_int_equal(make(f, lines[i]), 0);
        osw_campaign_dump(&f->c, &first);
        assert_int_equal(osw_campaign_read(f->arena, "dump", first.data,
                                           first.used, NULL, &opts, &f->err),
                         0);
        assert_int_equal(
            osw_campaign_make(f->arena, &opts, NULL, 7, &f->c, &f->err), 0);
        osw_campaign_dump(&f->c, &second);
        assert_string_equal(osw_text_str(&first), osw_text_str(&second));
        osw_text_free(&first);
        osw_text_free(&second);
    }
}

static void every_seed_of_64_bits_survives_the_dump(void **state)
{
    static const struct {
        const char *word;
        uint64_t seed;
    } rows[] = {
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775808", UINT64_C(1) << 63},
        {"18446744073709551615", UINT64_MAX},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_campaign_opts opts = defaults;
        struct osw_text dump = OSW_TEXT_INIT;

        assert_int_equal(MAKE(f, "--library", "lib", "--seed", rows[i].word),
                         0);
        assert_true(f->c.seed == rows[i].seed);
        osw_campaign_dump(&f->c, &dump);
        assert_int_equal(osw_campaign_read(f->arena, "dump", dump.data,
                                           dump.used, NULL, &opts, &f->err),
                         0);
        assert_true(opts.seed == rows[i].seed);
        osw_text_free(&dump);
    }
}

/* One key of the JSON per option, and every one in the dump. */
static void every_option_is_in_the_dump(void **state)
{
    struct osw_text dump = OSW_TEXT_INIT;
    struct fixture *f = *state;

    assert_int_equal(MAKE(f, "--library", "lib"), 0);
    osw_campaign_dump(&f->c, &dump);
    for (size_t i = 0; optv[i].name; i++) {
        char key[40] = "\"";

        strcat(strcat(key, optv[i].name), "\"");
        for (char *s = key; *s; s++)
            *s = *s == '-' ? '_' : *s;
        if (!strstr(osw_text_str(&dump), key))
            fail_msg("no %s in %s", key, osw_text_str(&dump));
    }
    osw_text_free(&dump);
}

static void bad_command_lines_are_refused_by_option(void **state)
{
    static const struct {
        const char *words[6];
        const char *want;
    } rows[] = {
        /* clang-format off */
        { { "--suite", "smok" },          "option '--suite': expected one of smoke, custom_ops, traces, opinfo; found 'smok' (did you mean 'smoke'?)" },
        { { "--backend", "torch" },       "option '--backend': expected one of library, custom_ops, aten, directory, flag_gems, llm, pregenerated; found 'torch'" },
        { { "--backend", "llm" },         "backend 'llm' is for 'opsweep run', which lets a model write first" },
        { { "--profile", "fast" },        "option '--profile': expected one of smoke, sweep, precise" },
        { { "--device", "tpu" },          "option '--device': expected one of auto, cpu, cuda; found 'tpu' (did you mean 'cpu'?)" },
        { { "--suite", "traces" },        "suite 'traces' needs --traces PATH" },
        { { "--suite", "custom_ops" },    "suite 'custom_ops' needs --custom-ops-root DIR" },
        { { "--backend", "custom_ops" },  "backend 'custom_ops' needs --custom-ops-root DIR" },
        { { "--backend", "pregenerated" }, "backend 'directory' needs --kernels-dir DIR" },
        { { "--backend", "aten", "--kernels-dir", "k" }, "backend 'aten' takes no --kernels-dir" },
        { { "--suite", "smoke", "--traces", "x" }, "suite 'smoke' takes no --traces" },
        { { "--suite", "smoke", "--top", "3" }, "suite 'smoke' takes no --top" },
        { { "--suite", "smoke", "--top-by", "size" }, "suite 'smoke' takes no --top-by: expected suite 'traces'" },
        { { "--opinfo-dtype", "f32" },    "suite 'smoke' takes no --opinfo-dtype" },
        { { "--suite", "opinfo", "--opinfo-dtype", "bf17" }, "option '--opinfo-dtype': expected dtypes such as bf16 or f32, found 'bf17'" },
        { { "--ops", "a,,b" },            "option '--ops': expected names separated by commas, found 'a,,b'" },
        { { "--ops", "a," },              "option '--ops'" },
        { { "--ops", "!" },               "option '--ops'" },
        { { "--impls", "a b" },           "option '--impls': expected ',' before 'b'" },
        { { "--cells", "0x12" },          "option '--cells': expected 16 hexadecimal digits, found '0x12'" },
        { { "--max-work", "-1" },         "option '--max-work': expected more than 0, found '-1'" },
        { { "--max-bytes", "9000000T" },  "option '--max-bytes': expected a size of at most 9223372036854775807 bytes, found '9000000T'" },
        { { "--timeout", "-1" },          "option '--timeout': expected more than 0, at most 1e+09 seconds, found '-1'" },
        { { "--top", "0" },               "option '--top': expected a whole number from 1 to 4294967295, found '0'" },
        { { "--timeout", "1e10" },        "option '--timeout': expected more than 0, at most 1e+09 seconds, found '1e10'" },
        { { "--traces", "x", "--top", "5000000000" }, "option '--top': expected a whole number from 1 to 4294967295, found '5000000000'" },
        { { "--ranks", "9999999" },       "option '--ranks': expected a whole number from 1 to 1048576, found '9999999'" },
        { { "--seed", "18446744073709551616" }, "option '--seed': expected a whole number from 0 to 2^64 - 1" },
        { { "--fill", "normal" },         "option '--fill' needs --case" },
        { { DATA "bad/unknown_key__profle.json" }, "did you mean 'profile'" },
        { { DATA "bad/wrong_kind__seed.json" }, "key 'seed'" },
        { { DATA "bad/syntax__line_1.json" }, "syntax__line_1.json:" },
        { { DATA "nowhere.json" },        "nowhere.json" },
        { { "--suit", "smoke" },          "suite" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const char *words[9] = {"--library", "lib"};

        memcpy(words + 2, rows[i].words, sizeof(rows[i].words));
        f->c.suite = "untouched";
        assert_int_equal(make(f, words), -1);
        if (!strstr(f->err.text, rows[i].want))
            fail_msg("found: %s", f->err.text);
        assert_string_equal(f->c.suite, "untouched");
    }
}

static void each_bad_document_is_named_by_its_key(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } rows[] = {
        /* clang-format off */
        { "[]",                          "expected an object" },
        { "{\"max-bytes\": 1}",          "did you mean 'max_bytes'" },
        { "{\"suite\": null}",           "key 'suite': expected a value" },
        { "{\"suite\": 3}",              "key 'suite': expected a string" },
        { "{\"ops\": [\"a\", 3]}",       "key 'ops[1]': expected a string" },
        { "{\"ops\": [\"\"]}",           "key 'ops[0]': expected a word, found ''" },
        { "{\"traces\": [\"a\", \"\"]}", "key 'traces[1]': expected a word, found ''" },
        { "{\"traces\": 3}",             "key 'traces': expected a list" },
        { "{\"traces\": [3]}",           "key 'traces[0]': expected a string" },
        { "{\"seed\": 1.5}",             "key 'seed': expected an integer" },
        { "{\"seed\": -1}",              "key 'seed'" },
        { "{\"threads\": 5000}",         "key 'threads': option '--threads': expected a whole number from 1 to 4096, found '5000'" },
        { "{\"seed\": \"-1\"}",          "key 'seed': option '--seed': expected a whole number" },
        { "{\"max_bytes\": \"much\"}",   "key 'max_bytes': option '--max-bytes': expected" },
        { "{\"max_bytes\": 1.5}",        "key 'max_bytes': expected an integer or a size such as \"1.5G\", found a number" },
        { "{\"max_work\": \"3\"}",       "key 'max_work'" },
        { "{\"top_by\": \"name\"}",      "key 'top_by': option '--top-by': expected" },
        { "{\"cold\": 1}",         "key 'cold'" },
        { "{\"seed\": 18446744073709551615}", "too big integer near '18446744073709551615'; a seed above 9223372036854775807 is written in quotes" },
        { "{\"shard\": \"1/2\"}", "key 'shard': an option of the command line only" },
        { "{\"fail_on\": \"none\"}", "key 'fail_on': an option of the command line only" },
        { "{\"metrics_file\": \"x\"}", "key 'metrics_file': an option of the command line only" },
        { "{\"json\": true}",    "key 'json': an option of the command line only" },
        { "{\"profile\": [\"smoke\"]}", "key 'profile': expected a string, found a list" },
        { "{\"case\": [\"a\", \"b\"]}", "key 'case': expected a string, found a list" },
        { "{\"top\": 3, \"topn_inputs\": 4}", "key 'topn_inputs': expected one name of the option, found 'top' too" },
        { "{\"ops_directory\": \"a\", \"kernels_dir\": \"b\"}", "key 'kernels_dir': expected one name of the option, found 'ops_directory' too" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_campaign_opts opts = defaults;
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  %s\n", rows[i].text);
        assert_int_equal(osw_campaign_read(f->arena, "c.json", rows[i].text,
                                           strlen(rows[i].text), NULL, &opts,
                                           &err),
                         -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_memory_equal(err.text, "c.json", 6);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
        assert_memory_equal(&opts, &defaults, sizeof(opts));
    }
}

/* Each option of `run` is a key, or is told to be none. */
static void every_option_of_run_is_known(void **state)
{
    static const struct osw_opt run_optv[] = {OSW_RUN_OPTV, {0}};
    struct fixture *f = *state;

    for (size_t i = 0; run_optv[i].name; i++) {
        struct osw_campaign_opts opts = defaults;
        struct osw_error err = OSW_ERROR_INIT;
        char text[64];

        snprintf(text, sizeof(text), "{\"%s\": null}", run_optv[i].name);
        for (char *s = text; *s; s++)
            *s = *s == '-' ? '_' : *s;
        assert_int_equal(osw_campaign_read(f->arena, "c.json", text,
                                           strlen(text), NULL, &opts, &err),
                         -1);
        if (!strstr(err.text, "expected a value, found null") &&
            !strstr(err.text, "an option of the command line only"))
            fail_msg("found: %s", err.text);
    }
}

/* What the command line overrides is checked all the same. */
static void an_overridden_key_is_still_checked(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(MAKE(f, DATA "bad/wrong_kind__seed.json", "--seed", "3"),
                     -1);
    assert_non_null(strstr(f->err.text, "key 'seed'"));
}

static void every_allocation_failure_is_reported(void **state)
{
    const char *const operand = DATA "good/custom.json";
    const struct osw_args args = {
        .n_operands = 1, .operands = &operand, .opts = optv};
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures++) {
        struct osw_campaign_opts opts = defaults;
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_campaign c;
        osw_arena_t *arena = osw_arena_create();
        int rc;

        chaos_arm(failures);
        rc = osw_campaign_make(arena, &opts, &args, 1, &c, &err);
        struck = chaos_struck();
        osw_arena_destroy(arena);
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    assert_true(failures > 2);
}

/* A value of the option that is not its default, as JSON. */
static const char *other_value(const struct osw_opt *o)
{
    switch (o->kind) {
    case OSW_OPT_FLAG:
        return "true";
    case OSW_OPT_STR:
        return "\"/\"";
    case OSW_OPT_F64:
        return "1.5";
    default:
        return "7";
    }
}

/* An option is carried into the command that runs a cell again, or the table
 * says that it is not.
 */
static void every_option_has_its_place_in_a_command(void **state)
{
    (void)state;
    for (const struct osw_opt *o = optv; o->name; o++) {
        struct osw_file_run run = {0};
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_text t = OSW_TEXT_INIT;
        const char *option = "";
        char key[64], json[128], want[64];

        print_message("  option: %s\n", o->name);
        snprintf(key, sizeof(key), "%s", o->name);
        for (char *c = key; *c; c++)
            *c = *c == '-' ? '_' : *c;
        assert_true(osw_command_knows(key, &option));
        if (!option)
            continue;
        snprintf(json, sizeof(json), "{\"%s\": %s}", key, other_value(o));
        snprintf(want, sizeof(want), "opsweep run --%s%s", o->name,
                 o->kind == OSW_OPT_FLAG ? "" : " ");
        run.campaign_resolved = json;
        assert_int_equal(osw_command_begin(&run, &t, &err), 0);
        assert_memory_equal(osw_text_str(&t), want, strlen(want));
        osw_text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(defaults_follow_what_is_given),
        T(free_memory_is_shared_by_the_workers_of_a_node),
        T(names_are_split_at_commas),
        T(cells_are_sorted_and_named_once),
        T(zeros_have_no_sign_unless_asked_for),
        T(an_offset_is_bounded),
        T(a_file_is_read),
        T(the_command_line_wins_over_the_file),
        T(a_file_of_own_ops_is_read),
        T(what_is_dumped_reads_back_as_the_same),
        T(every_seed_of_64_bits_survives_the_dump),
        T(every_option_is_in_the_dump),
        T(bad_command_lines_are_refused_by_option),
        T(each_bad_document_is_named_by_its_key),
        T(every_option_of_run_is_known),
        T(an_overridden_key_is_still_checked),
        cmocka_unit_test(every_option_has_its_place_in_a_command),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("mpi_runner/campaign", tests, NULL,
                                       NULL);
}
