/* tests/unit/worker/test_place.c - memory of a place that grows */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/judge/memory/place.h"

enum { LIMIT = 1 << 20 };

/* A device of which others hold all memory until so many have given way. */
static uint32_t n_holders;
static int n_tries;

static int map_private(struct osw_device *dev, uint64_t bytes,
                       struct osw_map *out, struct osw_error *err)
{
    static char memory[LIMIT];

    (void)dev;
    n_tries++;
    if (n_holders > 0)
        return osw_fail(err, OSW_NO_MEMORY, "no memory");
    *out = (struct osw_map){.base = memory, .bytes = bytes, .fd = -1};
    return 0;
}

static void map_destroy(struct osw_device *dev, struct osw_map *map)
{
    (void)dev;
    *map = (struct osw_map){.fd = -1};
}

static const struct osw_device_ops ops = {.map_private = map_private,
                                          .map_destroy = map_destroy};

struct others {
    uint32_t n; /* that give way */
    uint64_t asked_bytes;
};

static bool make_room(void *arg, uint64_t bytes, uint32_t *n_gone)
{
    struct others *others = arg;

    others->asked_bytes = bytes;
    if (*n_gone == others->n)
        return false;
    (*n_gone)++;
    n_holders--;
    return true;
}

static void others_give_way_until_there_is_memory(void **state)
{
    static const struct {
        uint32_t n_holders, n_others;
        int rc, n_tries;
    } cases[] = {{0, 0, 0, 1},  {1, 1, 0, 2},  {3, 3, 0, 4},
                 {1, 0, -1, 1}, {4, 2, -1, 3}, {1, 9, 0, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_device dev = {.ops = &ops};
        struct others others = {.n = cases[i].n_others};
        struct osw_place place = {.device = &dev,
                                  .limit = LIMIT,
                                  .image.fd = -1,
                                  .make_room = make_room,
                                  .make_room_arg = &others};
        struct osw_error err = OSW_ERROR_INIT;

        n_holders = cases[i].n_holders;
        n_tries = 0;
        assert_int_equal(
            osw_place_ensure_bytes(&place, &place.image, 100, &err),
            cases[i].rc);
        assert_int_equal(n_tries, cases[i].n_tries);
        assert_int_equal(err.status, cases[i].rc ? OSW_NO_MEMORY : OSW_OK);
        if (cases[i].n_holders > 0)
            assert_int_equal(others.asked_bytes, 100);
    }
}

static void nobody_is_asked_for_more_than_the_limit(void **state)
{
    struct osw_device dev = {.ops = &ops};
    struct others others = {.n = 1};
    struct osw_place place = {.device = &dev,
                              .limit = LIMIT,
                              .image.fd = -1,
                              .make_room = make_room,
                              .make_room_arg = &others};
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    n_holders = 1;
    assert_int_equal(
        osw_place_ensure_bytes(&place, &place.image, LIMIT + 1, &err), -1);
    assert_int_equal(n_holders, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_give_way_until_there_is_memory),
        cmocka_unit_test(nobody_is_asked_for_more_than_the_limit),
    };

    return cmocka_run_group_tests_name("worker/place", tests, NULL, NULL);
}
