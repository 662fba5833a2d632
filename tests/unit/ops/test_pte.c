/* tests/unit/ops/test_pte.c - operators of ExecuTorch programs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ops/notation/pte.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* A program, laid out by hand: each table after its layout. */
struct program {
    unsigned char bytes[1024];
    size_t n;
};

static void put(struct program *p, size_t at, uint32_t v, size_t size)
{
    for (size_t i = 0; i < size; i++)
        p->bytes[at + i] = (unsigned char)(v >> 8 * i);
    if (p->n < at + size)
        p->n = at + size;
}

/* Have the offset at `from` lead to `to`. */
static void lead(struct program *p, size_t from, size_t to)
{
    put(p, from, (uint32_t)(to - from), 4);
}

static size_t put_text(struct program *p, const char *s)
{
    size_t at = (p->n + 3) / 4 * 4;

    put(p, at, (uint32_t)strlen(s), 4);
    memcpy(p->bytes + at + 4, s, strlen(s) + 1);
    p->n = at + 4 + strlen(s) + 1;
    return at;
}

static void make(struct program *p, const char *const (*ops)[2], size_t n)
{
    enum { OP_LAYOUT = 52, PLAN = 64, OPS = 72 };

    memset(p, 0, sizeof(*p));
    lead(p, 0, 16);
    memcpy(p->bytes + 4, "ET12", 4);
    put(p, 8, 8, 2);  /* layout of the program: 2 fields */
    put(p, 14, 4, 2); /* the second: 4 bytes on */
    put(p, 16, 8, 4); /* the program; its layout is 8 bytes before */
    lead(p, 20, 24);  /* its plans */
    put(p, 24, 1, 4);
    lead(p, 28, PLAN);
    put(p, 32, 18, 2); /* layout of a plan: 7 fields, the last 4 bytes on */
    put(p, 32 + 4 + 12, 4, 2);
    put(p, OP_LAYOUT, 8, 2); /* layout of an operator: 4 and 8 bytes on */
    put(p, OP_LAYOUT + 4, 4, 2);
    put(p, OP_LAYOUT + 6, 8, 2);
    put(p, PLAN, PLAN - 32, 4);
    lead(p, PLAN + 4, OPS);
    put(p, OPS, (uint32_t)n, 4);
    put(p, OPS + 4 + 4 * n, 0, 4);
    for (size_t i = 0; i < n; i++) {
        size_t op = (p->n + 3) / 4 * 4;

        lead(p, OPS + 4 + 4 * i, op);
        put(p, op, (uint32_t)(op - OP_LAYOUT), 4);
        put(p, op + 8, 0, 4);
        lead(p, op + 4, put_text(p, ops[i][0]));
        lead(p, op + 8, put_text(p, ops[i][1]));
    }
}

static int read_all(const struct program *p, size_t n, struct osw_text *names,
                    struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    struct osw_ops_yaml found = {.n = 0};
    int rc = osw_pte_read(arena, p->bytes, n, &found, err);

    for (size_t i = 0; i < found.n; i++) {
        const struct osw_schema *s = &found.at[i].schema;

        assert_false(found.at[i].is_func);
        osw_text_printf(names, "%s%s/", i ? " " : "", s->ns ? s->ns : "");
        osw_schema_print_name(names, s);
    }
    osw_arena_destroy(arena);
    return rc;
}

static const char *const three[][2] = {
    {"aten::add", "out"}, {"mine::scale", ""}, {"aten::add", "out"}};

static void every_operator_is_named_once(void **state)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text names = OSW_TEXT_INIT;
    struct program p;

    (void)state;
    make(&p, three, N_ELEM(three));
    assert_int_equal(read_all(&p, p.n, &names, &err), 0);
    assert_string_equal(osw_text_str(&names), "aten/add.out mine/scale");
    osw_text_free(&names);
}

static void a_program_cut_anywhere_is_refused(void **state)
{
    struct program p;
    size_t last;

    (void)state;
    make(&p, three, N_ELEM(three));
    last = p.n - 1; /* the last text's zero is not read */
    for (size_t n = 0; n < last; n++) {
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_text names = OSW_TEXT_INIT;
        struct program cut = {.n = n};

        memcpy(cut.bytes, p.bytes, n);
        if (read_all(&cut, n, &names, &err) == 0)
            fail_msg("cut to %zu of %zu bytes: %s", n, p.n,
                     osw_text_str(&names) ? osw_text_str(&names) : "");
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_memory_equal(err.text, "byte ", 5);
        osw_text_free(&names);
    }
}

static void no_byte_makes_it_read_what_is_not_there(void **state)
{
    struct program p;

    (void)state;
    make(&p, three, N_ELEM(three));
    for (size_t i = 0; i < p.n; i++)
        for (int bit = 0; bit < 8; bit++) {
            struct osw_error err = OSW_ERROR_INIT;
            struct osw_text names = OSW_TEXT_INIT;

            p.bytes[i] ^= (unsigned char)(1 << bit);
            (void)read_all(&p, p.n, &names, &err);
            p.bytes[i] ^= (unsigned char)(1 << bit);
            osw_text_free(&names);
        }
}

static void what_is_no_operator_is_said(void **state)
{
    static const char *const bad[][2] = {{"aten::add(Tensor x) -> Tensor", ""}};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text names = OSW_TEXT_INIT;
    struct program p;

    (void)state;
    make(&p, bad, 1);
    assert_int_equal(read_all(&p, p.n, &names, &err), -1);
    assert_non_null(strstr(err.text, "expected an operator's name, found "
                                     "'aten::add(Tensor x)"));
    err = (struct osw_error)OSW_ERROR_INIT;
    memcpy(p.bytes + 4, "TFL3", 4);
    assert_false(osw_pte_is(p.bytes, p.n));
    assert_int_equal(read_all(&p, p.n, &names, &err), -1);
    assert_non_null(strstr(err.text, "byte 4: expected 'ET'"));
    osw_text_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operator_is_named_once),
        cmocka_unit_test(a_program_cut_anywhere_is_refused),
        cmocka_unit_test(no_byte_makes_it_read_what_is_not_there),
        cmocka_unit_test(what_is_no_operator_is_said),
    };

    return cmocka_run_group_tests_name("ops/notation/pte", tests, NULL, NULL);
}
