/* tests/unit/mpi_runner/test_generate_explain.c - what reports of sanitizers
 * and a smaller case say to a model
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "mpi_runner/generate/explain.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
    const char *what, *report, *want;
} reports[] = {
    /* clang-format off */
    { "valgrind: our frames, addresses and what follows are left out",
      "==77== Memcheck, a memory error detector\n"
      "==77== Command: /x/opsweep-sandbox cpu --seed 123\n"
      "==77== <error>\n"
      "==77== Invalid write of size 4\n"
      "==77==    at 0x4853252: f_kernel_impl (f_g001_ab.c:14)\n"
      "==77==    by 0x10CDA3: call_op (calls.c:105)\n"
      "==77==  Address 0x4b0d4a8 is 0 bytes after a block of size 40 alloc'd\n"
      "==77==    at 0x48417B4: malloc (in /usr/x.so)\n"
      "==77==    by 0x4853223: f_kernel_impl (f_g001_ab.c:13)\n"
      "==77== \n"
      "==77== </error>\n"
      "==77== <error>\n"
      "==77== Invalid read of size 4\n",
      "Invalid write of size 4\n"
      "  in f_kernel_impl (f_g001_ab.c:14)\n"
      " Address ... is 0 bytes after a block of size 40 alloc'd\n"
      "  in f_kernel_impl (f_g001_ab.c:13)\n" },
    { "compute-sanitizer",
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at k(float *)+0x50 in f_g001_ab.cu:12\n"
      "=========     by thread (3,0,0) in block (1,0,0)\n"
      "=========     Address 0x7f0000000400 is out of bounds\n"
      "=========     Saved host backtrace up to driver entry point\n"
      "=========     Host Frame: [0x1234]\n",
      "Invalid __global__ write of size 4 bytes\n"
      "    at k(float *)+... in f_g001_ab.cu:12\n"
      "    by thread (3,0,0) in block (1,0,0)\n"
      "    Address ... is out of bounds\n" },
    { "nothing", "", "" },
    { "no error", "==1== Memcheck\n==1== All heap blocks were freed\n", "" },
    { "no end of a line", "==1== Invalid read of size 8", "Invalid read of size 8\n" },
    { "only marks", "=========\n==\n=\n==9==\n", "" },
    /* clang-format on */
};

static void a_report_is_its_first_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(reports); i++) {
        struct osw_text t = OSW_TEXT_INIT;

        print_message("  case: %s\n", reports[i].what);
        osw_explain_add_report(reports[i].report, "g001_ab", &t);
        assert_string_equal(t.used ? osw_text_str(&t) : "", reports[i].want);
        osw_text_free(&t);
    }
}

static void a_long_report_is_cut(void **state)
{
    struct osw_text report = OSW_TEXT_INIT, t = OSW_TEXT_INIT;
    size_t n_lines = 0;

    (void)state;
    osw_text_add(&report, "==1== Invalid read of size 8\n==1==  ");
    for (int i = 0; i < 5000; i++)
        osw_text_add(&report, "x");
    for (int i = 0; i < 100; i++)
        osw_text_add(&report, "\n==1==  more");
    osw_explain_add_report(osw_text_str(&report), "f", &t);
    for (const char *at = osw_text_str(&t); *at; at++)
        n_lines += *at == '\n';
    assert_int_equal(n_lines, OSW_EXPLAIN_MAX_LINES);
    assert_true(t.used < 1000);
    osw_text_free(&t);
    osw_text_free(&report);
}

#define CELL(more)                                                             \
    "{\"case\": \"((), {})\", \"fill\": \"normal\", \"seed\": 7, "             \
    "\"reason\": \"why\", \"output\": \"\"" more "}"

static void a_smaller_case_is_read(void **state)
{
    static const char text[] =
        CELL(", \"status\": \"value\", \"n_bad\": 1, \"n_elem\": 22, "
             "\"first_bad\": {\"output\": 0, \"index\": 21}, \"signal\": 0, "
             "\"tol_abs\": 0.5, \"tol_rel\": null");
    osw_arena_t *arena = osw_arena_create();
    struct osw_judged_cell cell;
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(
        osw_explain_read(arena, text, sizeof(text) - 1, &cell, &err), 0);
    assert_string_equal(cell.case_text, "((), {})");
    assert_string_equal(cell.fill, "normal");
    assert_string_equal(cell.record.reason, "why");
    assert_int_equal(cell.record.status_id, OSW_STATE_VALUE);
    assert_int_equal(cell.record.first_bad, 21);
    assert_int_equal(cell.record.n_elem, 22);
    assert_true(cell.record.tol_abs == 0.5);
    assert_true(isnan(cell.record.tol_rel));
    osw_arena_destroy(arena);
}

static void a_cell_without_wrong_elements_names_none(void **state)
{
    static const char text[] =
        CELL(", \"status\": \"crash\", \"first_bad\": null, \"signal\": 11");
    osw_arena_t *arena = osw_arena_create();
    struct osw_judged_cell cell;
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_int_equal(
        osw_explain_read(arena, text, sizeof(text) - 1, &cell, &err), 0);
    assert_int_equal(cell.record.signal, 11);
    assert_int_equal(cell.record.first_bad, -1);
    assert_int_equal(cell.record.bad_output, -1);
    osw_arena_destroy(arena);
}

static void damaged_ones_are_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", "cell.json"},
        {"[]", "cell.json"},
        {CELL(""), "key 'status': missing"},
        {CELL(", \"status\": \"odd\""), "unknown state 'odd'"},
        {CELL(", \"status\": 4"), "key 'status': expected a string"},
        {CELL(", \"status\": \"value\", \"n_bad\": \"x\""), "key 'n_bad'"},
        {"{\"status\": \"value\"}", "key 'case': missing"},
    };
    osw_arena_t *arena = osw_arena_create();

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_judged_cell cell = {.case_text = "before"};
        struct osw_error err = OSW_ERROR_INIT;

        assert_int_equal(osw_explain_read(arena, rows[i].text,
                                          strlen(rows[i].text), &cell, &err),
                         -1);
        assert_non_null(strstr(err.text, rows[i].want));
        assert_string_equal(cell.case_text, "before");
    }
    osw_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_is_its_first_error),
        cmocka_unit_test(a_long_report_is_cut),
        cmocka_unit_test(a_smaller_case_is_read),
        cmocka_unit_test(a_cell_without_wrong_elements_names_none),
        cmocka_unit_test(damaged_ones_are_refused),
    };

    return cmocka_run_group_tests_name("mpi_runner/generate_explain", tests,
                                       NULL, NULL);
}
