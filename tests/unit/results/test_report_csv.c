/* tests/unit/results/test_report_csv.c - the csv, against kept files */
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
    golden_check(&folder, "csv", 0, false, "complete.csv");
}

static void a_run_without_results(void **state)
{
    (void)state;
    assert_int_equal(golden_make(&folder, 0x3f), 0);
    golden_check(&folder, "csv", 0, false, "empty.csv");
}

/* Another program reads the recorded values from it. */
static void python_reads_it(void **state)
{
    char command[2000];

    (void)state;
    if (system("python3 -c 'import json, csv'"))
        skip();
    assert_int_equal(golden_make(&folder, 0), 0);
    golden_write(&folder, "csv", 0, false, "report");
    snprintf(
        command, sizeof(command),
        "python3 - '%s/report' <<'PY'\n"
        "import csv, sys\n"
        "rows = list(csv.reader(open(sys.argv[1], newline=\"\")))\n"
        "head = rows[0]\n"
        "assert len(set(head)) == len(head) and head[0] == \"row\"\n"
        "assert all(len(r) == len(head) for r in rows)\n"
        "at = {k: i for i, k in enumerate(head)}\n"
        "assert [r[at[\"status\"]] for r in rows[1:]] == [\"pass\", \"pass\", "
        "\"value\", \"pass\", \"crash\", \"skipped\"]\n"
        "assert rows[5][at[\"output\"]] == 'first line\\nsecond, "
        "\"quoted\"?\\n'\n"
        "assert rows[3][at[\"speedup\"]] == \"\" and "
        "float(rows[4][at[\"speedup\"]]) == 8\n"
        "assert rows[1][at[\"cell_key\"]] == \"0xfedcba9876543210\"\n"
        "assert open(sys.argv[1], newline=\"\").read().count(\"\\r\\n\") == 7\n"
        "PY\n",
        folder.dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_complete_run, tear_down),
        cmocka_unit_test_teardown(a_run_without_results, tear_down),
        cmocka_unit_test_teardown(python_reads_it, tear_down),
    };

    return cmocka_run_group_tests_name("results/report_csv", tests, NULL, NULL);
}
