/* tests/unit/common/test_cli.c - commands and their options as tables */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/cli.h"
#include "common/cli/cli_complete.h"
#include "common/cli/cli_help.h"
#include "common/cli/cli_man.h"

struct opts {
    bool force;
    const char *suite;
    uint64_t n;
    int64_t shift;
    double ratio;
    uint64_t bytes;
    int profile;
    struct osw_list traces;
};

static const struct opts defaults = {.n = 4, .bytes = 512ull << 20};
static const char *const profiles[] = {"smoke", "sweep", "precise", NULL};

#define AT(field) offsetof(struct opts, field)
/* clang-format off */
static const struct osw_opt table[] = {
    { "force",   OSW_OPT_FLAG,   AT(force),  "replace the output" },
    { "suite",   OSW_OPT_STR,    AT(suite),  "what to run [all]", .letter = 's' },
    { "ranks",   OSW_OPT_U64,    AT(n),      "MPI ranks", .letter = 'n' },
    { "shift",   OSW_OPT_I64,    AT(shift),  "a shift" },
    { "ratio",   OSW_OPT_F64,    AT(ratio),  "a ratio", .nonzero = true },
    { "max-bytes", OSW_OPT_SIZE, AT(bytes),  "memory of a case",
      .nonzero = true },
    { "profile", OSW_OPT_CHOICE, AT(profile), "how long", .choices = profiles },
    { "traces",  OSW_OPT_LIST,   AT(traces), "trace file", .alias = "trace",
      .value = "PATH" },
    { "span",    OSW_OPT_F64,    AT(ratio),  "a time", .value = "S" },
    { "share",   OSW_OPT_F64,    AT(ratio),  "a share", .value = "P" },
    { "wait",    OSW_OPT_F64,    AT(ratio),  "a time", .value = "S",
      .low = 0.01, .high = 3600 },
    { "part",    OSW_OPT_F64,    AT(ratio),  "a part", .high = 1,
      .nonzero = true },
    { "jobs",    OSW_OPT_U64,    AT(n),      "at once", .least = 1, .most = 64 },
    { 0 },
};
/* clang-format on */
#undef AT

static int run(void *opts, const struct osw_args *args, struct osw_error *err)
{
    (void)args;
    if (((struct opts *)opts)->force)
        return osw_fail(err, OSW_INCOMPLETE, "stopped early");
    return (int)((struct opts *)opts)->n;
}

static const struct osw_cmd cmd = {
    .name = "run",
    .operands = "[CAMPAIGN.json]",
    .summary = "sweep",
    .max_operands = 1,
    .opts = table,
    .defaults = &defaults,
    .opts_size = sizeof(defaults),
    .run = run,
};

/* A line, split at blanks, parsed. */
struct parsed {
    char line[256];
    const char *argv[32];
    const char *operands[OSW_CLI_MAX_OPERANDS];
    struct opts opts;
    struct osw_args args;
    struct osw_error err;
    int rc;
};

static void parse(struct parsed *p, const char *line)
{
    int argc = 0;

    memset(p, 0, sizeof(*p));
    snprintf(p->line, sizeof(p->line), "opsweep run %s", line);
    for (char *w = strtok(p->line, " "); w; w = strtok(NULL, " "))
        p->argv[argc++] = w;
    p->opts = defaults;
    p->rc = osw_cli_parse(&cmd, argc, p->argv, &p->opts, p->operands, &p->args,
                          &p->err);
}

static void without_words_the_defaults_hold(void **state)
{
    struct parsed p;

    (void)state;
    parse(&p, "");
    assert_int_equal(p.rc, 0);
    assert_int_equal(p.opts.n, 4);
    assert_int_equal(p.args.n_operands, 0);
    assert_false(osw_args_given(&p.args, "ranks"));
}

static void every_kind_is_read_in_both_forms(void **state)
{
    static const char *const lines[] = {
        "--force --suite traces --ranks 7 --shift -3 --ratio 0.5 "
        "--max-bytes 4G --profile sweep --traces a --trace b c.json",
        "--force=true --suite=traces --ranks=7 --shift=-3 --ratio=0.5 "
        "--max-bytes=4GiB --profile=sweep c.json --trace=a --traces=b",
        "c.json -s traces -n7 --shift -3 --ratio 5e-1 --max-bytes 4294967296 "
        "--profile sweep --traces a --traces b --force",
        "-straces -n 0x7 --shift -3 --ratio .5 --max-bytes 4GB --force "
        "--profile sweep --traces a --traces b -- c.json",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct parsed p;

        print_message("  case: %s\n", lines[i]);
        parse(&p, lines[i]);
        assert_string_equal(p.err.text, "");
        assert_int_equal(p.rc, 0);
        assert_true(p.opts.force);
        assert_string_equal(p.opts.suite, "traces");
        assert_int_equal(p.opts.n, 7);
        assert_int_equal(p.opts.shift, -3);
        assert_true(p.opts.ratio == 0.5);
        assert_true(p.opts.bytes == (uint64_t)4 << 30);
        assert_int_equal(p.opts.profile, 1);
        assert_int_equal(p.opts.traces.n, 2);
        assert_string_equal(p.opts.traces.items[0], "a");
        assert_string_equal(p.opts.traces.items[1], "b");
        assert_int_equal(p.args.n_operands, 1);
        assert_string_equal(p.args.operands[0], "c.json");
    }
}

static void options_given_are_told_from_defaults(void **state)
{
    struct parsed p;

    (void)state;
    parse(&p, "--ranks 4 --trace x");
    assert_int_equal(p.opts.n, defaults.n);
    assert_true(osw_args_given(&p.args, "ranks"));
    assert_true(osw_args_given(&p.args, "traces"));
    assert_false(osw_args_given(&p.args, "suite"));
    assert_false(osw_args_given(&p.args, "no-such-option"));
}

/* Each line is wrong in one way; the message names the culprit. */
static void a_bad_line_is_refused_by_its_culprit(void **state)
{
    static const struct {
        const char *line, *want;
    } rows[] = {
        {"--forse", "unknown option '--forse' (did you mean '--force'?)"},
        {"--max_bytes=1",
         "unknown option '--max_bytes' (did you mean '--max-bytes'?)"},
        {"--hepl", "unknown option '--hepl' (did you mean '--help'?)"},
        {"--xyzzyxyzzy",
         "unknown option '--xyzzyxyzzy' (see 'opsweep run --help')"},
        {"-x", "unknown option '-x' (see 'opsweep run --help')"},
        {"--suite", "option '--suite': needs a value"},
        {"--suite=", "option '--suite': needs a value, found ''"},
        {"--trace=", "option '--traces': needs a value, found ''"},
        {"--profile=", "option '--profile': expected one of smoke, sweep, "
                       "precise; found ''"},
        {"--max-bytes 0K",
         "option '--max-bytes': expected more than 0, found '0K'"},
        {"--ratio -0.0", "option '--ratio': expected more than 0, found "
                         "'-0.0'"},
        {"--force=1", "option '--force': expected true or false, found '1'"},
        {"--ranks x", "option '--ranks': expected a whole number from 0 to "
                      "2^64 - 1, found 'x'"},
        {"--ranks -1", "option '--ranks': expected a whole number from 0 to "
                       "2^64 - 1, found '-1'"},
        {"--ranks 7x", "option '--ranks': expected a whole number from 0 to "
                       "2^64 - 1, found '7x'"},
        {"--ranks 18446744073709551616",
         "option '--ranks': expected a whole number from 0 to 2^64 - 1, found "
         "'18446744073709551616'"},
        {"--shift 1.5",
         "option '--shift': expected a whole number, found '1.5'"},
        {"--shift -", "option '--shift': expected a whole number, found '-'"},
        {"--span 30s", "option '--span': expected a number of seconds, such as "
                       "90 or 0.5, found '30s'"},
        {"--share 5%", "option '--share': expected a number of percent, such "
                       "as 5 or 0.5, found '5%'"},
        {"--wait 99999999999999999999",
         "option '--wait': expected 0.01 to "
         "3600 seconds, found '99999999999999999999'"},
        {"--part 2", "option '--part': expected more than 0, at most 1, found "
                     "'2'"},
        {"--jobs -1", "option '--jobs': expected a whole number from 1 to 64, "
                      "found '-1'"},
        {"--jobs 0", "option '--jobs': expected a whole number from 1 to 64, "
                     "found '0'"},
        {"--jobs 65", "option '--jobs': expected a whole number from 1 to 64, "
                      "found '65'"},
        {"--ratio -1", "option '--ratio': expected more than 0, found '-1'"},
        {"--max-bytes 18446744073709551616",
         "option '--max-bytes': expected a size below 2^64 bytes, found "
         "'18446744073709551616'"},
        {"--max-bytes 16777216T",
         "option '--max-bytes': expected a size below 2^64 bytes, found "
         "'16777216T'"},
        {"--suite --ranks 4",
         "option '--suite': needs a value, found the option '--ranks'"},
        {"-s --traces=x",
         "option '--suite': needs a value, found the option '--traces=x'"},
        {"--ratio nan", "option '--ratio': expected a number, found 'nan'"},
        {"--ratio 1e999", "option '--ratio': expected a number, found '1e999'"},
        {"--profile swep", "option '--profile': expected one of smoke, sweep, "
                           "precise; found 'swep' (did you mean 'sweep'?)"},
        {"a.json b.json",
         "unexpected operand 'b.json' (usage: opsweep run [options] "
         "[CAMPAIGN.json])"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct parsed p;

        print_message("  case: %s\n", rows[i].line);
        parse(&p, rows[i].line);
        assert_int_equal(p.rc, -1);
        assert_int_equal(p.err.status, OSW_BAD_INPUT);
        assert_string_equal(p.err.text, rows[i].want);
    }
}

static void too_few_operands_show_the_usage(void **state)
{
    static const char *const argv[] = {"opsweep", "show", "x.h5"};
    static const struct osw_opt none[] = {{0}};
    static const struct osw_cmd show = {.name = "show",
                                        .operands = "FILE CELL",
                                        .min_operands = 2,
                                        .max_operands = 2,
                                        .opts = none};
    struct osw_error err = OSW_ERROR_INIT;
    const char *operands[OSW_CLI_MAX_OPERANDS];
    struct osw_args args;

    (void)state;
    assert_int_equal(osw_cli_parse(&show, 3, argv, NULL, operands, &args, &err),
                     -1);
    assert_string_equal(
        err.text, "too few operands: expected 2, found 1 (usage: opsweep show "
                  "[options] FILE CELL)");
}

static void a_list_is_bounded(void **state)
{
    const char *argv[2 + 2 * (OSW_OPT_MAX_LIST + 1)] = {"opsweep", "run"};
    const char *operands[OSW_CLI_MAX_OPERANDS];
    struct osw_error err = OSW_ERROR_INIT;
    struct opts opts = defaults;
    struct osw_args args;

    (void)state;
    for (int i = 0; i <= OSW_OPT_MAX_LIST; i++) {
        argv[2 + 2 * i] = "--traces";
        argv[3 + 2 * i] = "t";
    }
    assert_int_equal(osw_cli_parse(&cmd, 2 + 2 * OSW_OPT_MAX_LIST, argv, &opts,
                                   operands, &args, &err),
                     0);
    opts = defaults;
    assert_int_equal(osw_cli_parse(&cmd, 4 + 2 * OSW_OPT_MAX_LIST, argv, &opts,
                                   operands, &args, &err),
                     -1);
    assert_string_equal(
        err.text, "option '--traces': expected at most 64 of them, found 't'");
}

static void sizes_have_binary_suffixes(void **state)
{
    static const struct {
        const char *word;
        uint64_t want; /* UINT64_MAX: refused */
    } rows[] = {
        {"0", 0},
        {"4096", 4096},
        {"1K", 1024},
        {"64KiB", 65536},
        {"512M", 536870912},
        {"1.5G", 1610612736},
        {"2T", 2199023255552},
        {"1MB", 1048576},
        {"", UINT64_MAX},
        {"K", UINT64_MAX},
        {"-1", UINT64_MAX},
        {"1.5x", UINT64_MAX},
        {"1Ki", UINT64_MAX},
        {"1B", UINT64_MAX},
        {"1KB2", UINT64_MAX},
        {"1e3K", UINT64_MAX},
        {"0x10", UINT64_MAX},
        {"99999999999T", UINT64_MAX},
        {"18446744073709551616", UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        uint64_t got = 77;
        int rc = osw_opt_size(rows[i].word, &got, &err);

        print_message("  case: '%s'\n", rows[i].word);
        assert_int_equal(rc, rows[i].want == UINT64_MAX ? -1 : 0);
        assert_true(got == (rc < 0 ? 77 : rows[i].want));
        if (rc < 0)
            assert_non_null(strstr(err.text, rows[i].word));
    }
}

/* What a function prints. */
static char *printed(void (*print)(FILE *))
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);

    assert_non_null(f);
    print(f);
    fclose(f);
    return text;
}

static void print_help(FILE *f)
{
    osw_cli_help(f, &cmd, false);
}

static void help_lists_options_with_defaults(void **state)
{
    static const char *const lines[] = {
        "usage: opsweep run [options] [CAMPAIGN.json]\n",
        "\n      --force               replace the output\n",
        "\n  -s, --suite WORD          what to run [all]\n",
        "\n  -n, --ranks N             MPI ranks [4]\n",
        "\n      --ratio X             a ratio [0]\n",
        "\n      --max-bytes BYTES     memory of a case [512M]\n",
        "\n      --profile smoke|sweep|precise\n",
        "\n                            how long [smoke]\n",
        "\n      --traces PATH         trace file (also --trace)\n",
        "\n  -h, --help                print this\n",
    };
    char *text = printed(print_help);

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        print_message("  case: %s\n", lines[i]);
        assert_non_null(strstr(text, lines[i]));
    }
    free(text);
}

/* Another command with the same table, of which it takes a part. */
static const struct osw_refusal no_ranks[] = {{"ranks", "there is one"}, {0}};
static const struct osw_cmd one_rank = {.name = "try",
                                        .summary = "try",
                                        .opts = table,
                                        .refused = no_ranks,
                                        .defaults = &defaults,
                                        .opts_size = sizeof(defaults)};

static void print_help_of_one_rank(FILE *f)
{
    const struct osw_cmd *const cmds[] = {&one_rank};

    osw_cli_help(f, &one_rank, true);
    osw_cli_man(f, &one_rank);
    for (size_t i = 0; osw_cli_complete_shell(i); i++)
        osw_cli_complete_shell(i)->write(f, cmds, 1);
}

static void an_option_that_is_refused_is_offered_nowhere(void **state)
{
    static const char *const words[] = {"--ranks", "-n3", "--ranks=x"};
    const char *operands[OSW_CLI_MAX_OPERANDS];
    char *text = printed(print_help_of_one_rank);

    (void)state;
    assert_non_null(strstr(text, "max-bytes"));
    assert_null(strstr(text, "ranks"));
    free(text);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *const argv[] = {"opsweep", "try", words[i]};
        struct osw_error err = OSW_ERROR_INIT;
        struct opts opts = defaults;
        struct osw_args args;

        assert_int_equal(
            osw_cli_parse(&one_rank, 3, argv, &opts, operands, &args, &err),
            -1);
        assert_string_equal(err.text,
                            "option '--ranks' is not for try: there is one");
        assert_int_equal(opts.n, defaults.n);
    }
}

static void help_wins_over_later_mistakes(void **state)
{
    struct parsed p;

    (void)state;
    parse(&p, "--help --nonsense");
    assert_int_equal(p.rc, 1);
    parse(&p, "-h");
    assert_int_equal(p.rc, 1);
    parse(&p, "-- --help");
    assert_int_equal(p.rc, 0);
    assert_string_equal(p.args.operands[0], "--help");
}

/* --- words, verbs, topics --- */

static const char *format_word(size_t i)
{
    static const char *const words[] = {"text", "json"};

    return i < 2 ? words[i] : NULL;
}

struct journal_opts {
    const char *format, *device;
    bool follow;
};

static const struct journal_opts journal_defaults = {.format = "text"};

#define AT(field) offsetof(struct journal_opts, field)
/* clang-format off */
static const struct osw_opt journal_table[] = {
    { "format", OSW_OPT_STR, AT(format), "", .words = format_word,
      .topic = "output" },
    { "device", OSW_OPT_STR, AT(device), "where", .words = format_word,
      .open = true, .topic = "devices", .expert = true },
    { "follow", OSW_OPT_FLAG, AT(follow), "wait for more" },
    { 0 },
};
/* clang-format on */
#undef AT

static int tail(void *opts, const struct osw_args *args, struct osw_error *err)
{
    (void)opts;
    (void)args;
    (void)err;
    return 4;
}

static const struct osw_verb verbs[] = {
    {"tail", "print the last records", tail}, {0}};

static const struct osw_cmd journal = {
    .name = "journal",
    .operands = "tail FILE",
    .topic = "diagnose",
    .summary = "read a journal",
    .min_operands = 2,
    .max_operands = 2,
    .verbs = verbs,
    .opts = journal_table,
    .defaults = &journal_defaults,
    .opts_size = sizeof(journal_defaults),
};

static void parse_journal(struct parsed *p, struct journal_opts *o,
                          const char *option)
{
    const char *argv[] = {"opsweep", "journal", "tail", "x", option};

    memset(p, 0, sizeof(*p));
    *o = journal_defaults;
    p->rc = osw_cli_parse(&journal, 5, argv, o, p->operands, &p->args, &p->err);
}

static void words_are_checked_unless_there_are_more(void **state)
{
    struct journal_opts o;
    struct parsed p;

    (void)state;
    parse_journal(&p, &o, "--format=json");
    assert_int_equal(p.rc, 0);
    assert_string_equal(o.format, "json");
    parse_journal(&p, &o, "--format=jsn");
    assert_string_equal(p.err.text, "option '--format': expected one of text, "
                                    "json; found 'jsn' (did you mean "
                                    "'json'?)");
    assert_string_equal(o.format, "text");
    parse_journal(&p, &o, "--device=tpu");
    assert_int_equal(p.rc, 0);
    assert_string_equal(o.device, "tpu");
    parse_journal(&p, &o, "--json");
    assert_string_equal(p.err.text, "unknown option '--json' (did you mean "
                                    "'--format json'?)");
}

static void print_journal(FILE *f)
{
    osw_cli_help(f, &journal, false);
}

static void print_all_of_journal(FILE *f)
{
    osw_cli_help(f, &journal, true);
}

static void topics_are_headings_and_experts_ask_for_all(void **state)
{
    char *few = printed(print_journal), *all = printed(print_all_of_journal);

    (void)state;
    assert_non_null(strstr(few, "\n  tail      print the last records\n"));
    assert_non_null(strstr(few, "\noutput:\n      --format WORD         text "
                                "or json [text]\n\ndevices:\n      --follow"));
    assert_null(strstr(few, "--device"));
    assert_non_null(strstr(all, "\ndevices:\n      --device WORD         where:"
                                " text or json\n      --follow"));
    free(few);
    free(all);
}

static int main_code(const char *line)
{
    static const struct osw_cmd *const cmds[] = {&cmd, &journal};
    char copy[128], *argv[8];
    int argc = 0;

    snprintf(copy, sizeof(copy), "opsweep %s", line);
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    argv[argc] = NULL;
    return osw_cli_main(cmds, 2, argc, argv);
}

static void the_exit_code_is_the_commands_or_the_errors(void **state)
{
    static const struct {
        const char *line;
        int want;
    } rows[] = {
        {"", 2},
        {"--help", 0},
        {"--version", 0},
        {"run -n 0", 0},
        {"run -n 3", 3},
        {"run --force", 4},
        {"run --oops", 2},
        {"rum", 2},
        {"run --help", 0},
        {"journal", 2},
        {"tail x", 2},
        {"journal tail x", 4},
        {"journal t x", 2},
        {"--force run", 2},
        {"run --help-all", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        print_message("  case: %s\n", rows[i].line);
        assert_int_equal(main_code(rows[i].line), rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_words_the_defaults_hold),
        cmocka_unit_test(every_kind_is_read_in_both_forms),
        cmocka_unit_test(options_given_are_told_from_defaults),
        cmocka_unit_test(a_bad_line_is_refused_by_its_culprit),
        cmocka_unit_test(too_few_operands_show_the_usage),
        cmocka_unit_test(a_list_is_bounded),
        cmocka_unit_test(sizes_have_binary_suffixes),
        cmocka_unit_test(help_lists_options_with_defaults),
        cmocka_unit_test(an_option_that_is_refused_is_offered_nowhere),
        cmocka_unit_test(help_wins_over_later_mistakes),
        cmocka_unit_test(words_are_checked_unless_there_are_more),
        cmocka_unit_test(topics_are_headings_and_experts_ask_for_all),
        cmocka_unit_test(the_exit_code_is_the_commands_or_the_errors),
    };

    return cmocka_run_group_tests_name("common/cli", tests, NULL, NULL);
}
