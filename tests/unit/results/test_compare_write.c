/* tests/unit/results/test_compare_write.c - what a comparison prints of files
 * from elsewhere */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/compare/compare.h"
#include "tests/unit/results/fixture.h"

static struct folder folders[2];

static int tear_down(void **state)
{
    (void)state;
    return folder_remove(&folders[0]) | folder_remove(&folders[1]);
}

static osw_file_t *make_file(struct folder *f, const char *profile)
{
    struct osw_run_info info = fixture_info();
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run;
    osw_file_t *file;

    assert_int_equal(folder_make(f), 0);
    info.profile = profile;
    run = osw_run_create(f->path, &info, false, &err);
    assert_non_null(run);
    assert_int_equal(osw_run_seal(run, false, &err), 0);
    osw_run_close(run);
    file = osw_file_open(f->path, &err);
    assert_non_null(file);
    return file;
}

static void remarks_cannot_become_markup(void **state)
{
    static const struct {
        const char *format, *want;
    } cases[] = {
        {"text", "\nprofile: smoke, now <b>| [2J\n"},
        {"markdown", "\nprofile: smoke, now &#60;b&#62;&#124; &#91;2J\n"},
    };
    const struct osw_compare_options options = {0.02, 1, 1, 0.1};
    osw_file_t *base = make_file(&folders[0], "smoke");
    osw_file_t *now = make_file(&folders[1], "<b>|\x1b[2J");
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_compare c;

    (void)state;
    assert_int_equal(osw_compare_run(base, now, &options, &c, &err), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *got = NULL;
        size_t size;
        FILE *out = open_memstream(&got, &size);

        assert_non_null(out);
        assert_int_equal(
            osw_compare_format_find(cases[i].format)->write(&c, 10, out, &err),
            0);
        fclose(out);
        if (!strstr(got, cases[i].want))
            fail_msg("'%s' is not in: %s", cases[i].want, got);
        free(got);
    }
    osw_compare_free(&c);
    osw_file_close(base);
    osw_file_close(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(remarks_cannot_become_markup, tear_down),
    };

    return cmocka_run_group_tests_name("results/compare_write", tests, NULL,
                                       NULL);
}
