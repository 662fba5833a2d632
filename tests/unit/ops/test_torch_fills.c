/* tests/unit/ops/test_torch_fills.c - what torch's operators need as inputs, as
 * a table */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ops/inputs/torch_fills.h"
#include "ops/notation/notation.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { MAX_SCHEMAS = 4096 };

struct fixture {
    osw_arena_t *arena;
    struct osw_error err;
};

static int set_up(void **state)
{
    static struct fixture f;

    f = (struct fixture){.arena = osw_arena_create()};
    assert_non_null(f.arena);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    osw_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

/* The fills of a call without a schema, as one text; NULL with f->err set. */
static const char *fills_of(struct fixture *f, const char *op, const char *text,
                            const struct osw_fill_rule *own, size_t n_own)
{
    const struct osw_torch_fills *row = osw_torch_fills_find(op);
    struct osw_torch_call call = {.unnamed = true, .own = own, .n_own = n_own};
    const struct osw_fill *fills;
    struct osw_bound_arg *args;
    struct osw_case parsed;
    size_t n;

    f->err = (struct osw_error)OSW_ERROR_INIT;
    if (!row)
        fail_msg("no row for '%s'", op);
    assert_int_equal(
        osw_notation_parse_case(f->arena, text, strlen(text), &parsed, &f->err),
        0);
    assert_int_equal(
        osw_bind(f->arena, NULL, &parsed, &args, &call.n_args, &f->err), 0);
    call.args = args;
    if (osw_torch_fills_resolve(f->arena, row, &call, &fills, &n, &f->err) < 0)
        return NULL;
    return osw_fill_list_text(f->arena, fills, n);
}

static void ranges_come_from_the_shapes_beside(void **state)
{
    static const struct {
        const char *op, *text, *fills;
    } rows[] = {
        /* clang-format off */
        { "aten.embedding.default", "((T([100, 8], f16), T([4], i64)), {})",
          "normal,index(100)" },
        { "aten.gather.default", "((T([8, 128], f32), 1, T([8, 1], i64)), {})",
          "normal,index(128)" },
        { "aten.gather.default", "((T([8, 128], f32), -2, T([1, 1], i64)), {})",
          "normal,index(8)" },
        { "aten.gather.default", "((T([], f32), 0, T([], i64)), {})",
          "normal,index(1)" },
        { "aten.scatter_.src", /* each place once, along the dimension */
          "((T([9, 5], f32), 0, T([3, 5], i64), T([3, 5], f32)), {})",
          "normal,distinct(9,5),normal" },
        { "aten.scatter_add.default",
          "((T([9, 5], f32), 1, T([3, 5], i64), T([3, 5], f32)), {})",
          "normal,index(5),normal" },
        { "aten.scatter.value", "((T([9], f32), 0, T([3], i64), 1.5), {})",
          "normal,index(9)" },
        { "aten.index_copy.default",
          "((T([9, 5], f32), 1, T([4], i64), T([9, 4], f32)), {})",
          "normal,distinct(5,1),normal" },
        /* Each index by the dimension that it stands for; masks are masks. */
        { "aten.index.Tensor",
          "((T([3, 4, 5], f32), [None, T([2], i64), T([2], i64)]), {})",
          "normal,index(4),index(5)" },
        { "aten.index.Tensor",
          "((T([3, 4, 5], f32), [T([3, 4], b8), T([2], i64)]), {})",
          "normal,bool,index(5)" },
        { "aten.index_put_.default",
          "((T([7, 4], f32), [T([3], i64)], T([3, 4], f32)), {})",
          "normal,distinct(7,1),normal" },
        { "aten.index_put.default",
          "((T([7, 4], f32), [T([3], i64)], T([3, 4], f32), False), {})",
          "normal,distinct(7,1),normal" },
        { "aten.index_put.default", /* added up */
          "((T([7, 4], f32), [T([3], i64)], T([3, 4], f32), True), {})",
          "normal,index(7),normal" },
        { "aten.take.default", "((T([3, 4], f32), T([5], i64)), {})",
          "normal,index(12)" },
        { "aten.nll_loss_forward.default",
          "((T([32, 10], f32), T([32], i64), T([10], f32), 1, -100), {})",
          "normal,index(10),positive" },
        { "aten.nll_loss2d_forward.default",
          "((T([2, 10, 3, 3], f32), T([2, 3, 3], i64), None, 1, -100), {})",
          "normal,index(10)" },
        { "aten.cross_entropy_loss.default", /* probabilities of classes */
          "((T([2, 10], f32), T([2, 10], f32)), {})", "normal,normal" },
        { "aten.one_hot.default", "((T([4], i64), 10), {})", "index(10)" },
        { "aten.one_hot.default", "((T([4], i64),), {})", "index(8)" },
        { "aten.one_hot.default", "((T([4], i64), -1), {})", "index(8)" },
        { "aten.bucketize.Tensor", "((T([9], f32), T([5], f32)), {})",
          "normal,ascending(-4,4)" },
        { "aten.max_pool2d_with_indices_backward.default",
          "((T([1, 2, 4, 4], f32), T([1, 2, 8, 9], f32), [2, 2], [2, 2], "
          "[0, 0], [1, 1], False, T([1, 2, 4, 4], i64)), {})",
          "normal,normal,index(72)" },
        { "aten.max_unpool2d.default",
          "((T([1, 2, 2, 2], f32), T([1, 2, 2, 2], i64), [4, 5]), {})",
          "normal,distinct(20,1)" },
        { "aten.embedding_bag.default",
          "((T([50, 4], f32), T([12], i64), T([3], i64)), {})",
          "normal,index(50),ascending(0,12)" },
        { "aten.segment_reduce.default",
          "((T([12, 4], f32), 'sum'), {'lengths': T([5], i64), 'axis': 0})",
          "normal,shares(12)" },
        { "aten.repeat_interleave.Tensor",
          "((T([5], i64),), {'output_size': 12})", "shares(12)" },
        { "aten.repeat_interleave.self_Tensor",
          "((T([5], f32), T([5], i64)), {})", "normal,int(0,4)" },
        { "aten._ctc_loss.Tensor",
          "((T([50, 4, 20], f32), T([4, 10], i64), T([4], i64), T([4], i64)), "
          "{})", "normal,int(1,19),constant(50),constant(10)" },
        { "aten.bernoulli_.Tensor", "((T([5], f32), T([5], f32)), {})",
          "normal,unit" },
        { "aten.bernoulli.default", "((T([5], f32),), {})", "unit" },
        { "aten.grid_sampler_2d.default",
          "((T([1, 1, 4, 4], f32), T([1, 2, 2, 2], f32), 0, 0, False), {})",
          "normal,uniform" },
        { "aten.log_.default", "((T([5], f32),), {})", "positive" },
        { "aten.native_batch_norm.default",
          "((T([2, 3], f32), None, None, T([3], f32), T([3], f32), False, 0.1, "
          "1e-05), {})", "normal,normal,positive" },
        { "aten.gather.default", /* by keyword */
          "((T([8, 9], f32),), {'dim': 1, 'index': T([8, 1], i64)})",
          "normal,index(9)" },
        { "aten.embedding.default", "((T([0, 8], f16), T([0], i64)), {})",
          "normal,index(0)" },
        /* clang-format on */
    };

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const char *got = fills_of(*state, rows[i].op, rows[i].text, NULL, 0);

        print_message("  %s %s\n", rows[i].op, rows[i].text);
        if (!got)
            fail_msg("%s", ((struct fixture *)*state)->err.text);
        assert_string_equal(got, rows[i].fills);
    }
}

static void what_is_not_known_names_the_argument(void **state)
{
    static const struct {
        const char *op, *text, *why;
    } rows[] = {
        /* clang-format off */
        { "aten.searchsorted.Tensor",
          "((T([9], f32), T([5], f32)), {'sorter': T([9], i64)})",
          "no valid input is known for argument 'sorter'" },
        { "aten.cholesky.default", "((T([3, 3], f32),), {})",
          "no valid input is known for argument 'self'" },
        { "aten.index.Tensor", "((T([3], f32), [T([2], i64), T([2], i64)]), {})",
          "no valid input is known for argument 'indices': column 11: expected a "
          "tensor with dimension" },
        { "aten.embedding.default", "((T([0, 8], f16), T([4], i64)), {})",
          "no valid input is known for argument 'indices': index(0) has no "
          "index for a tensor of 4 elements" },
        /* clang-format on */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  %s\n", rows[i].op);
        assert_null(fills_of(f, rows[i].op, rows[i].text, NULL, 0));
        assert_int_equal(f->err.status, OSW_BAD_INPUT);
        if (strncmp(f->err.text, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("found: %s", f->err.text);
    }
}

static void what_an_op_says_itself_comes_first(void **state)
{
    static const struct osw_fill_rule own[] = {{"arg1", "index(3)"}};
    static const char text[] = "((T([100, 8], f16), T([4], i64)), {})";

    assert_string_equal(
        fills_of(*state, "aten.embedding.default", text, own, 1),
        "normal,index(3)");
}

static void only_operators_of_torch_have_rows(void **state)
{
    (void)state;
    assert_non_null(osw_torch_fills_find("aten.gather.default"));
    assert_non_null(osw_torch_fills_find("aten.gather_.default"));
    assert_null(osw_torch_fills_find("gather.default"));
    assert_null(osw_torch_fills_find("mine.gather.default"));
    assert_null(osw_torch_fills_find("aten.gathe.default"));
    assert_null(osw_torch_fills_find("aten.bernoulli.p"));
    assert_null(osw_torch_fills_find("aten."));
    assert_null(osw_torch_fills_find("aten._.default"));
}

/* --- the table against torch's own signatures --- */

static size_t read_schemas(osw_arena_t *arena, struct osw_schema *schemas)
{
    FILE *in = fopen("tests/data/schemas/pytorch_func_lines.txt", "r");
    struct osw_error err = OSW_ERROR_INIT;
    char line[4096];
    size_t n = 0;

    assert_non_null(in);
    for (; n < MAX_SCHEMAS && fgets(line, sizeof(line), in); n++)
        assert_int_equal(
            osw_schema_parse(arena, line, strlen(line), &schemas[n], &err), 0);
    fclose(in);
    return n;
}

/* Copy the next word of *at that `ends` end; false: there is none. */
static bool next_word(const char **at, const char *ends, char *word,
                      size_t size)
{
    size_t n;

    *at += strspn(*at, ends);
    n = strcspn(*at, ends);
    assert_true(n < size);
    memcpy(word, *at, n);
    word[n] = '\0';
    *at += n;
    return n > 0;
}

static bool is_of(const struct osw_schema *s, const char *called)
{
    size_t n = strcspn(called, "."), length = strlen(s->name);

    if (length == n + 1 && s->name[n] == '_')
        length--; /* in place */
    if (length != n || strncmp(s->name, called, n) != 0)
        return false;
    return called[n] == '\0' ||
           strcmp(called + n + 1, *s->overload ? s->overload : "default") == 0;
}

/* Names stand where the schema has them. */
static void check_args(const struct osw_schema *s, const char *args)
{
    char word[64];

    for (uint32_t i = 0; next_word(&args, " ", word, sizeof(word)); i++) {
        if (i >= s->n_args || s->args[i].kwarg_only)
            return; /* an overload with fewer */
        if (strcmp(s->args[i].name, word) != 0)
            fail_msg("%s.%s: argument %u is '%s', the row says '%s'", s->name,
                     s->overload, i, s->args[i].name, word);
    }
}

/* Has the schema all arguments that the row fills? */
static bool has_filled(const struct osw_schema *s, const char *fills)
{
    char rule[256], name[64];

    while (next_word(&fills, ";", rule, sizeof(rule))) {
        const char *at = rule + strspn(rule, " ");

        next_word(&at, ":", name, sizeof(name));
        if (osw_schema_arg_index(s, name) < 0)
            return false;
    }
    return true;
}

/* How many overloads of an operator torch has that take all arguments which the
 * row fills; others have numbers in their place.
 */
static size_t check_operator(const struct osw_schema *schemas, size_t n,
                             const char *called, const char *args,
                             const char *fills)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++) {
        const struct osw_schema *s = &schemas[i];

        if (!is_of(s, called) || strstr(s->overload, "imname") ||
            strstr(s->overload, "out"))
            continue;
        check_args(s, args);
        found += has_filled(s, fills);
    }
    return found;
}

static void check_fills(const char *fills)
{
    struct osw_error err = OSW_ERROR_INIT;
    char rule[256], fill[256];

    while (next_word(&fills, ";", rule, sizeof(rule))) {
        const char *at = strchr(rule, ':');

        assert_non_null(at);
        at++;
        while (next_word(&at, "|", fill, sizeof(fill))) {
            const char *text = fill + strspn(fill, " ");

            if (*text != '?' && osw_fill_check(text, NULL, &err) < 0)
                fail_msg("'%s': %s", text, err.text);
        }
    }
}

static void rows_agree_with_torchs_signatures(void **state)
{
    struct fixture *f = *state;
    struct osw_schema *schemas =
        osw_arena_array(f->arena, MAX_SCHEMAS, sizeof(*schemas));
    size_t n, operators_n = 0;
    const char *operators, *args, *fills;
    char called[96];

    assert_non_null(schemas);
    n = read_schemas(f->arena, schemas);
    for (size_t i = 0; (fills = osw_torch_fills_at(i, &operators, &args));
         i++) {
        check_fills(fills);
        for (; next_word(&operators, " ", called, sizeof(called));
             operators_n++) {
            if (check_operator(schemas, n, called, args, fills) == 0)
                fail_msg("no '%s' of torch has the arguments of '%s'", called,
                         fills);
        }
    }
    assert_true(operators_n > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(ranges_come_from_the_shapes_beside),
        T(what_is_not_known_names_the_argument),
        T(what_an_op_says_itself_comes_first),
        T(only_operators_of_torch_have_rows),
        T(rows_agree_with_torchs_signatures),
#undef T
    };

    return cmocka_run_group_tests_name("ops/torch_fills", tests, NULL, NULL);
}
