/* tests/unit/results/test_report_junit.c - JUnit XML, also of hostile texts */
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
    golden_check(&folder, "junit", 0, false, "complete.junit.xml");
}

static void missing_cells_are_an_error(void **state)
{
    (void)state;
    assert_int_equal(golden_make(&folder, 1 << 0 | 1 << 3), 0);
    golden_check(&folder, "junit", 0, false, "incomplete.junit.xml");
}

/* Python's parser takes it, and every text comes out as it went in but for
 * what XML cannot say.
 */
static void hostile_texts_are_xml(void **state)
{
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_cell_names names = fixture_names(0);
    struct osw_record r;
    char command[2000];
    osw_run_t *run;

    (void)state;
    if (system("python3 -c 'import xml.etree.ElementTree'"))
        skip();
    assert_int_equal(folder_make(&folder), 0);
    info.n_planned = 1;
    run = osw_run_create(folder.path, &info, false, &err);
    assert_non_null(run);
    osw_record_init(&r);
    r.status_id = OSW_STATE_CRASH;
    r.reason = "<a b=\"c\" d='e'> & ]]> \x01\x1b[2J \t|\n\xef\xbf\xbf \xc3\xbc";
    r.output = "]]></system-out><x/>\r\n\xef\xbf\xbe";
    names.op = "o<&>\"'p";
    names.case_text = "((T([4], f32), '</testcase>'), {})";
    assert_int_equal(osw_run_result(run, &r, &names, &err), 0);
    assert_int_equal(osw_run_seal(run, true, &err), 0);
    osw_run_close(run);
    golden_write(&folder, "junit", 0, false, "report");
    snprintf(command, sizeof(command),
             "python3 - '%s/report' <<'PY'\n"
             "import sys, xml.etree.ElementTree as ET\n"
             "root = ET.parse(sys.argv[1]).getroot()\n"
             "assert root.tag == 'testsuites' and root.get('errors') == '1'\n"
             "suite, = root.findall('testsuite')\n"
             "assert suite.get('name') == 'o<&>\"\\'p'\n"
             "case, = suite.findall('testcase')\n"
             "assert case.get('name').startswith("
             "\"((T([4], f32), '</testcase>'), {})\")\n"
             "error, = case.findall('error')\n"
             "assert error.get('message') == 'crash: <a b=\"c\" d=\\'e\\'> & "
             "]]> \\ufffd\\ufffd[2J \\t|\\n\\ufffd \\xfc', "
             "repr(error.get('message'))\n"
             "out, = case.findall('system-out')\n"
             "assert out.text == ']]></system-out><x/>\\r\\n\\ufffd', "
             "repr(out.text)\n"
             "PY",
             folder.dir);
    assert_int_equal(system(command), 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_complete_run),
        T(missing_cells_are_an_error),
        T(hostile_texts_are_xml),
    };
#undef T

    return cmocka_run_group_tests_name("results/report_junit", tests, NULL,
                                       NULL);
}
