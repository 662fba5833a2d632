/* tests/unit/judge/test_written.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "worker/judge/inputs/written.h"

enum { LIMIT = 1 << 20, MOST = 6, NEW = -1 };

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static struct osw_device host = {.ops = &osw_device_cpu_ops};

struct fixture {
    osw_arena_t *memory;
    struct osw_place place;
    struct osw_op op;
    struct osw_schema schema;
    struct osw_trial trial;
    unsigned char *zone, scratch[4096];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct osw_error err = OSW_ERROR_INIT;

    assert_non_null(f);
    f->memory = osw_arena_create();
    assert_int_equal(
        osw_place_open(&f->place, OSW_ZONE_WINDOW, &host, LIMIT, &err), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_place_close(&f->place);
    free(f->zone);
    osw_arena_destroy(f->memory);
    free(f);
    return 0;
}

/* The inputs of a case, and a zone that holds them. */
static void take_case(struct fixture *f, const char *schema, const char *text,
                      const char *fills)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(
        osw_schema_parse(f->memory, schema, strlen(schema), &f->schema, &err),
        0);
    f->op = (struct osw_op){.schema = &f->schema};
    assert_int_equal(osw_trial_make(f->memory, &f->op, text, fills, 7, LIMIT,
                                    &f->trial, &err),
                     0);
    assert_int_equal(osw_trial_fill(&f->trial, &f->place, 0, &err), 0);
    free(f->zone);
    f->zone = malloc(f->trial.inputs_bytes);
    assert_non_null(f->zone);
    memcpy(f->zone, f->trial.image, f->trial.inputs_bytes);
}

static struct osw_written_job job_of(const struct fixture *f)
{
    return (struct osw_written_job){
        .schema = &f->schema, .trial = &f->trial, .n_args = f->trial.n_args};
}

/* What a reference declares (argument, NEW), which tensors it changes, and the
 * outputs that count: aliases in their order.
 */
static const struct {
    const char *what, *schema, *text, *fills;
    int n_declared, declared[MOST];
    int changes; /* a tensor of the case; -1: none */
    int n_want, want[MOST];
} cases[] = {
    /* clang-format off */
    { "one that is written and not declared", "f(Tensor(a!) x) -> ()",
      "((T([4], f32),), {})", "normal", 0, { 0 }, 0, 1, { 0 } },
    { "one that stays, without other outputs", "f(Tensor(a!) x) -> ()",
      "((T([4], f32),), {})", "normal", 0, { 0 }, -1, 1, { 0 } },
    { "one that stays, beside an output", "f(Tensor x, Tensor(a!) y) -> Tensor",
      "((T([4], f32), T([4], f32)), {})", "normal,normal",
      1, { NEW }, -1, 1, { NEW } },
    { "one of two that changes, beside an output",
      "f(Tensor x, Tensor(a!) y, Tensor(b!) z) -> Tensor",
      "((T([4], f32), T([4], f32), T([4], f32)), {})", "normal,normal,normal",
      1, { NEW }, 2, 3, { NEW, 1, 2 } },
    { "the other one is declared", "f(Tensor x, Tensor(a!) y, Tensor(b!) z) -> Tensor",
      "((T([4], f32), T([4], f32), T([4], f32)), {})", "normal,normal,normal",
      2, { NEW, 2 }, -1, 3, { NEW, 1, 2 } },
    { "a returned one has its place", "f(Tensor x, Tensor(a!) y) -> (Tensor(a!), Tensor)",
      "((T([4], f32), T([4], f32)), {})", "normal,normal",
      1, { NEW }, 1, 2, { 1, NEW } },
    { "a returned one that is declared", "f(Tensor(a!) x, Tensor(b!) y) -> Tensor(a!)",
      "((T([4], f32), T([4], f32)), {})", "normal,normal",
      1, { 0 }, -1, 1, { 0 } },
    { "tensors of a list", "f(Tensor(a!)[] xs, Tensor y) -> ()",
      "(([T([4], f32), T([2], f64)], T([4], f32)), {})", "normal,normal,normal",
      0, { 0 }, 1, 2, { 0, 1 << OSW_ALIAS_PLACE_BIT } },
    { "an argument that may not be written", "f(Tensor x) -> Tensor",
      "((T([4], f32),), {})", "normal", 1, { NEW }, 0, 1, { NEW } },
    /* clang-format on */
};

static struct osw_result *declare(struct fixture *f, size_t c)
{
    struct osw_result *r = osw_arena_alloc(f->memory, sizeof(*r));

    assert_non_null(r);
    r->n_outputs = (uint32_t)cases[c].n_declared;
    for (uint32_t i = 0; i < r->n_outputs; i++)
        r->outputs[i] = (struct osw_output){.dtype = OSW_F32,
                                            .ndim = 1,
                                            .alias = cases[c].declared[i],
                                            .shape = {4},
                                            .strides = {1}};
    return r;
}

static void what_is_written_is_an_output_by_the_table(void **state)
{
    struct fixture *f = *state;

    for (size_t c = 0; c < N_ELEM(cases); c++) {
        struct osw_written_output *all;
        struct osw_written_job job;
        uint32_t n = 0;

        print_message("  case: %s\n", cases[c].what);
        take_case(f, cases[c].schema, cases[c].text, cases[c].fills);
        if (cases[c].changes >= 0)
            f->zone[f->trial.tensors[cases[c].changes].offset] ^= 1;
        job = job_of(f);
        all = osw_written_list(f->memory, &job, declare(f, c), &n);
        assert_non_null(all);
        osw_written_settle(&job, all, &n, f->zone, f->scratch);
        assert_int_equal(n, cases[c].n_want);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(all[i].output.alias, cases[c].want[i]);
    }
}

static void an_added_output_is_the_tensor_as_it_lies(void **state)
{
    struct fixture *f = *state;
    struct osw_written_output *all;
    struct osw_written_job job;
    struct osw_result none = {.n_outputs = 0};
    const struct osw_output *o;
    uint32_t n;

    take_case(f, "f(Tensor x, Tensor(a!) y) -> ()",
              "((T([4], f32), T([3, 2], f64, stride=(4, 1))), {})",
              "normal,normal");
    job = job_of(f);
    all = osw_written_list(f->memory, &job, &none, &n);
    assert_non_null(all);
    assert_int_equal(n, 1);
    o = &all[0].output;
    assert_true(all[0].added);
    assert_int_equal(o->dtype, OSW_F64);
    assert_int_equal(o->ndim, 2);
    assert_int_equal(o->shape[0], 3);
    assert_int_equal(o->strides[0], 4);
    assert_int_equal(o->offset, f->trial.tensors[1].offset);
    assert_true(o->exact == OSW_NO_OFFSET && o->norm == OSW_NO_OFFSET);
}

static void new_memory_for_a_returned_argument_is_found(void **state)
{
    struct fixture *f = *state;
    struct osw_result r = {.n_outputs = 2};
    struct osw_written_job job;
    uint32_t output = 9, arg = 9;

    take_case(f, "f(Tensor x, Tensor(a!) y) -> (Tensor, Tensor(a!))",
              "((T([4], f32), T([4], f32)), {})", "normal,normal");
    job = job_of(f);
    r.outputs[0].alias = NEW;
    r.outputs[1].alias = 1;
    assert_false(osw_written_missing(&job, &r, &output, &arg));
    r.outputs[1].alias = NEW;
    assert_true(osw_written_missing(&job, &r, &output, &arg));
    assert_int_equal(output, 1);
    assert_int_equal(arg, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(what_is_written_is_an_output_by_the_table),
        T(an_added_output_is_the_tensor_as_it_lies),
        T(new_memory_for_a_returned_argument_is_found),
#undef T
    };

    return cmocka_run_group_tests_name("judge/written", tests, NULL, NULL);
}
