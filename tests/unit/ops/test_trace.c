/* tests/unit/ops/test_trace.c - files of recorded operator calls */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/cases/trace.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    osw_arena_t *arena;
    struct osw_trace trace;
    struct osw_error err;
};

static int set_up(void **state)
{
    static struct fixture f;

    f = (struct fixture){.arena = osw_arena_create()};
    *state = &f;
    return f.arena ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_arena_destroy(f->arena);
    return 0;
}

static int parse(struct fixture *f, const char *text, struct osw_error *err)
{
    return osw_trace_parse(f->arena, "t.txt", text, strlen(text), &f->trace,
                           err);
}

static void a_trace_lists_its_calls_in_order(void **state)
{
    struct fixture *f = *state;
    const struct osw_trace_entry *e;

    assert_int_equal(parse(f,
                           "Operator: aten.add.Tensor\n"
                           "cnt: 73, ((T([64], f16), 1), {})\r\n"
                           "\n"
                           "cnt: 1, ((), {'k': 2})\n"
                           "  Operator: my::op.v2  \n"
                           "cnt:2,( 1 , )",
                           &f->err),
                     0);
    assert_int_equal(f->trace.n, 3);
    e = f->trace.entries;
    assert_string_equal(e[0].op, "aten.add.Tensor");
    assert_int_equal(e[0].count, 73);
    assert_int_equal(e[0].line, 2);
    assert_string_equal(e[0].text, "((T([64], f16), 1), {})");
    assert_int_equal(e[0].args.args.n, 2);
    assert_string_equal(e[1].op, "aten.add.Tensor");
    assert_int_equal(e[1].line, 4);
    assert_int_equal(e[1].args.kwargs.n, 1);
    assert_string_equal(e[2].op, "my::op.v2");
    assert_int_equal(e[2].count, 2);
    assert_string_equal(e[2].text, "( 1 , )");
}

static void an_empty_trace_has_no_calls(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(parse(f, "", &f->err), 0);
    assert_int_equal(f->trace.n, 0);
    assert_int_equal(parse(f, "\n \nOperator: x\n", &f->err), 0);
    assert_int_equal(f->trace.n, 0);
}

static const struct {
    const char *text, *error;
} bad[] = {
    /* clang-format off */
    { "cnt: 1, ((), {})\n", "t.txt:1: column 1: expected 'Operator:' before the first call, found 'cnt'" },
    { "Operator: x\n\nfoo\n", "t.txt:3: column 1: expected 'Operator:' or 'cnt:', found 'foo'" },
    { "Operator x\n", "t.txt:1: column 1: expected 'Operator:' or 'cnt:', found 'Operator'" },
    { "Operator:\n", "t.txt:1: column 10: expected the name of an operator, found the end" },
    { "Operator: 3x\n", "t.txt:1: column 11: expected the name of an operator, found '3x'" },
    { "Operator: x y\n", "t.txt:1: column 13: expected nothing more, found 'y'" },
    { "Operator: x\ncnt: 0, ()\n", "t.txt:2: column 6: expected a count of 1 or more, found '0'" },
    { "Operator: x\ncnt: 1.5, ()\n", "t.txt:2: column 6: expected a count of 1 or more, found '1.5'" },
    { "Operator: x\ncnt: y, ()\n", "t.txt:2: column 6: expected a number, found 'y'" },
    { "Operator: x\ncnt: 1 ()\n", "t.txt:2: column 8: expected ',', found '('" },
    { "Operator: x\ncnt: 1, 3\n", "t.txt:2: column 9: expected '(' of a case ((args...), {kwargs}), found '3'" },
    { "Operator: x\ncnt: 1, ((T([2], f3),), {})\n",
      "t.txt:2: column 18: expected a dtype of f64 f32 f16 bf16 i64 i32 i16 i8 u8 b8 c128 c64 c32, found 'f3'" },
    { "Operator: x\ncnt: 1, () {}\n", "t.txt:2: column 12: expected nothing more, found '{'" },
    /* clang-format on */
};

static void bad_lines_are_refused_by_line_and_column(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(bad); i++) {
        struct osw_error err = OSW_ERROR_INIT;

        f->trace = (struct osw_trace){.n = 77};
        print_message("  bad: %s\n", bad[i].error);
        assert_int_equal(parse(f, bad[i].text, &err), -1);
        assert_string_equal(err.text, bad[i].error);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_int_equal(f->trace.n, 77);
    }
}

static void lines_and_files_are_bounded(void **state)
{
    struct osw_error line = OSW_ERROR_INIT, file = OSW_ERROR_INIT;
    struct fixture *f = *state;
    char *text = malloc(OSW_TRACE_MAX_LINE + 1);
    static const char none[1];

    assert_non_null(text);
    memset(text, ' ', OSW_TRACE_MAX_LINE + 1);
    assert_int_equal(osw_trace_parse(f->arena, "t", text, OSW_TRACE_MAX_LINE,
                                     &f->trace, &line),
                     0);
    assert_int_equal(osw_trace_parse(f->arena, "t", text,
                                     OSW_TRACE_MAX_LINE + 1, &f->trace, &line),
                     -1);
    assert_string_equal(line.text, "t:1: column 1048577: expected a line of at "
                                   "most 1048576 bytes, found 1048577");
    assert_int_equal(osw_trace_parse(f->arena, "t", none,
                                     OSW_TRACE_MAX_BYTES + 1, &f->trace, &file),
                     -1);
    assert_string_equal(file.text,
                        "t: expected a trace of at most 67108864 bytes");
    free(text);
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
    struct osw_error missing = OSW_ERROR_INIT, folder = OSW_ERROR_INIT;
    struct fixture *f = *state;

    assert_int_equal(
        osw_trace_read(f->arena, "tests/data/none.txt", &f->trace, &missing),
        -1);
    assert_string_equal(missing.text, "cannot open 'tests/data/none.txt': No "
                                      "such file or directory");
    assert_int_equal(missing.status, OSW_BAD_INPUT);
    assert_int_equal(osw_trace_read(f->arena, "tests/data", &f->trace, &folder),
                     -1);
    assert_string_equal(folder.text,
                        "cannot read 'tests/data': Is a directory");
}

/* --- the traces we ship --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void the_shipped_hugging_face_traces_are_read_whole(void **state)
{
    struct fixture *f = *state;
    size_t calls = 0, distinct = 0, room = 8192;
    const char **keys = calloc(room, sizeof(*keys));
    glob_t files;

    assert_non_null(keys);
    assert_int_equal(glob("tests/data/traces/hf_train/*.txt", 0, NULL, &files),
                     0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        if (osw_trace_read(f->arena, files.gl_pathv[i], &f->trace, &f->err) < 0)
            fail_msg("%s", f->err.text);
        for (size_t k = 0; k < f->trace.n && calls < room; k++)
            keys[calls++] =
                osw_arena_printf(f->arena, "%s %s", f->trace.entries[k].op,
                                 f->trace.entries[k].text);
    }
    qsort(keys, calls, sizeof(*keys), by_text);
    for (size_t i = 0; i < calls; i++)
        distinct += i == 0 || strcmp(keys[i], keys[i - 1]) != 0;
    assert_int_equal(files.gl_pathc, 45);
    assert_int_equal(distinct, 2085);
    free(keys);
    globfree(&files);
}

static void the_demo_trace_has_its_calls(void **state)
{
    struct fixture *f = *state;
    const struct osw_trace_entry *e;

    assert_int_equal(
        osw_trace_read(
            f->arena, "tests/data/traces/hf_train/BertForMaskedLM_training.txt",
            &f->trace, &f->err),
        0);
    assert_int_equal(f->trace.n, 56);
    e = f->trace.entries;
    assert_string_equal(e[0].op, "aten._log_softmax.default");
    assert_string_equal(e[0].text, "((T([8192, 30522], f16), 1, False), {})");
    assert_int_equal(e[0].count, 1);
    assert_int_equal(e[0].line, 2);
}

static void every_allocation_failure_is_reported(void **state)
{
    static const char path[] =
        "tests/data/traces/timm_train/volo_d1_224_training.txt";
    struct fixture *f = *state;
    int n_failures = 0;

    for (bool struck = true; struck; n_failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_arena_t *arena;
        int rc = -1;

        chaos_arm(n_failures);
        arena = osw_arena_create();
        if (arena)
            rc = osw_trace_read(arena, path, &f->trace, &err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        if (arena)
            assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        osw_arena_destroy(arena);
    }
    assert_in_range(n_failures, 4, 1000); /* arena, file, at least two blocks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(a_trace_lists_its_calls_in_order),
        T(an_empty_trace_has_no_calls),
        T(bad_lines_are_refused_by_line_and_column),
        T(lines_and_files_are_bounded),
        T(a_file_that_cannot_be_read_is_named),
        T(the_shipped_hugging_face_traces_are_read_whole),
        T(the_demo_trace_has_its_calls),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("ops/trace", tests, NULL, NULL);
}
