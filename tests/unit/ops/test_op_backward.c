/* tests/unit/ops/test_op_backward.c - op.json's `backward`: read, and matched
 * with the schema of the op that it names
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/text.h"
#include "ops/catalog/op_backward.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static int read_text(osw_arena_t *arena, const char *json,
                     const struct osw_op_backward **out, struct osw_error *err)
{
    osw_json_t *doc = osw_json_parse(json, strlen(json), "op.json", err);
    int rc = doc ? osw_op_backward_read(arena, osw_json_get(doc, "backward"),
                                        out, err)
                 : -1;

    osw_json_free(doc);
    return rc;
}

static void what_is_no_gradient_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *json, *want;
    } rows[] = {
        /* clang-format off */
        { "{\"backward\": 1}", "'backward'" },
        { "{\"backward\": \"\"}", "found ''" },
        { "{\"backward\": \"../x\"}", "expected the folder of an op beside this one, found '../x'" },
        { "{\"backward\": {}}", "'backward.op'" },
        { "{\"backward\": {\"op\": \"b\", \"arg\": {}}}", "did you mean 'args'" },
        { "{\"backward\": {\"op\": \"b\", \"args\": []}}", "'backward.args'" },
        { "{\"backward\": {\"op\": \"b\", \"args\": {\"k\": null}}}", "expected a word, a number, a bool or a list of them, found null" },
        { "{\"backward\": {\"op\": \"b\", \"args\": {\"k\": \"it's\"}}}", "found 'it's'" },
        { "{\"backward\": {\"op\": \"b\", \"grads\": []}}", "expected an argument, found none" },
        { "{\"backward\": {\"op\": \"b\", \"grads\": [1]}}", "'backward.grads[0]'" },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        osw_arena_t *arena = osw_arena_create();
        const struct osw_op_backward *b = NULL;
        struct osw_error err = OSW_ERROR_INIT;

        print_message("  %s\n", rows[i].json);
        assert_int_equal(read_text(arena, rows[i].json, &b, &err), -1);
        if (!strstr(err.text, rows[i].want))
            fail_msg("found: %s", err.text);
        osw_arena_destroy(arena);
    }
}

static void make_op(osw_arena_t *arena, const char *folder, const char *text,
                    struct osw_schema *schema, struct osw_op *op)
{
    *op = (struct osw_op){.folder = folder};
    assert_int_equal(osw_schema_parse(arena, text, strlen(text), schema, NULL),
                     0);
    op->schema = schema;
}

/* "grad0 out1 arg2 dtype0 5 -" of the inputs, then " -> 0 2" of the grads. */
static void print_call(const struct osw_backward_call *c, struct osw_text *out)
{
    static const char *const words[] = {"-", "grad", "out", "arg", "dtype"};

    for (uint32_t k = 0; k < c->op->schema->n_args; k++) {
        const struct osw_backward_input *in = &c->inputs[k];

        osw_text_add(out, k ? " " : "");
        if (in->source == OSW_BACKWARD_LITERAL)
            osw_text_add(out, in->literal);
        else if (in->source == OSW_BACKWARD_DEFAULT)
            osw_text_add(out, "-");
        else
            osw_text_printf(out, "%s%u", words[in->source], in->index);
    }
    osw_text_add(out, " ->");
    for (size_t i = 0; i < c->n_grads; i++)
        osw_text_printf(out, " %u", c->grads[i]);
}

static void arguments_are_matched_by_args_and_by_their_names(void **state)
{
    static const struct {
        const char *forward, *backward, *json, *want; /* or part of an error */
    } rows[] = {
        /* clang-format off */
        { "f(Tensor x, float a) -> Tensor", "b(Tensor grad, Tensor x, float a) -> Tensor",
          "\"b\"", "grad0 arg0 arg1 -> 0" },
        { "f(Tensor x, Tensor? w, int k) -> (Tensor, Tensor)", "b(Tensor grad1, Tensor grad, Tensor out1) -> (Tensor, Tensor)",
          "\"b\"", "grad1 grad0 out1 -> 0 1" },
        { "f(Tensor self) -> Tensor", "b(Tensor grad_output, Tensor output, Tensor result, *, float s=1) -> Tensor",
          "\"b\"", "grad0 out0 out0 - -> 0" },
        { "f(Tensor self, Tensor i) -> Tensor", "b(Tensor grad_out, Tensor self, Scalar t, bool[3] m, ScalarType d) -> Tensor",
          "{\"op\": \"b\", \"args\": {\"self\": \"out\", \"t\": 0.5, \"m\": [true, false, true], \"d\": \"i.dtype\"}, \"grads\": [\"self\"]}",
          "grad0 out0 0.50000000000000000 [True, False, True] dtype1 -> 0" },
        /* An argument of that name wins over a gradient or an output. */
        { "f(Tensor grad, Tensor out) -> Tensor", "b(Tensor grad, Tensor out) -> (Tensor, Tensor)",
          "\"b\"", "arg0 arg1 -> 0 1" },

        { "f(Tensor x) -> Tensor", "b(Tensor grad, Tensor q) -> Tensor", "\"b\"", "expected backward.args to say what is its argument 'q'" },
        { "f(Tensor x) -> Tensor", "b(Tensor grad1) -> Tensor", "\"b\"", "argument 'grad1'" },
        { "f(Tensor x) -> Tensor", "b(Tensor grad) -> Tensor", "{\"op\": \"b\", \"args\": {\"g\": 1}}", "it has no argument 'g'" },
        { "f(Tensor x) -> Tensor", "b(Tensor grad) -> Tensor", "{\"op\": \"b\", \"args\": {\"grad\": \"y\"}}", "found 'y'" },
        { "f(Tensor x, int k) -> Tensor", "b(Tensor grad) -> Tensor", "{\"op\": \"b\", \"args\": {\"grad\": \"k.dtype\"}}", "found 'k.dtype'" },
        { "f(Tensor x, int k) -> Tensor", "b(Tensor grad) -> Tensor", "{\"op\": \"b\", \"grads\": [\"k\"]}", "expected in backward.grads a tensor of this op, found 'k'" },
        { "f(Tensor x, Tensor y) -> Tensor", "b(Tensor grad) -> Tensor", "\"b\"", "returns 1 tensor, expected 2: backward.grads names the arguments" },
        { "f(Tensor(a!) x) -> Tensor(a!)", "b(Tensor grad) -> Tensor", "\"b\"", "expected new tensors as results of this op" },
        { "f(Tensor x) -> Tensor", "b(Tensor grad) -> int", "\"b\"", "expected new tensors as its results, found 'int'" },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        osw_arena_t *arena = osw_arena_create();
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_text json = OSW_TEXT_INIT, got = OSW_TEXT_INIT;
        struct osw_schema s1, s2;
        struct osw_op forward, backward;
        struct osw_backward_call call;

        print_message("  %s, %s, %s\n", rows[i].forward, rows[i].backward,
                      rows[i].json);
        make_op(arena, "f", rows[i].forward, &s1, &forward);
        make_op(arena, "b", rows[i].backward, &s2, &backward);
        osw_text_printf(&json, "{\"backward\": %s}", rows[i].json);
        assert_int_equal(read_text(arena, json.data, &forward.backward, &err),
                         0);
        if (osw_op_backward_resolve(arena, &forward, &backward, &call, &err) ==
            0)
            print_call(&call, &got);
        else
            osw_text_add(&got, err.text);
        if (!strstr(got.data, rows[i].want))
            fail_msg("found: %s", got.data);
        osw_text_free(&json);
        osw_text_free(&got);
        osw_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_gradient_is_refused_with_its_place),
        cmocka_unit_test(arguments_are_matched_by_args_and_by_their_names),
    };

    return cmocka_run_group_tests_name("ops/op_backward", tests, NULL, NULL);
}
