/* tests/unit/ops/test_opinfo.c - what torch's op database was said to hold */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/cases/opinfo.h"
#include "tests/unit/chaos.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define GOOD                                                                   \
    "torch\t2.11.0, op_db of 2 entries\n"                                      \
    "tests\t3\t2\n"                                                            \
    "left\t79\tentries: not of that dtype\n"                                   \
    "op\taten.add.Tensor\n"                                                    \
    "case\t400100000\t00000000000000ff\t((T([4], f32),), {})\n"                \
    "bad\t400100001\tno\ttab\n"                                                \
    "op\taten.mm.default\n"                                                    \
    "case\t400200000\tffffffffffffffff\t((), {})\n"

struct fixture {
    osw_arena_t *arena;
    struct osw_opinfo info;
    struct osw_error err;
};

#include "tests/unit/arena_fixture.h"

static int parse(struct fixture *f, const char *text, size_t n)
{
    f->err = (struct osw_error)OSW_ERROR_INIT;
    return osw_opinfo_parse(f->arena, text, n, &f->info, &f->err);
}

static void lines_become_cases_of_their_operators(void **state)
{
    struct fixture *f = *state;
    const struct osw_opinfo_case *c;
    const char *words;

    assert_int_equal(parse(f, GOOD, sizeof(GOOD) - 1), 0);
    assert_int_equal(f->info.n_cases, 3);
    assert_int_equal(f->info.n_ops, 2);
    assert_int_equal(f->info.peer_tests, 3);
    c = f->info.cases;
    assert_string_equal(c[0].op, "aten.add.Tensor");
    assert_int_equal(c[0].number, 400100000);
    assert_int_equal(c[0].digest, 255);
    assert_int_equal(c[0].n, strlen("((T([4], f32),), {})"));
    assert_true(c[1].bad && !c[0].bad);
    assert_memory_equal(c[1].text, "no\ttab", c[1].n);
    assert_ptr_equal(c[0].op, c[1].op);
    assert_string_equal(c[2].op, "aten.mm.default");
    assert_true(c[2].digest == UINT64_MAX);
    words = osw_opinfo_words(f->arena, &f->info);
    assert_non_null(strstr(words, "2 tests of 2 operators"));
    assert_non_null(strstr(words, "BackendBench counts 3 tests of 2 ops"));
    assert_non_null(strstr(words, "1 tests without a notation"));
    assert_non_null(strstr(words, "79 entries: not of that dtype"));
}

static void shares_are_put_together(void **state)
{
    static const char text[] =
        "torch\t2.11.0\ntests\t3\t2\n"
        "left\t2\tz\nleft\t1\ta\n"
        "op\taten.mm.default\ncase\t400200001\t00000000000000ff\t((), {})\n"
        "torch\t2.11.0\ntests\t4\t1\n"
        "left\t5\tz\n"
        "op\taten.mm.default\ncase\t400200000\t00000000000000ff\t((), {})\n"
        "op\taten.add.Tensor\nbad\t400300000\tno\n";
    static const char other[] = "torch\t2.11.0\ntorch\t2.10.0\n";
    struct fixture *f = *state;
    const struct osw_opinfo_case *c;

    assert_int_equal(parse(f, text, sizeof(text) - 1), 0);
    c = f->info.cases;
    assert_int_equal(f->info.n_cases, 3);
    assert_int_equal(f->info.n_ops, 2);
    assert_int_equal(f->info.peer_tests, 7);
    assert_int_equal(f->info.peer_ops, 3);
    assert_int_equal(f->info.n_left, 2);
    assert_string_equal(f->info.left[0].why, "a");
    assert_int_equal(f->info.left[1].n, 7);
    assert_string_equal(c[0].op, "aten.add.Tensor");
    assert_int_equal(c[1].number, 400200000);
    assert_ptr_equal(c[1].op, c[2].op);
    assert_int_equal(parse(f, other, sizeof(other) - 1), -1);
}

static void other_lines_are_refused_by_number(void **state)
{
    static const char op[] = "op\taten.a.b\n";
    static const char *const wrong[] = {
        "case\t400100000\t00000000000000ff\t((), {})\n", /* before any op */
        "case\t1\t00000000000000ff\t((), {})\n", /* a gen_input.py's number */
        "case\t400100000\tff\t((), {})\n",
        "case\t400100000\t00000000000000fg\t((), {})\n",
        "case\t4294967296\t00000000000000ff\t((), {})\n",
        "case\t400100000\t00000000000000ff\n",
        "tests\t3\n",
        "left\tmany\twords\n",
        "op\t\n",
        "opaten\n",
        "\n",
        "torch", /* cut short */
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(wrong); i++) {
        char text[256];

        snprintf(text, sizeof(text), "%s%s", i ? op : "", wrong[i]);
        assert_int_equal(parse(f, text, strlen(text)), -1);
        assert_int_equal(f->err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(f->err.text, i ? "line 2" : "line 1"));
    }
}

static void survives_any_text(void **state)
{
    struct fixture *f = *state;
    static char text[sizeof(GOOD)];

    srand(1);
    for (int i = 0; i < 20000; i++) {
        memcpy(text, GOOD, sizeof(GOOD));
        for (int k = rand() % 4; k >= 0; k--)
            text[(size_t)rand() % (sizeof(GOOD) - 1)] =
                "\t\n0fx\xff"[rand() % 6];
        (void)parse(f, text, (size_t)rand() % sizeof(GOOD));
        osw_arena_reset(f->arena);
    }
}

static void memory_may_end_anywhere(void **state)
{
    struct fixture *f = *state;
    bool struck = true;

    for (int n = 0; struck; n++) {
        int rc;

        osw_arena_reset(f->arena);
        chaos_arm(n);
        rc = parse(f, GOOD, sizeof(GOOD) - 1);
        struck = chaos_struck();
        assert_int_equal(rc, struck ? -1 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_become_cases_of_their_operators,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(shares_are_put_together, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(other_lines_are_refused_by_number,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(survives_any_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_may_end_anywhere, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
