/* tests/unit/ops/test_select.c - filters over names */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/catalog/select.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static void patterns_match_as_in_the_table(void **state)
{
    static const struct {
        const char *pattern, *name;
        bool want;
    } rows[] = {
        /* clang-format off */
        { "add",      "add",        true },
        { "add",      "add_",       false },
        { "add",      "aten.add",   false },
        { "add*",     "add_",       true },
        { "add*",     "add",        true },
        { "*.Tensor", "add.Tensor", true },
        { "mm?",      "mm",         false },
        { "?mm",      "bmm",        true },
        { "a[d]d",    "add",        false }, /* no glob without * or ? */
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  %s %s\n", rows[i].pattern, rows[i].name);
        assert_int_equal(osw_select_match(rows[i].pattern, rows[i].name),
                         rows[i].want);
    }
}

static void a_thing_is_in_by_any_of_its_names_unless_excluded(void **state)
{
    static const char *const names[] = {"aten.mm.default", "mm"};
    static const struct {
        const char *patterns[3];
        size_t n;
        bool want;
    } rows[] = {
        /* clang-format off */
        { { NULL },                     0, true },
        { { "mm" },                     1, true },
        { { "aten.mm.default" },        1, true },
        { { "bmm" },                    1, false },
        { { "bmm", "mm" },              2, true },
        { { "!mm" },                    1, false },
        { { "!bmm" },                   1, true },
        { { "aten.*", "!mm" },          2, false },
        { { "!mm", "aten.*" },          2, false }, /* in either order */
        { { "aten.*", "!bmm", "!a?m" }, 3, true },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++)
        assert_int_equal(osw_select(rows[i].patterns, rows[i].n, names, 2),
                         rows[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_as_in_the_table),
        cmocka_unit_test(a_thing_is_in_by_any_of_its_names_unless_excluded),
    };

    return cmocka_run_group_tests_name("ops/select", tests, NULL, NULL);
}
