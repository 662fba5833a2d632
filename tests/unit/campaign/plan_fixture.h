/* tests/unit/campaign/plan_fixture.h - a campaign, and room for its plan */
#ifndef OSW_TESTS_PLAN_FIXTURE_H
#define OSW_TESTS_PLAN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "mpi_runner/campaign/plan.h"

struct fixture {
    osw_arena_t *arena;
    struct osw_campaign c;
    struct osw_suite_item items[8];
    size_t n;
    struct osw_plan plan;
    struct osw_error err;
};

static inline int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    f.arena = osw_arena_create();
    assert_non_null(f.arena);
    f.c = (struct osw_campaign){
        .suite = "smoke",
        .backend = "library",
        .library = "",
        .baseline = "",
        .given_case = "",
        .fill = "",
        .device = "cpu",
        .profile = "smoke",
        .top_by = "calls",
        .max_bytes = (uint64_t)1 << 40,
        .max_work_s = 1e9,
    };
    *state = &f;
    return 0;
}

static inline int tear_down(void **state)
{
    osw_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

#endif /* OSW_TESTS_PLAN_FIXTURE_H */
