/* tests/unit/gang/test_world.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "worker/judge/gang/world.h"

enum { LIMIT = 1 << 20, SIZE = 3, RANK = 1, N = 100 };

static const struct osw_op no_schema = {.schema = NULL};
static struct osw_device host = {.ops = &osw_device_cpu_ops};

struct fixture {
    osw_arena_t *memory;
    struct osw_trial own;
    struct osw_world world;
    struct osw_place place;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct osw_error err = OSW_ERROR_INIT;

    assert_non_null(f);
    f->memory = osw_arena_create();
    assert_int_equal(osw_trial_make(f->memory, &no_schema,
                                    "((T([100], f32), T([7], i64)), {'k': 2})",
                                    "normal,index(5)", 7, LIMIT, &f->own, &err),
                     0);
    assert_int_equal(
        osw_place_open(&f->place, OSW_ZONE_WINDOW, &host, LIMIT, &err), 0);
    assert_int_equal(
        osw_world_make(f->memory, &f->own, RANK, SIZE, &f->world, &err), 0);
    assert_int_equal(osw_world_fill(&f->world, &f->own, &f->place, 0, &err), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_place_close(&f->place);
    osw_arena_destroy(f->memory);
    free(f);
    return 0;
}

/* The first tensor of a rank, in the image of all. */
static const unsigned char *first_of(const struct fixture *f, uint32_t rank)
{
    return (unsigned char *)f->place.image.base + rank * f->world.stride +
           f->own.tensors[0].offset;
}

static void each_rank_has_values_of_its_own(void **state)
{
    const struct fixture *f = *state;

    assert_int_equal(f->world.stride % 256, 0);
    assert_true(f->world.stride >= f->own.inputs_bytes);
    assert_ptr_equal(f->own.image + f->own.tensors[0].offset,
                     first_of(f, RANK));
    for (uint32_t a = 0; a < SIZE; a++)
        for (uint32_t b = a + 1; b < SIZE; b++)
            assert_memory_not_equal(first_of(f, a), first_of(f, b), 4 * N);
}

/* What makes it possible to verify without sending any data. */
static void another_judge_makes_the_same_values(void **state)
{
    const struct fixture *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_trial own = f->own;
    struct osw_world world;
    struct osw_place place;
    uint64_t bytes = SIZE * f->world.stride;

    assert_int_equal(osw_world_make(f->memory, &own, 2, SIZE, &world, &err), 0);
    assert_int_equal(
        osw_place_open(&place, OSW_ZONE_WINDOW, &host, LIMIT, &err), 0);
    assert_int_equal(osw_world_fill(&world, &own, &place, 0, &err), 0);
    assert_memory_equal(place.image.base, f->place.image.base, bytes);
    assert_ptr_not_equal(own.image, place.image.base);
    assert_true(osw_world_permute(&world, &own));
    assert_memory_not_equal(place.image.base, f->place.image.base, bytes);
    assert_true(osw_world_permute(&f->world, &f->own));
    assert_memory_equal(place.image.base, f->place.image.base, bytes);
    osw_place_close(&place);
}

static void a_permutation_changes_every_other_rank(void **state)
{
    struct fixture *f = *state;
    const unsigned char *image = f->place.image.base;
    uint64_t stride = f->world.stride;
    unsigned char *before = malloc(SIZE * stride);

    assert_non_null(before);
    memcpy(before, image, SIZE * stride);
    assert_true(osw_world_permute(&f->world, &f->own));
    for (uint32_t rank = 0; rank < SIZE; rank++)
        assert_int_equal(memcmp(before + rank * stride, image + rank * stride,
                                f->own.inputs_bytes) == 0,
                         rank % 2);
    free(before);
}

static void the_reference_gets_the_arguments_of_all_ranks(void **state)
{
    struct fixture *f = *state;
    const struct osw_trial *all;

    f->own.tensors[1].written = true;
    all = osw_world_trial(&f->world, &f->own);
    assert_int_equal(all->n_args, SIZE * 3);
    assert_int_equal(all->n_tensors, SIZE * 2);
    assert_int_equal(all->inputs_bytes, SIZE * f->world.stride);
    assert_ptr_equal(all->image, f->place.image.base);
    for (size_t i = 0; i < all->n_tensors; i++) {
        size_t rank = i / 2;

        assert_int_equal(all->tensors[i].arg, rank * 3 + i % 2);
        assert_int_equal(all->offsets[i],
                         rank * f->world.stride + f->own.offsets[i % 2]);
        assert_int_equal(all->tensors[i].offset, all->offsets[i]);
        assert_int_equal(all->tensors[i].written, i % 2 == 1);
        assert_int_equal(all->fills[i].kind, f->own.fills[i % 2].kind);
    }
}

static void values_of_a_generator_are_refused(void **state)
{
    struct fixture *f = *state;
    struct osw_fill drawn[2] = {{.kind = OSW_FILL_NORMAL},
                                {.kind = OSW_FILL_DRAWN}};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_world world;

    f->own.fills = drawn;
    assert_int_equal(
        osw_world_make(f->memory, &f->own, RANK, SIZE, &world, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    assert_non_null(strstr(err.text, "gen_input.py"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(each_rank_has_values_of_its_own),
        T(another_judge_makes_the_same_values),
        T(a_permutation_changes_every_other_rank),
        T(the_reference_gets_the_arguments_of_all_ranks),
        T(values_of_a_generator_are_refused),
#undef T
    };

    return cmocka_run_group_tests_name("worker/world", tests, NULL, NULL);
}
