/* tests/unit/results/test_report_html.c - words and numbers, and whole pages */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "results/report/html/report_html.h"
#include "tests/unit/results/golden.h"

static struct folder folder;

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(&folder);
}

static const struct {
    const char *text;
    size_t max;
    const char *html, *uri;
} words[] = {
    {"plain", 0, "plain", "plain"},
    {"<a href='x'>&\"", 0, "&lt;a href=&#39;x&#39;&gt;&amp;&quot;",
     "%3Ca%20href%3D%27x%27%3E%26%22"},
    {"a\x01"
     "b\xff"
     "c",
     0, "a&#xfffd;b&#xfffd;c", "a%01b%FFc"},
    {"line\nline\t.", 0, "line line .", "line%0Aline%09."},
    {"\xc3\xa4\xe2\x82\xac", 0, "\xc3\xa4\xe2\x82\xac", "%C3%A4%E2%82%AC"},
    {"\xc3\xa4\xc3\xb6\xc3\xbc", 2, "\xc3\xa4\xc3\xb6...",
     "%C3%A4%C3%B6%C3%BC"},
    {"<<<", 1, "&lt;...", "%3C%3C%3C"},
    {"", 0, "", ""},
};

static void words_cannot_become_markup(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        for (int uri = 0; uri < 2; uri++) {
            char *got = NULL;
            size_t size;
            FILE *out = open_memstream(&got, &size);

            assert_non_null(out);
            if (uri)
                osw_report_html_uri(out, words[i].text);
            else
                osw_report_html_text(out, words[i].text, words[i].max);
            fclose(out);
            assert_string_equal(got, uri ? words[i].uri : words[i].html);
            free(got);
        }
}

static void numbers_have_units(void **state)
{
    static const struct {
        double ns;
        const char *text;
    } times[] = {{0.5, "0.50 ns"},    {12.34, "12.3 ns"}, {999, "999 ns"},
                 {1500, "1.50 us"},   {2e6, "2.00 ms"},   {3.21e9, "3.21 s"},
                 {4.567e11, "457 s"}, {NAN, "n/a"}};
    static const struct {
        double factor;
        const char *text;
        int shade;
    } factors[] = {{0.001, "<0.01x", 0}, {0.25, "0.25x", 0}, {0.6, "0.60x", 2},
                   {1, "1.00x", 4},      {1.2, "1.20x", 5},  {2.5, "2.50x", 7},
                   {12.34, "12.3x", 8},  {1234, "1234x", 8}};
    char buf[32];

    (void)state;
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        assert_string_equal(osw_report_duration(times[i].ns, buf, sizeof(buf)),
                            times[i].text);
    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        assert_string_equal(
            osw_report_factor(factors[i].factor, buf, sizeof(buf)),
            factors[i].text);
        assert_int_equal(osw_report_html_shade(factors[i].factor),
                         factors[i].shade);
    }
}

/* The page of the file; `words` must stand in it. */
static void check_words(const char *const *want)
{
    char command[1200];

    golden_write(&folder, "html", 0, false, "report.html");
    snprintf(command, sizeof(command),
             "python3 -B tests/shell/html_page.py '%s/report.html' >&2",
             folder.dir);
    assert_int_equal(system(command), 0);
    for (; *want; want++) {
        snprintf(command, sizeof(command), "grep -qF '%s' '%s/report.html'",
                 *want, folder.dir);
        if (system(command))
            fail_msg("'%s' is not in the page", *want);
    }
}

static void check_page(unsigned leave_out, const char *const *want)
{
    if (system("python3 -c 'import html.parser'"))
        skip();
    assert_int_equal(golden_make(&folder, leave_out), 0);
    check_words(want);
}

/* Two nodes have a model that is ten times as fast: that is no finding; one of
 * a third model is compared with none.
 */
static void nodes_are_compared_within_a_model(void **state)
{
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    static const char *const ops[] = {"add", "mm", "mul", "sub"};
    static const char *const hosts[] = {"n1", "n2", "n3", "n4", "n5"};
    static const char *const devices[] = {"a100", "h100", "a100", "h100",
                                          "l40"};
    char command[1200];
    osw_run_t *run;

    (void)state;
    assert_int_equal(folder_make(&folder), 0);
    info.n_planned = 40;
    run = osw_run_create(folder.path, &info, false, &err);
    assert_non_null(run);
    for (uint64_t i = 0; i < info.n_planned; i++) {
        struct osw_cell_names names = fixture_names(0);
        struct osw_record r = fixture_record(0);

        names.op = ops[i / 10];
        names.host = hosts[i % 5];
        names.device = devices[i % 5];
        r.cell = i;
        r.cell_key = i;
        r.rank = 1 + (int32_t)(i % 5);
        r.gbps = (i % 5 % 2 ? 1000 : 100) * (1 + 0.01 * (double)(i * 7 % 11));
        assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    }
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    golden_write(&folder, "html", 0, false, "report.html");
    snprintf(command, sizeof(command),
             "! grep -q '>differs<' '%s/report.html' && "
             "test 8 = $(grep -c '^<tr><td>n[1-4]<.*x</td><td><svg' "
             "'%s/report.html') && "
             "test 2 = $(grep -c '^<tr><td>n5<.*n/a</td><td></td></tr>' "
             "'%s/report.html')",
             folder.dir, folder.dir, folder.dir);
    assert_int_equal(system(command), 0);
}

/* Rank 1 was on n1, and on n2 after a resume: each place has its device. */
static void a_place_has_the_device_of_its_host(void **state)
{
    static const char *const hosts[] = {"n1", "n2"};
    static const char *const models[] = {"first model", "second model"};
    static const char *const want[] = {
        "<tr><td>n1</td><td class=\"n\">1</td><td>first model",
        "<tr><td>n2</td><td class=\"n\">1</td><td>second model",
        NULL,
    };
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;

    (void)state;
    if (system("python3 -c 'import html.parser'"))
        skip();
    assert_int_equal(folder_make(&folder), 0);
    info.n_planned = 2;
    run = osw_run_create(folder.path, &info, false, &err);
    assert_non_null(run);
    for (uint64_t i = 0; i < info.n_planned; i++) {
        struct osw_device_info d = fixture_device(0);
        struct osw_cell_names names = fixture_names(0);
        struct osw_record r = fixture_record(0);

        snprintf(d.name, sizeof(d.name), "%s", models[i]);
        assert_int_equal(osw_run_device(run, hosts[i], &d, 1, &err), 0);
        names.host = hosts[i];
        r.cell = r.cell_key = i;
        r.rank = 1;
        assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    }
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    check_words(want);
}

static void each_model_of_device_has_its_own_chart(void **state)
{
    static const char *const want[] = {
        "<h3>vs plain on h100</h3>",
        "<h3>vs plain on a100</h3>",
        "<b>0.50x</b> <small>vs plain on h100</small>",
        "<b>4.00x</b> <small>vs plain on a100</small>",
        "over 7 timed cells of several models",
        "95&#160;% interval of the mean",
        NULL,
    };

    (void)state;
    if (system("python3 -c 'import html.parser'"))
        skip();
    assert_int_equal(golden_make_models(&folder), 0);
    check_words(want);
}

static void each_baseline_has_its_own_chart(void **state)
{
    static const char *const want[] = {
        "<h3>vs openblas</h3>",
        "add / fast: 0.50x vs openblas, geometric mean of 1 cell",
        "add / fast: 2.00x vs plain, geometric mean of 1 cell",
        "<b>2.00x</b> <small>vs plain</small>",
        "<b>0.50x</b> <small>vs openblas</small>",
        "<b>pass</b> <small>the baseline</small>",
        "<h3>vs reference (an oracle, no baseline)</h3>",
        "1 cell: not counted, not drawn",
        "0.50x [0.40, 0.60] vs openblas, 25 % of light",
        NULL,
    };

    (void)state;
    if (system("python3 -c 'import html.parser'"))
        skip();
    assert_int_equal(golden_make_baselines(&folder), 0);
    check_words(want);
}

/* The line of nccl by hand: x = 64 + 772 (log2(bytes) - 9) / 22,
 * y = 278 - 266 (log10(GB/s) + 2) / 5.
 */
static void collective_ops_have_a_line_per_implementation(void **state)
{
    static const char *const want[] = {
        "<a href=\"#ranks\">bandwidth</a>",
        "<h3>all_reduce, 2 ranks</h3>",
        "<h3>all_reduce, 4 ranks</h3>",
        "<h3>broadcast, 4 ranks</h3>",
        "d=\"M99.1 219.1L800.9 37.2\"",
        "ring: 1073741824 bytes, 3.00 ms, bus 357.9 GB/s",
        NULL,
    };

    (void)state;
    if (system("python3 -c 'import html.parser'"))
        skip();
    assert_int_equal(golden_make_ranks(&folder), 0);
    check_words(want);
}

static void bandwidths_are_those_of_one_model(void **state)
{
    static const char *const want[] = {
        "<h3>all_reduce, 2 ranks on h100</h3>",
        "<h3>all_reduce, 2 ranks on a100</h3>",
        NULL,
    };

    (void)state;
    if (system("python3 -c 'import html.parser'"))
        skip();
    assert_int_equal(golden_make_ranks_of_models(&folder), 0);
    check_words(want);
}

static void weak_cells_are_no_errors(void **state)
{
    static const struct golden_cell cells[] = {
        {"add", "fast", "", "cpu", NAN, NAN, NAN, NAN, OSW_STATE_PASS},
        {"add", "fast", "", "cpu", NAN, NAN, NAN, NAN, OSW_STATE_VALUE},
        {"add", "fast", "", "cpu", NAN, NAN, NAN, NAN, OSW_STATE_WEAK},
        {"add", "fast", "", "cpu", NAN, NAN, NAN, NAN, OSW_STATE_UNVERIFIED},
    };
    static const char *const want[] = {
        "Of 2 of 4 cells, those that pass or fail",
        "<b>f32</b> 2 cells, 1 of them failed",
        NULL,
    };

    (void)state;
    if (system("python3 -c 'import html.parser'"))
        skip();
    assert_int_equal(golden_make_cells(&folder, cells, 4), 0);
    check_words(want);
}

static void a_complete_run(void **state)
{
    static const char *const want[] = {
        "<em class=\"complete\">",
        "<b>6</b><span>cells planned",
        "add / fast: 1 of 2 judged cells pass (50 %), 1 fail, 0 error; "
        "speed-up 2.00x vs plain, geometric mean of 1\"",
        "mm / fast: 8.00x vs plain, geometric mean of 1 cell",
        "speed-up <b>vs plain</b>: geomean 2.00x over 3 cells",
        "over 3 cells of 2 ops; 1 faster, 0 slower, 2 open",
        "speed of light: median <b>50 %</b>",
        "<td><a href=\"#state=skipped\">skipped</a></td><td>no op</td>",
        "<b>f32</b> 3 cells, 0 of them fail",
        "<b>f16</b> 1 cell, 1 of them failed",
        "href=\"#cell=0xfedcba9876543214\"", /* crashed: among the worst */
        "ECC is off",
        NULL,
    };

    (void)state;
    check_page(0, want);
}

static void a_run_without_results(void **state)
{
    static const char *const want[] = {
        "<em class=\"incomplete\">",
        "<b>6</b><span>without a record",
        "No cell that passes was timed",
        "\"rows\":0,\"shown\":0",
        NULL,
    };

    (void)state;
    check_page(0x3f, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_cannot_become_markup),
        cmocka_unit_test(numbers_have_units),
        cmocka_unit_test_teardown(a_complete_run, tear_down),
        cmocka_unit_test_teardown(each_baseline_has_its_own_chart, tear_down),
        cmocka_unit_test_teardown(each_model_of_device_has_its_own_chart,
                                  tear_down),
        cmocka_unit_test_teardown(nodes_are_compared_within_a_model, tear_down),
        cmocka_unit_test_teardown(a_place_has_the_device_of_its_host,
                                  tear_down),
        cmocka_unit_test_teardown(a_run_without_results, tear_down),
        cmocka_unit_test_teardown(bandwidths_are_those_of_one_model, tear_down),
        cmocka_unit_test_teardown(weak_cells_are_no_errors, tear_down),
        cmocka_unit_test_teardown(collective_ops_have_a_line_per_implementation,
                                  tear_down),
    };

    return cmocka_run_group_tests_name("results/report_html", tests, NULL,
                                       NULL);
}
