/* tests/unit/ops/test_suite_list.c - cases being gathered */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ops/cases/suite_list.h"
#include "ops/notation/notation.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static struct osw_suite_item item(const char *op, const char *text,
                                  const char *fill, uint64_t count)
{
    return (struct osw_suite_item){
        .op_name = op, .case_text = text, .fill = fill, .count = count};
}

static int push(struct osw_suite_list *list, struct osw_suite_item i)
{
    return osw_suite_list_push(list, &i, NULL);
}

static void equal_cases_appear_once_with_their_calls_added(void **state)
{
    struct osw_suite_list list = {.arena = NULL};

    (void)state;
    assert_int_equal(push(&list, item("b", "x", "f", 3)), 0);
    assert_int_equal(push(&list, item("a", "x", "f", 1)), 0);
    assert_int_equal(push(&list, item("b", "x", "f", 4)), 0);
    assert_int_equal(push(&list, item("b", "x", "g", 1)), 0);
    assert_int_equal(push(&list, item("b", "y", "f", 1)), 0);
    assert_int_equal(list.n, 4);
    osw_suite_list_arrange(&list, 0, false);
    assert_string_equal(list.items[0].op_name, "a");
    assert_string_equal(list.items[1].fill, "f");
    assert_int_equal(list.items[1].count, 7);
    assert_string_equal(list.items[2].fill, "g");
    assert_string_equal(list.items[3].case_text, "y");
    osw_suite_list_free(&list);
}

static void many_cases_stay_apart(void **state)
{
    static char texts[5000][8];
    struct osw_suite_list list = {.arena = NULL};

    (void)state;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < N_ELEM(texts); i++) {
            snprintf(texts[i], sizeof(texts[i]), "%zu", i);
            assert_int_equal(push(&list, item("op", texts[i], "", 1)), 0);
        }
    assert_int_equal(list.n, N_ELEM(texts));
    osw_suite_list_arrange(&list, 0, false);
    for (size_t i = 0; i < N_ELEM(texts); i++) {
        assert_string_equal(list.items[i].case_text, texts[i]);
        assert_int_equal(list.items[i].count, 2);
    }
    osw_suite_list_free(&list);
}

/* By calls: b (9), then d before a (5 each, d came first).  By size: c (100),
 * then a (6).
 */
static void the_top_is_by_calls_or_by_size_of_each_op(void **state)
{
    static const struct {
        bool by_size;
        uint32_t top;
        const char *want;
    } rows[] = {
        {false, 1, "b|z"}, {false, 2, "db|z"},   {true, 1, "c|z"},
        {true, 2, "ac|z"}, {false, 9, "dabc|z"}, {false, 0, "dabc|z"},
    };
    static const struct {
        const char *op, *name, *text;
        uint64_t count;
    } cases[] = {
        {"one", "d", "((T([2], f32),), {})", 5},
        {"two", "z", "((T([9], f32),), {})", 1},
        {"one", "a", "((T([2, 3], f32),), {})", 5},
        {"one", "b", "((T([], f32),), {'x': T([1], f32)})", 9},
        {"one", "c", "(([T([99], f32), T([1], f32)],), {})", 1},
    };

    (void)state;
    for (size_t r = 0; r < N_ELEM(rows); r++) {
        struct osw_suite_list list = {.arena = osw_arena_create()};
        char got[32] = "";

        for (size_t i = 0; i < N_ELEM(cases); i++) {
            struct osw_suite_item it =
                item(cases[i].op, cases[i].name, "", cases[i].count);

            assert_int_equal(osw_notation_parse_case(list.arena, cases[i].text,
                                                     strlen(cases[i].text),
                                                     &it.parsed, NULL),
                             0);
            assert_int_equal(push(&list, it), 0);
        }
        osw_suite_list_arrange(&list, rows[r].top, rows[r].by_size);
        for (size_t i = 0; i < list.n; i++) {
            if (strcmp(list.items[i].op_name, "two") == 0)
                strcat(got, "|");
            strcat(got, list.items[i].case_text);
        }
        assert_string_equal(got, rows[r].want);
        osw_arena_destroy(list.arena);
        osw_suite_list_free(&list);
    }
}

static void every_allocation_failure_is_reported(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures++) {
        struct osw_suite_list list = {.arena = NULL};
        struct osw_suite_item it = item("op", "x", "", 1);
        struct osw_error err = OSW_ERROR_INIT;
        int rc;

        chaos_arm(failures);
        rc = osw_suite_list_push(&list, &it, &err);
        struck = chaos_struck();
        osw_suite_list_free(&list);
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    assert_int_equal(failures, 3); /* items, slots, none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_cases_appear_once_with_their_calls_added),
        cmocka_unit_test(many_cases_stay_apart),
        cmocka_unit_test(the_top_is_by_calls_or_by_size_of_each_op),
        cmocka_unit_test(every_allocation_failure_is_reported),
    };

    return cmocka_run_group_tests_name("ops/suite_list", tests, NULL, NULL);
}
