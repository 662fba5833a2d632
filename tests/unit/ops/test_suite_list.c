/* tests/unit/ops/test_suite_list.c - cases being gathered */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ops/cases/suite_list.h"
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

static void arrange(struct osw_suite_list *list, uint32_t top, bool by_size)
{
    assert_int_equal(osw_suite_list_arrange(list, top, by_size, NULL), 0);
}

static void end(struct osw_suite_list *list)
{
    osw_arena_destroy(list->arena);
    osw_suite_list_free(list);
}

static void equal_cases_appear_once_with_their_calls_added(void **state)
{
    struct osw_suite_list list = {.arena = osw_arena_create()};

    (void)state;
    assert_int_equal(push(&list, item("b", "x", "f", 3)), 0);
    assert_int_equal(push(&list, item("a", "x", "f", 1)), 0);
    assert_int_equal(push(&list, item("b", "x", "f", 4)), 0);
    assert_int_equal(push(&list, item("b", "x", "g", 1)), 0);
    assert_int_equal(push(&list, item("b", "y", "f", 1)), 0);
    assert_int_equal(list.n, 4);
    arrange(&list, 0, false);
    assert_string_equal(list.items[0].op_name, "a");
    assert_string_equal(list.items[1].fill, "f");
    assert_int_equal(list.items[1].count, 7);
    assert_string_equal(list.items[2].fill, "g");
    assert_string_equal(list.items[3].case_text, "y");
    end(&list);
}

static void many_cases_stay_apart(void **state)
{
    static char texts[5000][8];
    struct osw_suite_list list = {.arena = osw_arena_create()};

    (void)state;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < N_ELEM(texts); i++) {
            snprintf(texts[i], sizeof(texts[i]), "%zu", i);
            assert_int_equal(push(&list, item("op", texts[i], "", 1)), 0);
        }
    assert_int_equal(list.n, N_ELEM(texts));
    arrange(&list, 0, false);
    for (size_t i = 0; i < N_ELEM(texts); i++) {
        assert_string_equal(list.items[i].case_text, texts[i]);
        assert_int_equal(list.items[i].count, 2);
    }
    end(&list);
}

static void more_than_a_million_cases_are_gathered(void **state)
{
    enum { N = 1100000 };
    struct osw_suite_list list = {.arena = osw_arena_create()};
    char text[16];

    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof(text), "%d", i);
        assert_int_equal(push(&list, item("op", text, "normal", 1)), 0);
    }
    arrange(&list, 0, false);
    assert_int_equal(list.n, N);
    assert_string_equal(list.items[N - 1].case_text, "1099999");
    assert_ptr_equal(list.items[N - 1].fill, list.items[0].fill);
    end(&list);
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
            assert_int_equal(push(&list, item(cases[i].op, cases[i].text,
                                              cases[i].name, cases[i].count)),
                             0);
        }
        arrange(&list, rows[r].top, rows[r].by_size);
        for (size_t i = 0; i < list.n; i++) {
            if (strcmp(list.items[i].op_name, "two") == 0)
                strcat(got, "|");
            strcat(got, list.items[i].fill);
        }
        assert_string_equal(got, rows[r].want);
        end(&list);
    }
}

/* Bytes of an item without its text. */
static uint64_t own_bytes(void)
{
    struct osw_suite_list list = {.arena = osw_arena_create()};
    uint64_t bytes;

    assert_int_equal(push(&list, item("op", "x", "", 1)), 0);
    bytes = list.bytes - 2;
    end(&list);
    return bytes;
}

static void memory_is_bounded_and_the_error_says_by_what(void **state)
{
    const uint64_t mib = 1024 * 1024;
    struct osw_suite_list list = {
        .arena = osw_arena_create(),
        .memory = {.max_bytes = 3 * mib, .each = mib - own_bytes() - 2}};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_suite_item more = item("op", "4", "", 1);

    (void)state;
    assert_int_equal(push(&list, item("op", "1", "", 1)), 0);
    assert_int_equal(push(&list, item("op", "2", "", 1)), 0);
    assert_int_equal(osw_suite_list_expect(&list, 0, &err), 0);
    assert_int_equal(osw_suite_list_expect(&list, 5, &err), -1);
    assert_int_equal(err.status, OSW_NO_MEMORY);
    assert_string_equal(err.text,
                        "7 cases need more than 7 MiB of memory in rank 0, 3 "
                        "MiB are free: choose fewer ops or cases");
    assert_int_equal(push(&list, item("op", "3", "", 1)), 0);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(osw_suite_list_push(&list, &more, &err), -1);
    assert_string_equal(err.text,
                        "4 cases need more than 4 MiB of memory in rank 0, 3 "
                        "MiB are free: choose fewer ops or cases");
    more.case_text = "3"; /* which is there */
    assert_int_equal(osw_suite_list_push(&list, &more, NULL), 0);
    assert_int_equal(list.n, 3);
    osw_suite_list_cut(&list, 2);
    assert_int_equal(list.bytes, 2 * mib);
    end(&list);
}

/* More than any memory, also where the product of bytes would overflow. */
static void more_cases_than_can_be_counted_are_refused(void **state)
{
    struct osw_suite_list list = {.memory = {.max_bytes = UINT64_MAX / 4}};

    (void)state;
    assert_int_equal(osw_suite_list_expect(&list, SIZE_MAX, NULL), -1);
    assert_int_equal(osw_suite_list_expect(&list, 1000, NULL), 0);
    list.memory.max_bytes = 0; /* not known */
    assert_int_equal(osw_suite_list_expect(&list, SIZE_MAX, NULL), 0);
}

static void items_of_an_op_can_be_taken_back(void **state)
{
    struct osw_suite_list list = {.arena = osw_arena_create()};

    (void)state;
    assert_int_equal(push(&list, item("a", "x", "f", 1)), 0);
    assert_int_equal(push(&list, item("b", "x", "f", 1)), 0);
    assert_int_equal(push(&list, item("b", "y", "f", 1)), 0);
    osw_suite_list_cut(&list, 1);
    assert_int_equal(list.n, 1);
    assert_int_equal(push(&list, item("a", "x", "f", 5)), 0); /* is there */
    assert_int_equal(push(&list, item("b", "y", "f", 2)), 0); /* is not */
    assert_int_equal(list.n, 2);
    assert_int_equal(list.items[0].count, 6);
    assert_int_equal(list.items[1].count, 2);
    end(&list);
}

static void texts_that_repeat_are_kept_once(void **state)
{
    struct osw_suite_list list = {.arena = osw_arena_create()};
    char fill[] = "normal";

    (void)state;
    assert_int_equal(push(&list, item("a", "x", fill, 1)), 0);
    assert_int_equal(push(&list, item("a", "y", fill, 1)), 0);
    assert_int_equal(push(&list, item("a", "z", "", 1)), 0);
    fill[0] = '?'; /* copied */
    assert_string_equal(list.items[0].fill, "normal");
    assert_ptr_equal(list.items[0].fill, list.items[1].fill);
    assert_string_equal(list.items[2].fill, "");
    end(&list);
}

/* What was looked at is given back, what comes after it stays. */
static void items_that_are_done_are_released(void **state)
{
    enum { N = 5000 };
    struct osw_suite_list list = {.arena = osw_arena_create()};
    char text[16];

    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof(text), "%d", i);
        assert_int_equal(push(&list, item("op", text, "", 1)), 0);
    }
    osw_suite_list_release(&list, 0);
    assert_string_equal(list.items[0].case_text, "0");
    osw_suite_list_release(&list, N / 2);
    assert_null(list.items[N / 4].case_text);
    for (int i = N / 2; i < N; i++) {
        snprintf(text, sizeof(text), "%d", i);
        assert_string_equal(list.items[i].case_text, text);
    }
    end(&list);
}

static void every_allocation_failure_is_reported(void **state)
{
    int failures = 0;

    (void)state;
    for (bool struck = true; struck; failures++) {
        struct osw_suite_list list = {.arena = osw_arena_create()};
        struct osw_suite_item it = item("op", "x", "", 1);
        struct osw_error err = OSW_ERROR_INIT;
        int rc;

        chaos_arm(failures);
        rc = osw_suite_list_push(&list, &it, &err);
        struck = chaos_struck();
        end(&list);
        assert_int_equal(rc, struck ? -1 : 0);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
    }
    assert_int_equal(failures, 4); /* items, slots, text, none */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_cases_appear_once_with_their_calls_added),
        cmocka_unit_test(many_cases_stay_apart),
        cmocka_unit_test(more_than_a_million_cases_are_gathered),
        cmocka_unit_test(the_top_is_by_calls_or_by_size_of_each_op),
        cmocka_unit_test(memory_is_bounded_and_the_error_says_by_what),
        cmocka_unit_test(more_cases_than_can_be_counted_are_refused),
        cmocka_unit_test(items_of_an_op_can_be_taken_back),
        cmocka_unit_test(texts_that_repeat_are_kept_once),
        cmocka_unit_test(items_that_are_done_are_released),
        cmocka_unit_test(every_allocation_failure_is_reported),
    };

    return cmocka_run_group_tests_name("ops/suite_list", tests, NULL, NULL);
}
