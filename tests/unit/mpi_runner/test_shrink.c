/* tests/unit/mpi_runner/test_shrink.c - the smallest case that still fails */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "mpi_runner/diagnose/shrink.h"
#include "ops/notation/notation.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    osw_arena_t *arena;
    struct osw_error err;
    struct osw_shrink_result result;
    struct osw_text text;
    uint32_t n_asked;
};

static int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    f.arena = osw_arena_create();
    assert_non_null(f.arena);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_arena_destroy(f->arena);
    osw_text_free(&f->text);
    return 0;
}

/* --- ops that fail, as predicates --- */

static const struct osw_tensor_desc *tensor(const struct osw_case *c, size_t i)
{
    return c->args.u.items[i].u.tensor;
}

static int64_t dim(const struct osw_case *c, size_t i, int32_t d)
{
    return tensor(c, i)->shape[d];
}

static int64_t number(const struct osw_case *c, size_t i)
{
    return c->args.u.items[i].u.i;
}

typedef enum osw_shrink_answer (*answer_f)(const struct osw_case *c);

static enum osw_shrink_answer same_if(bool fails)
{
    return fails ? OSW_SHRINK_SAME : OSW_SHRINK_OTHER;
}

static enum osw_shrink_answer always(const struct osw_case *c)
{
    (void)c;
    return OSW_SHRINK_SAME;
}

static enum osw_shrink_answer never(const struct osw_case *c)
{
    (void)c;
    return OSW_SHRINK_OTHER;
}

static enum osw_shrink_answer above_37(const struct osw_case *c)
{
    return same_if(dim(c, 0, 0) > 37);
}

static enum osw_shrink_answer even_only(const struct osw_case *c)
{
    return dim(c, 0, 0) % 2 ? OSW_SHRINK_UNFIT : same_if(dim(c, 0, 0) > 5);
}

static enum osw_shrink_answer product(const struct osw_case *c)
{
    return dim(c, 0, 1) == dim(c, 1, 0) ? OSW_SHRINK_SAME : OSW_SHRINK_UNFIT;
}

static enum osw_shrink_answer product_of_10_rows(const struct osw_case *c)
{
    return dim(c, 0, 1) == dim(c, 1, 0) ? same_if(dim(c, 0, 0) > 9)
                                        : OSW_SHRINK_UNFIT;
}

static enum osw_shrink_answer product_over_20(const struct osw_case *c)
{
    return dim(c, 0, 1) == dim(c, 1, 0) ? same_if(dim(c, 0, 1) > 20)
                                        : OSW_SHRINK_UNFIT;
}

/* Elementwise: shapes must broadcast. */
static enum osw_shrink_answer rows_of_both(const struct osw_case *c)
{
    for (int32_t d = 0; d < 2; d++)
        if (dim(c, 0, d) != dim(c, 1, d) && dim(c, 0, d) != 1 &&
            dim(c, 1, d) != 1)
            return OSW_SHRINK_UNFIT;
    return same_if(dim(c, 0, 0) > 37 && dim(c, 1, 0) > 37);
}

static enum osw_shrink_answer view(const struct osw_case *c)
{
    const struct osw_value *shape = &c->args.u.items[1];
    int64_t n = 1;

    for (uint32_t i = 0; i < shape->n; i++)
        n *= shape->u.items[i].u.i;
    return n == dim(c, 0, 0) * dim(c, 0, 1) * dim(c, 0, 2)
               ? same_if(dim(c, 0, 2) > 5)
               : OSW_SHRINK_UNFIT;
}

static enum osw_shrink_answer number_is_the_size(const struct osw_case *c)
{
    return number(c, 1) == dim(c, 0, 0) ? same_if(dim(c, 0, 1) > 2)
                                        : OSW_SHRINK_UNFIT;
}

static enum osw_shrink_answer transposed(const struct osw_case *c)
{
    const struct osw_tensor_desc *t = tensor(c, 0);

    return same_if(t->shape[0] > 2 && t->strides[0] < t->strides[1]);
}

static enum osw_shrink_answer with_gaps(const struct osw_case *c)
{
    const struct osw_tensor_desc *t = tensor(c, 0);

    return same_if(t->strides[0] > t->shape[1]);
}

static enum osw_shrink_answer begins_elsewhere(const struct osw_case *c)
{
    return same_if(tensor(c, 0)->offset % 4 != 0);
}

static enum osw_shrink_answer begins_far(const struct osw_case *c)
{
    return same_if(tensor(c, 0)->offset > 4);
}

static enum osw_shrink_answer keyword(const struct osw_case *c)
{
    return same_if(c->kwargs.u.items[0].u.tensor->shape[0] > 3);
}

static enum osw_shrink_answer list_of_tensors(const struct osw_case *c)
{
    const struct osw_value *list = &c->args.u.items[0];

    return same_if(list->u.items[1].u.tensor->shape[0] > 6);
}

/* Every expected case was found by hand. */
static const struct {
    const char *what;
    answer_f answer;
    const char *start, *smallest;
} cases[] = {
    /* clang-format off */
    { "nothing smaller fails", never,
      "((T([8, 3], f32), 2.0), {})", "((T([8, 3], f32), 2.0), {})" },
    { "everything fails", always,
      "((T([8, 512, 768], bf16), T([768], bf16)), {})", "((T([1, 1, 1], bf16), T([1], bf16)), {})" },
    { "from 38 on", above_37,
      "((T([100], f32),), {})", "((T([38], f32),), {})" },
    { "from 38 on, other sizes do not matter", above_37,
      "((T([4096, 100, 7], f32),), {})", "((T([38, 1, 1], f32),), {})" },
    { "equal sizes that need not agree", above_37,
      "((T([100, 100], f32),), {})", "((T([38, 1], f32),), {})" },
    { "even sizes only", even_only,
      "((T([512], f32),), {})", "((T([6], f32),), {})" },
    { "sizes that must agree", product,
      "((T([64, 128], f16), T([128, 32], f16)), {})", "((T([1, 1], f16), T([1, 1], f16)), {})" },
    { "all sizes equal, one pair must agree", product_of_10_rows,
      "((T([64, 64], f16), T([64, 64], f16)), {})", "((T([10, 1], f16), T([1, 1], f16)), {})" },
    { "all sizes equal, the pair fails", product_over_20,
      "((T([64, 64], f16), T([64, 64], f16)), {})", "((T([1, 21], f16), T([21, 1], f16)), {})" },
    { "two tensors that broadcast", rows_of_both,
      "((T([100, 100], f32), T([100, 100], f32)), {})", "((T([38, 1], f32), T([38, 1], f32)), {})" },
    { "a shape in a list", view,
      "((T([4, 512, 768], f32), [2048, 768]), {})", "((T([1, 1, 6], f32), [1, 6]), {})" },
    { "a size given as a number", number_is_the_size,
      "((T([30522, 768], f32), 30522, -1), {})", "((T([1, 3], f32), 1, -1), {})" },
    { "an offset that does not matter", always,
      "((T([64], f32, offset=9), T([64], f32, offset=9)), {})", "((T([1], f32), T([1], f32)), {})" },
    { "an offset that matters", begins_elsewhere,
      "((T([64], f32, stride=(2,), offset=9), T([64], f32, offset=9)), {})",
      "((T([1], f32, offset=1), T([1], f32)), {})" },
    { "an offset of which the number matters", begins_far,
      "((T([64], f32, offset=9),), {})", "((T([1], f32, offset=9),), {})" },
    { "strides that do not matter", always,
      "((T([64, 48], f32, stride=(1, 64)),), {})", "((T([1, 1], f32),), {})" },
    { "strides that matter", transposed,
      "((T([64, 48], f32, stride=(1, 64)),), {})", "((T([3, 1], f32, stride=(1, 3)),), {})" },
    { "gaps that matter", with_gaps,
      "((T([64, 48], f32, stride=(100, 1)),), {})", "((T([1, 1], f32, stride=(100, 1)),), {})" },
    { "a keyword argument", keyword,
      "((), {'out': T([9], f32)})", "((), {'out': T([4], f32)})" },
    { "tensors in a list", list_of_tensors,
      "(([T([5], i64), T([9], i64)], 0), {})", "(([T([1], i64), T([7], i64)], 0), {})" },
    { "no tensor at all", never, "((3, [4, 5]), {})", "((3, [4, 5]), {})" },
    { "an empty tensor", always, "((T([0, 5], f32),), {})", "((T([0, 1], f32),), {})" },
    { "no dimension", never, "((T([], f32),), {})", "((T([], f32),), {})" },
    /* clang-format on */
};

/* --- the search over them --- */

struct predicate {
    struct fixture *f;
    answer_f answer;
};

static int ask(void *arg, const struct osw_case *c,
               enum osw_shrink_answer *answer, struct osw_error *err)
{
    struct predicate *p = arg;

    (void)err;
    p->f->n_asked++;
    *answer = p->answer(c);
    return 0;
}

static void parse(struct fixture *f, const char *text, struct osw_case *out)
{
    assert_int_equal(
        osw_notation_parse_case(f->arena, text, strlen(text), out, &f->err), 0);
}

static int shrink(struct fixture *f, const char *start, answer_f answer,
                  uint32_t max_trials)
{
    struct predicate predicate = {f, answer};
    struct osw_case parsed;
    struct osw_shrink_job job = {.memory = f->arena,
                                 .start = &parsed,
                                 .max_trials = max_trials,
                                 .ask = ask,
                                 .arg = &predicate};

    parse(f, start, &parsed);
    f->n_asked = 0;
    f->err = (struct osw_error)OSW_ERROR_INIT;
    if (osw_shrink(&job, &f->result, &f->err) < 0)
        return -1;
    osw_text_reset(&f->text);
    osw_notation_print_case(&f->text, &f->result.smallest);
    return 0;
}

static void smallest_cases_are_those_found_by_hand(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        print_message("  case: %s\n", cases[i].what);
        assert_int_equal(shrink(f, cases[i].start, cases[i].answer, 200), 0);
        assert_string_equal(osw_text_str(&f->text), cases[i].smallest);
        assert_true(f->result.finished);
        assert_int_equal(f->result.n_trials, f->n_asked);
        assert_true(f->n_asked <= 120);
    }
}

static void trials_are_bounded(void **state)
{
    struct fixture *f = *state;

    for (uint32_t max = 0; max < 12; max++) {
        struct osw_case c;

        assert_int_equal(
            shrink(f, "((T([4096, 4096], f32),), {})", above_37, max), 0);
        assert_int_equal(f->n_asked, max);
        assert_int_equal(f->result.n_trials, max);
        assert_false(f->result.finished);
        c = f->result.smallest;
        assert_int_equal(above_37(&c), OSW_SHRINK_SAME);
    }
}

static int ask_three_times(void *arg, const struct osw_case *c,
                           enum osw_shrink_answer *answer,
                           struct osw_error *err)
{
    struct fixture *f = arg;

    (void)err;
    *answer = ++f->n_asked > 3 ? OSW_SHRINK_STOP : above_37(c);
    return 0;
}

static int ask_and_fail(void *arg, const struct osw_case *c,
                        enum osw_shrink_answer *answer, struct osw_error *err)
{
    (void)arg, (void)c, (void)answer;
    return osw_fail(err, OSW_CHILD, "the worker is gone");
}

static void it_stops_when_told_to(void **state)
{
    struct fixture *f = *state;
    struct osw_case start;
    struct osw_shrink_job job = {.memory = f->arena,
                                 .start = &start,
                                 .max_trials = 200,
                                 .ask = ask_three_times,
                                 .arg = f};

    parse(f, "((T([100], f32),), {})", &start);
    assert_int_equal(osw_shrink(&job, &f->result, &f->err), 0);
    assert_int_equal(f->n_asked, 4);
    assert_int_equal(f->result.n_trials, 3); /* 1, 50, 25 */
    assert_false(f->result.finished);
    assert_int_equal(dim(&f->result.smallest, 0, 0), 50);
}

static void a_failure_of_the_caller_ends_it(void **state)
{
    struct fixture *f = *state;
    struct osw_case start;
    struct osw_shrink_job job = {.memory = f->arena,
                                 .start = &start,
                                 .max_trials = 200,
                                 .ask = ask_and_fail};

    parse(f, "((T([100], f32),), {})", &start);
    assert_int_equal(osw_shrink(&job, &f->result, &f->err), -1);
    assert_int_equal(f->err.status, OSW_CHILD);
    assert_string_equal(f->err.text, "the worker is gone");
}

/* --- for any predicate --- */

static uint64_t coin;

static enum osw_shrink_answer toss(const struct osw_case *c)
{
    uint64_t h = coin;

    for (int32_t d = 0; d < tensor(c, 0)->ndim; d++)
        h = (h ^ (uint64_t)dim(c, 0, d)) * UINT64_C(0x9e3779b97f4a7c15);
    return (enum osw_shrink_answer)((h >> 40) % 3);
}

static void it_never_leaves_what_fails(void **state)
{
    struct fixture *f = *state;

    for (coin = 1; coin <= 200; coin++) {
        const struct osw_case *c = &f->result.smallest;

        assert_int_equal(shrink(f,
                                "((T([60, 60, 7], f32, stride=(1, 420, 60)),"
                                " [60]), {})",
                                toss, 200),
                         0);
        for (int32_t d = 0; d < 3; d++) {
            assert_true(dim(c, 0, d) >= 1);
            assert_true(dim(c, 0, d) <= (d < 2 ? 60 : 7));
        }
        if (strcmp(osw_text_str(&f->text),
                   "((T([60, 60, 7], f32, stride=(1, 420, 60)), [60]), {})"))
            assert_true(toss(c) == OSW_SHRINK_SAME ||
                        (dim(c, 0, 0) == 60 && dim(c, 0, 1) == 60 &&
                         dim(c, 0, 2) == 7));
    }
}

static void what_became_of_a_size_is_found(void **state)
{
    struct fixture *f = *state;
    struct osw_case start, to;

    parse(f, "((T([64, 8], f32), [T([64], i64)], 5), {'out': T([9], f32)})",
          &start);
    parse(f, "((T([10, 2], f32), [T([3], i64)], 5), {'out': T([1], f32)})",
          &to);
    assert_int_equal(osw_shrink_size(&start, &to, 64), 3);
    assert_int_equal(osw_shrink_size(&start, &to, 8), 2);
    assert_int_equal(osw_shrink_size(&start, &to, 9), 1);
    assert_int_equal(osw_shrink_size(&start, &to, 7), 7);
}

static void every_allocation_failure_is_reported(void **state)
{
    struct fixture *f = *state;
    bool struck = true;

    for (int n = 0; struck; n++) {
        struct osw_case start;
        struct predicate predicate = {f, above_37};
        struct osw_shrink_job job = {.memory = f->arena,
                                     .start = &start,
                                     .max_trials = 200,
                                     .ask = ask,
                                     .arg = &predicate};
        int rc;

        osw_arena_reset(f->arena);
        f->err = (struct osw_error)OSW_ERROR_INIT;
        parse(f, "((T([100, 100], f32),), {})", &start);
        chaos_arm(n);
        rc = osw_shrink(&job, &f->result, &f->err);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(f->err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(smallest_cases_are_those_found_by_hand),
        T(trials_are_bounded),
        T(it_stops_when_told_to),
        T(a_failure_of_the_caller_ends_it),
        T(it_never_leaves_what_fails),
        T(what_became_of_a_size_is_found),
        T(every_allocation_failure_is_reported),
#undef T
    };

    return cmocka_run_group_tests_name("mpi_runner/shrink", tests, NULL, NULL);
}
