/* tests/unit/worker/test_trial.c
 *
 * optimised, too: its loops are vectors then
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <opsweep/elements.h>

#include "worker/hash_mix.h"
#include "worker/judge/inputs/trial.h"
#include "worker/judge/memory/guard.h"

static const struct osw_op no_schema = {.schema = NULL};

static const char text[] =
    "((T([3, 4], f32, stride=(8, 1)), T([5], i64)), {'scale': 2})";
static const char fills[] = "normal,index(5)";

enum { LIMIT = 1 << 20, ROW_BYTES = 32, EXTENT = 2 * ROW_BYTES + 16 };

static struct osw_device host = {.ops = &osw_device_cpu_ops};

struct fixture {
    osw_arena_t *memory;
    struct osw_trial trial;
    struct osw_place place;
    unsigned char *image, *zone;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct osw_error err = OSW_ERROR_INIT;

    assert_non_null(f);
    f->memory = osw_arena_create();
    assert_int_equal(osw_trial_make(f->memory, &no_schema, text, fills, 7,
                                    LIMIT, &f->trial, &err),
                     0);
    assert_int_equal(
        osw_place_open(&f->place, OSW_ZONE_WINDOW, &host, LIMIT, &err), 0);
    f->zone = malloc(f->trial.inputs_bytes);
    assert_int_equal(osw_trial_fill(&f->trial, &f->place, 0, &err), 0);
    f->image = f->trial.image;
    memcpy(f->zone, f->image, f->trial.inputs_bytes);
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

static void a_case_becomes_named_arguments_and_placed_tensors(void **state)
{
    const struct fixture *f = *state;

    assert_int_equal(f->trial.n_args, 3);
    assert_string_equal(f->trial.args[2].name, "scale");
    assert_int_equal(f->trial.n_tensors, 2);
    assert_int_equal(f->trial.tensors[0].extent, EXTENT);
    assert_int_equal(f->trial.tensors[1].extent, 40);
    assert_int_equal(f->trial.tensors[1].arg, 1);
    assert_int_equal(f->trial.tensors[0].offset % 256, 0);
}

static void guards_and_gaps_are_poison_and_elements_are_not(void **state)
{
    const struct fixture *f = *state;
    const struct osw_trial_tensor *t = &f->trial.tensors[0];
    const unsigned char *p = f->image + t->offset;
    const int64_t *index =
        (const int64_t *)(const void *)(f->image + f->trial.tensors[1].offset);

    assert_int_equal(osw_guard_check(f->image, t->offset, OSW_GUARD_BYTE), -1);
    assert_int_equal(osw_guard_check(p + 16, 16, OSW_GUARD_BYTE), -1); /* gap */
    assert_int_not_equal(osw_guard_check(p, 16, OSW_GUARD_BYTE), -1);
    for (int i = 0; i < 5; i++)
        assert_in_range(index[i], 0, 4);
}

/* Where one byte is changed, and what must be said of it. */
static const struct {
    const char *what;
    int tensor; /* offset counts from it; -1: from the zone's start */
    long at;
    bool any, input;
    const char *words;
} rows[] = {
    /* clang-format off */
    { "nothing",             -1, -1,         false, false, "" },
    { "the first element",    0, 0,          true, true,  "'arg0', byte 0" },
    { "the last element",     0, EXTENT - 1, true, true,  "'arg0', byte 79" },
    { "a gap between rows",   0, 16,         true, false, "a gap of argument 'arg0'" },
    { "just after",           0, EXTENT,     true, false, "past argument 'arg0', at byte 0" },
    { "just before",          0, -1,         true, false, "before argument 'arg0', by 1 " },
    { "the second tensor",    1, 39,         true, true,  "'arg1', byte 39" },
    { "the zone's first byte", -1, 0,        true, false, "before argument 'arg0'" },
    /* clang-format on */
};

static void every_trespass_is_found_and_named(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_trespass t;
        long at = rows[i].at;

        print_message("  case: %s\n", rows[i].what);
        if (rows[i].tensor >= 0)
            at += (long)f->trial.tensors[rows[i].tensor].offset;
        if (rows[i].any)
            f->zone[at] ^= 1;
        osw_trial_compare(&f->trial, f->zone, &t);
        if (rows[i].any)
            f->zone[at] ^= 1;
        assert_int_equal(t.any, rows[i].any);
        assert_int_equal(t.input, rows[i].input);
        assert_non_null(strstr(t.text, rows[i].words));
    }
}

static void what_may_be_written_is_no_trespass(void **state)
{
    struct fixture *f = *state;
    struct osw_trespass t;

    f->trial.tensors[0].written = true;
    f->zone[f->trial.tensors[0].offset] ^= 1;
    osw_trial_compare(&f->trial, f->zone, &t);
    assert_false(t.any);
    f->zone[f->trial.tensors[0].offset + EXTENT] ^= 1;
    osw_trial_compare(&f->trial, f->zone, &t);
    assert_true(t.any);
}

static void what_may_be_written_is_copied_for_restoring(void **state)
{
    struct fixture *f = *state;
    struct osw_restore restores[2];
    unsigned char base[1024];
    uint32_t n;

    assert_int_equal(
        osw_trial_place_restores(&f->trial, base, 256, 1024, restores, &n),
        256);
    assert_int_equal(n, 0);
    f->trial.tensors[1].written = true; /* 40 bytes */
    assert_int_equal(
        osw_trial_place_restores(&f->trial, base, 256, 1024, restores, &n),
        512);
    assert_int_equal(n, 1);
    assert_int_equal(restores[0].from, 256);
    assert_int_equal(restores[0].to, f->trial.tensors[1].offset);
    assert_memory_equal(base + 256, f->image + restores[0].to, 40);
    assert_true(osw_trial_place_restores(&f->trial, NULL, 256, 295, restores,
                                         &n) == OSW_NO_OFFSET);
    assert_true(osw_trial_place_restores(&f->trial, NULL, 512, 256, restores,
                                         &n) == OSW_NO_OFFSET);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Elements move, but no value is lost, and what lies around stays. */
static void a_permutation_keeps_the_values(void **state)
{
    enum { N = 1000 };
    static const char many[] = "((T([1000], i64), T([8], f32), T([2, 2], f32, "
                               "stride=(4, 1)), T([1], f32), T([], i64)), {})";
    static const struct {
        const char *fills;
        bool moves;
    } cases[] = {
        {"int(-8,8),constant(1),normal,normal,int(-8,8)", true},
        {"drawn(3),constant(1),normal,normal,int(-8,8)", false},
        {"ascending(0,9),constant(1),normal,normal,int(-8,8)", false},
        {"distinct(1000,1),constant(1),normal,normal,int(-8,8)", false},
    };
    osw_arena_t *memory = osw_arena_create();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_trial trial;
        struct osw_place place;
        unsigned char *before;
        int64_t *x, *was;
        uint64_t random = 1, from, bytes = N * sizeof(*x);

        assert_int_equal(osw_trial_make(memory, &no_schema, many,
                                        cases[i].fills, 7, LIMIT, &trial, &err),
                         0);
        assert_int_equal(
            osw_place_open(&place, OSW_ZONE_WINDOW, &host, LIMIT, &err), 0);
        assert_int_equal(osw_trial_fill(&trial, &place, 0, &err), 0);
        before = malloc(trial.inputs_bytes);
        memcpy(before, trial.image, trial.inputs_bytes);
        assert_true(osw_trial_permute(&trial, trial.image, &random) ==
                    cases[i].moves);
        from = trial.tensors[0].offset;
        x = (int64_t *)(void *)(trial.image + from);
        was = (int64_t *)(void *)(before + from);
        assert_true((memcmp(x, was, bytes) != 0) == cases[i].moves);
        qsort(x, N, sizeof(*x), by_value);
        qsort(was, N, sizeof(*was), by_value);
        assert_memory_equal(trial.image, before, trial.inputs_bytes);
        free(before);
        osw_place_close(&place);
    }
    osw_arena_destroy(memory);
}

static void one_of_several_tensors_is_not_permuted(void **state)
{
    enum { N = 3, TRIES = 60 };
    static const char three[] =
        "((T([100], f32), T([100], f32), T([], f32), T([50], i64)), {})";
    static const size_t tensors[N] = {0, 1, 3};
    osw_arena_t *memory = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_trial trial;
    struct osw_place place;
    unsigned char *before;
    int n_stays[N] = {0};

    (void)state;
    assert_int_equal(osw_trial_make(memory, &no_schema, three,
                                    "normal,normal,normal,int(-99,99)", 7,
                                    LIMIT, &trial, &err),
                     0);
    assert_int_equal(
        osw_place_open(&place, OSW_ZONE_WINDOW, &host, LIMIT, &err), 0);
    assert_int_equal(osw_trial_fill(&trial, &place, 0, &err), 0);
    before = malloc(trial.inputs_bytes);
    for (uint64_t k = 0; k < TRIES; k++) {
        uint64_t random = osw_hash_mix(k) | 1;
        int n_same = 0;

        memcpy(before, trial.image, trial.inputs_bytes);
        assert_true(osw_trial_permute(&trial, trial.image, &random));
        for (int i = 0; i < N; i++) {
            const struct osw_trial_tensor *t = &trial.tensors[tensors[i]];
            bool same = memcmp(trial.image + t->offset, before + t->offset,
                               t->extent) == 0;

            n_stays[i] += same;
            n_same += same;
        }
        assert_int_equal(n_same, 1);
    }
    for (int i = 0; i < N; i++)
        assert_in_range(n_stays[i], TRIES / 6, TRIES / 2);
    free(before);
    osw_place_close(&place);
    osw_arena_destroy(memory);
}

/* Lengths of one row still add up: they may change places within it, and not
 * with another row's.
 */
static void shares_add_up_after_a_permutation(void **state)
{
    enum { ROWS = 3, N = 7, SUM = 12 };
    static const char shares_case[] = "((T([3, 7], i64), T([7], i64)), {})";
    osw_arena_t *memory = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_trial trial;
    struct osw_place place;

    (void)state;
    assert_int_equal(osw_trial_make(memory, &no_schema, shares_case,
                                    "shares(12),shares(12)", 7, LIMIT, &trial,
                                    &err),
                     0);
    assert_int_equal(
        osw_place_open(&place, OSW_ZONE_WINDOW, &host, LIMIT, &err), 0);
    assert_int_equal(osw_trial_fill(&trial, &place, 0, &err), 0);
    assert_false(osw_trial_may_exchange(&trial, 0));
    assert_true(osw_trial_may_exchange(&trial, 1));
    for (uint64_t random = 1; random < 20; random++) {
        uint64_t order = random;

        assert_true(osw_trial_permute(&trial, trial.image, &order));
        for (size_t t = 0; t < 2; t++)
            for (int row = 0; row < (t ? 1 : ROWS); row++) {
                const int64_t *x = osw_trial_view(&trial, t).data;
                int64_t sum = 0;

                for (int i = 0; i < N; i++)
                    sum += x[row * N + i];
                assert_int_equal(sum, SUM);
            }
    }
    osw_place_close(&place);
    osw_arena_destroy(memory);
}

/* Which elements change places follows from the case and the seed alone. */
static void the_same_case_and_seed_give_the_same_order(void **state)
{
    static const char one[] = "((T([1000], i64),), {})";
    static const struct {
        const char *text;
        uint64_t seed;
        bool same;
    } cases[] = {
        {one, 7, true}, {one, 8, false}, {"((T([1001], i64),), {})", 7, false}};
    osw_arena_t *memory = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_trial first, other;

    (void)state;
    assert_int_equal(osw_trial_make(memory, &no_schema, one, "int(-8,8)", 7,
                                    LIMIT, &first, &err),
                     0);
    assert_true(first.order != 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(osw_trial_make(memory, &no_schema, cases[i].text,
                                        "int(-8,8)", cases[i].seed, LIMIT,
                                        &other, &err),
                         0);
        assert_true((other.order == first.order) == cases[i].same);
    }
    osw_arena_destroy(memory);
}

/* A zone that is brought to is like the image, of which guards are not read. */
static void a_bare_image_brings_what_a_whole_one_does(void **state)
{
    struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char *whole = malloc(f->trial.inputs_bytes);
    struct osw_trespass t;

    assert_non_null(whole);
    memcpy(whole, f->image, f->trial.inputs_bytes);
    for (int like = 0; like < 2; like++) {
        struct osw_trial bare = f->trial, from = f->trial;

        from.image = whole;
        memset(f->image, 0x5a, f->trial.inputs_bytes);
        memset(f->zone, 0x5a, f->trial.inputs_bytes);
        assert_int_equal(
            osw_trial_fill_bare(&bare, &f->place, 0, like ? &from : NULL, &err),
            0);
        assert_int_equal(f->image[0], 0x5a);
        osw_trial_bring(&bare, f->zone);
        assert_memory_equal(f->zone, whole, f->trial.inputs_bytes);
        osw_trial_compare(&bare, f->zone, &t);
        assert_false(t.any);
    }
    free(whole);
}

/* Each is wrong in one way; the message must name it. */
static void a_case_that_does_not_fit_is_refused(void **state)
{
    static const struct {
        const char *text, *fill, *words;
        uint64_t limit;
    } bad[] = {
        {"((T([3], f32),), {}", "normal", "column", LIMIT},
        {"((T([3], f32),), {})", "normal,normal", "2 fills for 1 tensors",
         LIMIT},
        {"((T([3], f32),), {})", "norml", "norml", LIMIT},
        {"((T([3], f32),), {})", "normal", "do not fit", 4096},
        {"((T([3], i64),), {})", "index(0)", "no index", LIMIT},
    };
    osw_arena_t *memory = osw_arena_create();

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_trial trial;

        assert_int_equal(osw_trial_make(memory, &no_schema, bad[i].text,
                                        bad[i].fill, 0, bad[i].limit, &trial,
                                        &err),
                         -1);
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(err.text, bad[i].words));
    }
    osw_arena_destroy(memory);
}

/* --- whose numbers are whose --- */

enum { N_DRAWN = 8 };

/* Elements of a case of N_DRAWN f32 or f16, inputs of an op in a trial of that
 * kind (-1: its own); normal numbers in all of them.
 */
struct drawn {
    const char *op, *text;
    int kind;
    uint32_t rep;
    uint64_t seed;
};

static const struct drawn draws[] = {
    {"abs", "((T([8], f32),), {})", -1, 0, 1},
    {"relu", "((T([8], f32),), {})", -1, 0, 1},
    {"abs", "((T([2, 4], f32),), {})", -1, 0, 1},
    {"abs", "((T([8], f32), 1), {})", -1, 0, 1},
    {"abs", "((T([8], f16),), {})", -1, 0, 1},
    {"abs", "((T([8], f32),), {})", -1, 0, 2},
    {"abs", "((T([8], f32),), {})", OSW_TRIAL_REDRAW, 1, 1},
    {"abs", "((T([8], f32),), {})", OSW_TRIAL_REDRAW, 2, 1},
    {"abs", "((T([8], f32),), {})", OSW_TRIAL_TIES, 1, 1},
    {"abs", "((T([8], f32),), {})", OSW_TRIAL_SPECIAL, 1, 1},
    {"abs", "((T([8], f32),), {})", OSW_TRIAL_OFFSET, 1, 1},
};

enum { N_DRAWS = sizeof(draws) / sizeof(draws[0]) };

static void draw(const struct drawn *d, float out[N_DRAWN])
{
    static const struct osw_fill normal = {.kind = OSW_FILL_NORMAL};
    const struct osw_op op = {.name = d->op};
    struct osw_error err = OSW_ERROR_INIT;
    osw_arena_t *memory = osw_arena_create();
    struct osw_trial own, trial;
    struct osw_place place;
    const unsigned char *at;

    assert_int_equal(osw_trial_make(memory, &op, d->text, "normal", d->seed,
                                    LIMIT, &own, &err),
                     0);
    trial = d->kind < 0 ? own
                        : osw_trial_of_kind(&own, (enum osw_trial_kind)d->kind,
                                            &normal);
    assert_int_equal(
        osw_place_open(&place, OSW_ZONE_WINDOW, &host, LIMIT, &err), 0);
    assert_int_equal(osw_trial_fill(&trial, &place, d->rep, &err), 0);
    at = trial.image + trial.tensors[0].offset;
    for (size_t i = 0; i < N_DRAWN; i++)
        out[i] = trial.tensors[0].desc->dtype == OSW_F16
                     ? osw_f16_to_f32(((const uint16_t *)(const void *)at)[i])
                     : ((const float *)(const void *)at)[i];
    osw_place_close(&place);
    osw_arena_destroy(memory);
}

/* f16 is f32 rounded; one number may be near another by chance. */
static bool are_alike(const float a[N_DRAWN], const float b[N_DRAWN])
{
    int n = 0;

    for (int i = 0; i < N_DRAWN; i++)
        n += fabsf(a[i] - b[i]) <= 1e-3f * fabsf(a[i]);
    return n > 1;
}

static void no_two_ops_cases_or_trials_see_the_same_numbers(void **state)
{
    float all[N_DRAWS][N_DRAWN];

    (void)state;
    for (size_t i = 0; i < N_DRAWS; i++) {
        float again[N_DRAWN];

        draw(&draws[i], all[i]);
        draw(&draws[i], again);
        assert_memory_equal(again, all[i], sizeof(again));
        for (size_t k = 0; k < i; k++) {
            print_message("  rows %zu and %zu\n", i, k);
            assert_false(are_alike(all[i], all[k]));
        }
    }
}

/* Exchanged elements are the case's own; a redraw is its next repetition. */
static void kinds_without_fills_have_the_own_seed(void **state)
{
    const struct osw_trial own = {.draw = 5};

    (void)state;
    assert_int_equal(osw_trial_of_kind(&own, OSW_TRIAL_PERMUTED, NULL).draw, 5);
    assert_int_equal(osw_trial_of_kind(&own, OSW_TRIAL_REDRAW, NULL).draw, 5);
    assert_int_not_equal(osw_trial_of_kind(&own, OSW_TRIAL_WIDE, NULL).draw, 5);
}

int main(void)
{
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(a_case_becomes_named_arguments_and_placed_tensors),
        T(guards_and_gaps_are_poison_and_elements_are_not),
        T(every_trespass_is_found_and_named),
        T(what_may_be_written_is_no_trespass),
        T(what_may_be_written_is_copied_for_restoring),
        cmocka_unit_test(a_permutation_keeps_the_values),
        cmocka_unit_test(one_of_several_tensors_is_not_permuted),
        cmocka_unit_test(shares_add_up_after_a_permutation),
        cmocka_unit_test(the_same_case_and_seed_give_the_same_order),
        T(a_bare_image_brings_what_a_whole_one_does),
        cmocka_unit_test(a_case_that_does_not_fit_is_refused),
        cmocka_unit_test(no_two_ops_cases_or_trials_see_the_same_numbers),
        cmocka_unit_test(kinds_without_fills_have_the_own_seed),
    };
#undef T

    return cmocka_run_group_tests_name("worker/trial", tests, NULL, NULL);
}
