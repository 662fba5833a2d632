/* tests/unit/common/test_whole_file.c - a file that is there whole, or not */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/whole_file.h"

static char folder[] = "/tmp/test-output.XXXXXX";
static char path[64], link_path[64];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/out", folder);
    snprintf(link_path, sizeof(link_path), "%s/link", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder); /* nothing was left */
}

static void put(const char *name, const char *text, int rc)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_whole_file out;

    assert_int_equal(osw_whole_file_open(&out, name, &err), 0);
    fputs(text, out.file);
    assert_int_equal(osw_whole_file_close(&out, rc, &err), rc);
}

static void expect(const char *want)
{
    char got[16] = "";
    FILE *f = fopen(path, "re");

    assert_non_null(f);
    assert_non_null(fgets(got, sizeof(got), f));
    fclose(f);
    assert_string_equal(got, want);
}

static void it_gets_its_name_when_all_went_well(void **state)
{
    (void)state;
    put(path, "one", 0);
    expect("one");
    put(path, "two", -1);
    expect("one"); /* as it was */
    unlink(path);
    put(path, "two", -1);
    assert_int_equal(access(path, F_OK), -1);
}

static void what_is_no_plain_file_is_not_replaced(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(symlink("/dev/null", link_path), 0);
    put(link_path, "one", 0);
    assert_int_equal(lstat(link_path, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    unlink(link_path);
    assert_int_equal(symlink(path, link_path), 0);
    put(link_path, "one", 0);
    expect("one");
    unlink(link_path);
    unlink(path);
}

static void one_that_cannot_be_written_is_named(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_whole_file out;
    char wrong[80];

    (void)state;
    snprintf(wrong, sizeof(wrong), "%s/none/out", folder);
    assert_int_equal(osw_whole_file_open(&out, wrong, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, wrong));
    assert_null(strstr(err.text, ".tmp."));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_whole_file_open(&out, folder, &err), -1);
    assert_non_null(strstr(err.text, "directory"));
    /* A full disk is found at the end. */
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_whole_file_open(&out, "/dev/full", &err), 0);
    fputs("text", out.file);
    assert_int_equal(osw_whole_file_close(&out, 0, &err), -1);
    assert_int_equal(err.status, OSW_SYSTEM);
    assert_non_null(strstr(err.text, "/dev/full"));
}

static void fill(const char *bytes, size_t n)
{
    FILE *f = fopen(path, "we");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

static void a_text_does_not_replace_a_result_file(void **state)
{
    static const char text[] = "\x89HD, which is no HDF5";
    static const char *const names[] = {path, link_path};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_whole_file out;
    char want[160];

    (void)state;
    fill("\x89HDF\r\n", 6);
    assert_int_equal(symlink(path, link_path), 0);
    for (int i = 0; i < 2; i++) {
        err = (struct osw_error)OSW_ERROR_INIT;
        assert_int_equal(osw_whole_file_open(&out, names[i], &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        snprintf(want, sizeof(want), "'%s' is a result file (HDF5)", names[i]);
        assert_non_null(strstr(err.text, want));
    }
    fill(text, sizeof(text) - 1);
    put(path, "one", 0);
    fill("", 0);
    put(path, "one", 0);
    unlink(link_path);
    unlink(path);
}

static void a_forced_result_file_replaces_nothing_else(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    char want[160];

    (void)state;
    assert_int_equal(osw_whole_file_forced(path, &err), 0);
    fill("", 0);
    assert_int_equal(osw_whole_file_forced(path, &err), 0);
    fill("\x89HDF", 4);
    assert_int_equal(osw_whole_file_forced(path, &err), 0);
    fill("{}", 2);
    assert_int_equal(osw_whole_file_forced(path, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    snprintf(want, sizeof(want), "'%s' is no result file", path);
    assert_non_null(strstr(err.text, want));
    unlink(path);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_whole_file_forced("/dev/null", &err), -1);
    assert_string_equal(err.text,
                        "'/dev/null' is no regular file, expected a file");
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_whole_file_forced("/tmp", &err), -1);
    assert_string_equal(err.text, "'/tmp' is a folder, expected a file");
}

static void the_ending_fits_the_format(void **state)
{
    static const struct {
        const char *path, *format, *want; /* NULL: it may be written */
    } cases[] = {
        {NULL, "text", NULL},
        {"-", "text", NULL},
        {"x.d/none", "text", NULL},
        {"/dev/null", "html", NULL},
        {"x.html", "html", NULL},
        {"x.log", "text", NULL},
        {"x.fresh", "text", NULL},
        {"x.html", "text",
         "option '--output': 'x.html' has the ending of format 'html', and "
         "format 'text' is to be written: expected another ending, or "
         "'--format html'"},
        {"x.txt", "csv", "'x.txt' has the ending of format 'text'"},
    };
    struct osw_error err = OSW_ERROR_INIT;
    char code[80];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        err = (struct osw_error)OSW_ERROR_INIT;
        assert_int_equal(
            osw_whole_file_fits(cases[i].path, cases[i].format, &err),
            cases[i].want ? -1 : 0);
        if (cases[i].want)
            assert_non_null(strstr(err.text, cases[i].want));
    }
    snprintf(code, sizeof(code), "%s/code.c", folder);
    fill("", 0);
    assert_int_equal(rename(path, code), 0);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_whole_file_fits(code, "text", &err), 0);
    put(code, "int x;", 0);
    assert_int_equal(osw_whole_file_fits(code, "text", &err), -1);
    assert_non_null(strstr(err.text, "only a file that ends in .txt is "
                                     "replaced"));
    unlink(code);
}

static void what_is_read_is_not_written(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    const char *const read[] = {"/dev/null", path, "/none/such"};

    (void)state;
    put(path, "one", 0);
    assert_int_equal(symlink(path, link_path), 0);
    assert_int_equal(osw_whole_file_apart(NULL, read, 3, &err), 0);
    assert_int_equal(osw_whole_file_apart("/none/such", read, 3, &err), 0);
    assert_int_equal(osw_whole_file_apart("/dev/null", read, 3, &err), 0);
    assert_int_equal(osw_whole_file_apart(path, read, 1, &err), 0);
    assert_int_equal(osw_whole_file_apart(path, read, 3, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, path));
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_whole_file_apart(link_path, read, 3, &err), -1);
    assert_non_null(strstr(err.text, link_path));
    unlink(link_path);
    unlink(path);
}

static void without_a_name_it_is_standard_output(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_whole_file out;

    (void)state;
    for (int dash = 0; dash < 2; dash++) {
        assert_int_equal(osw_whole_file_open(&out, dash ? "-" : NULL, &err), 0);
        assert_ptr_equal(out.file, stdout);
        assert_int_equal(osw_whole_file_close(&out, 0, &err), 0);
    }
    assert_int_equal(printf("\n"), 1); /* still open */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_gets_its_name_when_all_went_well),
        cmocka_unit_test(what_is_no_plain_file_is_not_replaced),
        cmocka_unit_test(one_that_cannot_be_written_is_named),
        cmocka_unit_test(a_text_does_not_replace_a_result_file),
        cmocka_unit_test(a_forced_result_file_replaces_nothing_else),
        cmocka_unit_test(the_ending_fits_the_format),
        cmocka_unit_test(what_is_read_is_not_written),
        cmocka_unit_test(without_a_name_it_is_standard_output),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
