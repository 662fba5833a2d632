/* tests/unit/ops/test_schema_out.c - functional and `.out` schemas */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/notation/schema_out.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

typedef int form_f(osw_arena_t *arena, const struct osw_schema *schema,
                   struct osw_schema *out, struct osw_error *err);

static void expect(form_f *form, const char *from, const char *want)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text text = OSW_TEXT_INIT;
    struct osw_schema schema, got;

    print_message("  %s\n", from);
    if (osw_schema_parse(arena, from, strlen(from), &schema, &err) < 0)
        fail_msg("%s", err.text);
    if (form(arena, &schema, &got, &err) == 0)
        osw_schema_print(&text, &got);
    else
        osw_text_printf(&text, "! %s", err.text);
    assert_string_equal(osw_text_str(&text), want);
    osw_text_free(&text);
    osw_arena_destroy(arena);
}

static void either_form_gives_the_other(void **state)
{
    static const char *const rows[][2] = {
        {"ns::f.out(Tensor x, float a=1, *, Tensor(a!) out) -> Tensor(a!)",
         "ns::f(Tensor x, float a=1) -> Tensor"},
        {"add.Tensor_out(Tensor x, *, Scalar alpha=1, Tensor(a!) out) -> "
         "Tensor(a!)",
         "add.Tensor(Tensor x, *, Scalar alpha=1) -> Tensor"},
        {"f.out(Tensor x, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), "
         "Tensor(b!))",
         "f(Tensor x) -> (Tensor, Tensor)"},
        {"f.out(Tensor(a!) x, *, Tensor(b!) out) -> Tensor(b!)",
         "f(Tensor(a!) x) -> Tensor"},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        expect(osw_schema_functional, rows[i][0], rows[i][1]);
        expect(osw_schema_out, rows[i][1], rows[i][0]);
    }
}

static void what_has_no_other_form_is_refused(void **state)
{
    static const char no_place[] =
        "! 'f': expected a place for each return at the end, such as '*, "
        "Tensor(a!) out) -> Tensor(a!)'";

    (void)state;
    expect(osw_schema_functional, "f(Tensor x) -> Tensor", no_place);
    expect(osw_schema_functional, "f(Tensor x, *, Tensor(a!) out) -> ()",
           no_place);
    expect(osw_schema_functional, "f_(Tensor(a!) x) -> Tensor(a!)",
           "! 'f_': expected a place for each return at the end, such as '*, "
           "Tensor(a!) out) -> Tensor(a!)'");
    expect(osw_schema_functional,
           "f(*, Tensor(a!) p, Tensor(b!) q) -> (Tensor(b!), Tensor(a!))",
           no_place);
    expect(osw_schema_out, "f(Tensor x) -> ()",
           "! 'f': expected 1 to 26 returns, found 0");
    expect(osw_schema_out, "f(Tensor x) -> int",
           "! 'f': return 0 is no new tensor");
    expect(osw_schema_out, "f(Tensor(a) x) -> Tensor(a)",
           "! 'f': return 0 is no new tensor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(either_form_gives_the_other),
        cmocka_unit_test(what_has_no_other_form_is_refused),
    };

    return cmocka_run_group_tests_name("ops/notation/schema_out", tests, NULL,
                                       NULL);
}
