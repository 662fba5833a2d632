/* tests/unit/results/test_report_json.c - the json, against kept files */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/results/golden.h"

static struct folder folder;

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(&folder);
}

static void a_complete_run(void **state)
{
    (void)state;
    assert_int_equal(golden_make(&folder, 0), 0);
    golden_check(&folder, "json", 0, false, "complete.json");
}

static void a_run_without_results(void **state)
{
    (void)state;
    assert_int_equal(golden_make(&folder, 0x3f), 0);
    golden_check(&folder, "json", 0, false, "empty.json");
}

/* Another program reads the recorded values from it. */
static void python_reads_it(void **state)
{
    char command[2000];

    (void)state;
    if (system("python3 -c 'import json, csv'"))
        skip();
    assert_int_equal(golden_make(&folder, 0), 0);
    golden_write(&folder, "json", 0, false, "report");
    snprintf(
        command, sizeof(command),
        "python3 - '%s/report' <<'PY'\n"
        "import json, sys\n"
        "d = json.load(open(sys.argv[1]))\n"
        "assert d[\"format\"] == \"opsweep.report\" and d[\"version\"] == 1\n"
        "assert d[\"totals\"][\"n_planned\"] == 6 and "
        "d[\"totals\"][\"n_pass\"] == 3\n"
        "assert d[\"totals\"][\"states\"] == {\"pass\": 3, \"value\": 1, "
        "\"crash\": 1, \"skipped\": 1}\n"
        "assert abs(d[\"totals\"][\"speedup_geomean\"] - 2) < 1e-12\n"
        "assert [o[\"op\"] + \"/\" + o[\"impl\"] for o in d[\"ops\"]] == "
        "[\"add/fast\", \"add/slow\", \"mm/fast\", \"rms/\"]\n"
        "assert d[\"ops\"][3][\"not_judged\"] == [{\"status\": \"skipped\", "
        "\"reason\": \"no op\", \"several\": False, \"n\": 1}]\n"
        "assert d[\"ops\"][3][\"speedup_geomean\"] is None\n"
        "c = d[\"cells\"]\n"
        "assert [x[\"row\"] for x in c] == list(range(6))\n"
        "assert c[0][\"cell_key\"] == \"0xfedcba9876543210\" and "
        "c[2][\"speedup\"] is None\n"
        "assert c[4][\"output\"] == 'first line\\nsecond, \"quoted\"?\\n' "
        "and c[2][\"first_bad\"] == 5\n"
        "PY\n",
        folder.dir);
    assert_int_equal(system(command), 0);
}

static void each_baseline_stands_for_itself(void **state)
{
    (void)state;
    assert_int_equal(golden_make_baselines(&folder), 0);
    golden_check(&folder, "json", 0, false, "baselines.json");
}

/* Two cells are over the budget, by different numbers. */
static void reasons_that_differ_are_one_kind(void **state)
{
    static const char *const reasons[] = {"over budget: 9 s",
                                          "over budget: 8 s", "no op: add"};
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    char command[1500];
    osw_run_t *run;

    (void)state;
    if (system("python3 -c 'import json'"))
        skip();
    assert_int_equal(folder_make(&folder), 0);
    info.n_planned = 3;
    run = osw_run_create(folder.path, &info, false, &err);
    assert_non_null(run);
    for (uint64_t i = 0; i < 3; i++) {
        struct osw_cell_names names = fixture_names(5);
        struct osw_record r = fixture_record(5);

        r.cell = r.cell_key = i;
        r.reason = reasons[i];
        assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    }
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    golden_write(&folder, "json", 0, false, "report");
    snprintf(command, sizeof(command),
             "python3 - '%s/report' <<'PY'\n"
             "import json, sys\n"
             "d = json.load(open(sys.argv[1]))\n"
             "want = [(\"over budget\", True, 2), (\"no op: add\", False, 1)]\n"
             "for of in d[\"totals\"], d[\"ops\"][0]:\n"
             "    got = [(r[\"reason\"], r[\"several\"], r[\"n\"])\n"
             "           for r in of[\"not_judged\"]]\n"
             "    assert got == want, got\n"
             "PY\n",
             folder.dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_complete_run, tear_down),
        cmocka_unit_test_teardown(each_baseline_stands_for_itself, tear_down),
        cmocka_unit_test_teardown(a_run_without_results, tear_down),
        cmocka_unit_test_teardown(python_reads_it, tear_down),
        cmocka_unit_test_teardown(reasons_that_differ_are_one_kind, tear_down),
    };

    return cmocka_run_group_tests_name("results/report_json", tests, NULL,
                                       NULL);
}
