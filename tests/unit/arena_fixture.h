/* tests/unit/arena_fixture.h - set_up and tear_down of a test's fixture
 *
 * Included after the test's own `struct fixture`, which has a field `arena`:
 * all of it is zero before a test, with an arena of its own.
 */
#ifndef OSW_TESTS_UNIT_ARENA_FIXTURE_H
#define OSW_TESTS_UNIT_ARENA_FIXTURE_H

#include <string.h>

#include "common/arena.h"

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
    osw_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

#endif /* OSW_TESTS_UNIT_ARENA_FIXTURE_H */
