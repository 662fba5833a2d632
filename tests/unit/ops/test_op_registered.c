/* tests/unit/ops/test_op_registered.c - operators of torch in an op folder */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ops/catalog/op_load.h"
#include "ops/catalog/op_registered.h"

#define SCALE "tests/fixtures/registered/scale"

static void they_stand_among_the_implementations_by_name(void **state)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_op_file *file;
    struct osw_op op;
    const char *at;

    (void)state;
    assert_int_equal(osw_op_load(arena, SCALE, "cuda", &op, &err), 0);
    assert_int_equal(op.n_impls, 6);
    for (size_t i = 1; i < op.n_impls; i++)
        assert_true(strcmp(op.impls[i - 1].name, op.impls[i].name) < 0);
    file = osw_op_impl(&op, "pass__op");
    assert_non_null(file);
    assert_true(osw_op_registered_is(&op, "pass__op"));
    assert_false(osw_op_registered_is(&op, "reference"));
    assert_string_equal(file->file, "operators.py");
    assert_string_equal(file->language->suffix, ".py");
    assert_non_null(strstr(file->path, "/python/opsweep_registered.py"));
    at = strchr(file->symbol, '@');
    assert_non_null(at);
    assert_int_equal(strncmp(file->symbol, "osw_demo.scale.default@",
                             (size_t)(at - file->symbol)),
                     0);
    assert_string_equal(strrchr(at, '/'), "/operators.py");
    /* What registers them is no file that was not understood. */
    for (size_t i = 0; i < op.n_notes; i++)
        assert_null(strstr(op.notes[i].path, "operators.py"));
    osw_arena_destroy(arena);
}

/* Each wrong in one way, and named. */
static void what_cannot_be_one_is_refused(void **state)
{
    static const struct osw_op_file plain = {.name = "plain"};
    static const struct {
        struct osw_op_registered one;
        const char *words[2];
    } rows[] = {
        {{"x", "nothing.py", "my.f.default"},
         {"op.json: torch.x", "cannot read 'nothing.py'"}},
        {{"plain", "operators.py", "my.f.default"},
         {"op.json: torch.plain", "that of another file"}},
        {{"reference", "operators.py", "my.f.default"},
         {"op.json: torch.reference", "that of another file"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        osw_arena_t *arena = osw_arena_create();
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_op op = {.dir = SCALE,
                            .n_impls = 1,
                            .impls = &plain,
                            .n_registered = 1,
                            .registered = &rows[i].one};

        assert_int_equal(osw_op_registered_add(arena, &op, &err), -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        for (int k = 0; k < 2; k++)
            assert_non_null(strstr(err.text, rows[i].words[k]));
        assert_int_equal(op.n_impls, 1);
        osw_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_stand_among_the_implementations_by_name),
        cmocka_unit_test(what_cannot_be_one_is_refused),
    };

    return cmocka_run_group_tests_name("ops/op_registered", tests, NULL, NULL);
}
