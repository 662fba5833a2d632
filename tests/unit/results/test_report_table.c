/* tests/unit/results/test_report_table.c - the table, against kept files */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/results/golden.h"

static int tear_down(void **state)
{
    return *state ? folder_remove(*state) : 0;
}

static struct folder folder;

static void a_complete_run(void **state)
{
    *state = &folder;
    assert_int_equal(golden_make(&folder, 0), 0);
    golden_check(&folder, "text", 0, false, "complete.table.txt");
}

static void an_incomplete_run_says_so(void **state)
{
    *state = &folder;
    assert_int_equal(golden_make(&folder, 1 << 0 | 1 << 3), 0);
    golden_check(&folder, "text", 80, false, "incomplete.table.txt");
}

static void colours_are_only_where_wanted(void **state)
{
    *state = &folder;
    assert_int_equal(golden_make(&folder, 0), 0);
    golden_check(&folder, "text", 120, true, "colour.table.txt");
}

static void each_baseline_has_its_own_line(void **state)
{
    *state = &folder;
    assert_int_equal(golden_make_baselines(&folder), 0);
    golden_check(&folder, "text", 0, false, "baselines.table.txt");
    golden_check(&folder, "text", 0, false, "all.baselines.table.txt");
    golden_check(&folder, "text", 80, false, "narrow.baselines.table.txt");
    golden_check(&folder, "text", 80, false, "narrow.all.baselines.table.txt");
}

/* add: half is faster and fails; mm: small has fewer cells. */
static void each_model_of_device_has_its_own_line(void **state)
{
    *state = &folder;
    assert_int_equal(golden_make_models(&folder), 0);
    golden_check(&folder, "text", 0, false, "models.table.txt");
    golden_check(&folder, "text", 0, false, "all.models.table.txt");
}

static void collective_ops_have_bandwidths(void **state)
{
    *state = &folder;
    assert_int_equal(golden_make_ranks(&folder), 0);
    golden_check(&folder, "text", 80, false, "ranks.table.txt");
}

/* The text report of the file; the caller's to free.  `created_utc` is what a
 * forged file says.
 */
static char *text_of(const char *created_utc)
{
    const struct osw_report_options options = {.width = 80};
    struct osw_error err = OSW_ERROR_INIT;
    osw_file_t *file = osw_file_open(folder.path, &err);
    struct osw_file_info *info;
    char *got = NULL;
    size_t size;
    FILE *out = open_memstream(&got, &size);

    assert_non_null(file);
    assert_non_null(out);
    info = (struct osw_file_info *)(uintptr_t)osw_file_info(file);
    info->created_utc = created_utc;
    if (osw_report_write(osw_report_find("text"), file, &options, out, &err))
        fail_msg("%s", err.text);
    fclose(out);
    osw_file_close(file);
    return got;
}

static void bandwidths_are_those_of_one_model(void **state)
{
    static const char *const want[] = {
        "all_reduce, 2 ranks on h100\n"
        "        1024        256 f32  sum  fast         8.00 us    0.12    0.12"
        "  80.0 ns\n"
        "        1024        256 f32  sum  fast         8.00 us    0.12    0.12"
        "  80.0 ns\n",
        "all_reduce, 2 ranks on a100\n",
    };
    char *got;

    *state = &folder;
    assert_int_equal(golden_make_ranks_of_models(&folder), 0);
    got = text_of("2026-01-01T00:00:00Z");
    for (int i = 0; i < 2; i++)
        if (!strstr(got, want[i]))
            fail_msg("'%s' is not in: %s", want[i], got);
    free(got);
}

static void no_text_steers_a_terminal(void **state)
{
    char *got;

    *state = &folder;
    assert_int_equal(golden_make_ranks_of_models(&folder), 0);
    got = text_of("\x1b[2J");
    assert_null(strchr(got, '\x1b'));
    free(got);
}

/* Names and reasons longer than the page, control characters in them, cells
 * that were lost, more reasons than are named.
 */
static void a_hostile_run_fits_the_page(void **state)
{
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    char reason[400], op[200];
    osw_run_t *run;

    *state = &folder;
    assert_int_equal(folder_make(&folder), 0);
    info.n_planned = 40;
    run = osw_run_create(folder.path, &info, false, &err);
    assert_non_null(run);
    for (uint64_t i = 0; i < 40; i++) {
        struct osw_cell_names names = fixture_names(0);
        struct osw_record r;

        osw_record_init(&r);
        r.cell = i;
        r.status_id = i < 20   ? OSW_STATE_SKIPPED
                      : i < 25 ? OSW_STATE_LOST
                               : OSW_STATE_VALUE;
        snprintf(reason, sizeof(reason),
                 "reason %d \x1b[2J with \xc3\xbc, %s which goes on and on and "
                 "on until the line is full and then still goes on",
                 (int)(i % 7), i % 2 ? "odd," : "even,");
        snprintf(op, sizeof(op),
                 "a.very.long.name.of.an.op.that.nobody.would."
                 "choose.but.somebody.will.default%d",
                 (int)(i / 30));
        names.op = op;
        names.impl = "an_implementation_with_a_name_of_its_own";
        names.case_text = "((T([1024, 1024, 1024, 1024], f32), T([1024, 1024, "
                          "1024, 1024], f32)), {'alpha': 1.5})";
        r.reason = reason;
        assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    }
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    golden_check(&folder, "text", 80, false, "hostile.table.txt");
}

static void no_line_is_wider_than_the_page(void **state)
{
    static const char *const files[] = {
        "complete",   "baselines",        "all.baselines",        "models",
        "all.models", "narrow.baselines", "narrow.all.baselines", "incomplete",
        "hostile"};

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        char path[100], line[1000];
        size_t limit = i < 5 ? 100 : 80;
        FILE *f;

        snprintf(path, sizeof(path), "tests/data/results/%s.table.txt",
                 files[i]);
        f = fopen(path, "r");
        assert_non_null(f);
        while (fgets(line, sizeof(line), f)) {
            size_t n = 0;

            for (const char *s = line; *s && *s != '\n'; s++)
                n += (*s & 0xc0) != 0x80;
            if (n > limit)
                fail_msg("%s: %zu columns: %s", path, n, line);
            assert_null(strchr(line, '\x1b'));
        }
        fclose(f);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_complete_run),
        T(an_incomplete_run_says_so),
        T(colours_are_only_where_wanted),
        T(each_baseline_has_its_own_line),
        T(each_model_of_device_has_its_own_line),
        T(collective_ops_have_bandwidths),
        T(bandwidths_are_those_of_one_model),
        T(no_text_steers_a_terminal),
        T(a_hostile_run_fits_the_page),
        cmocka_unit_test(no_line_is_wider_than_the_page),
    };
#undef T

    return cmocka_run_group_tests_name("results/report_table", tests, NULL,
                                       NULL);
}
