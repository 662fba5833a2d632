/* tests/unit/worker/test_work.c - bytes that a call of a case moves */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "worker/judge/timing/work.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

enum { PLANNED = 7 };

/* A case of 1,024 and 64 bytes, and one output of 32 elements of f32. */
static const char case_text[] = "((T([16, 16], f32), T([16], f32)), {})";

static void what_is_read_and_written_by_table(void **state)
{
    static const struct {
        const char *what, *reads;
        bool reads_all, known, in_place;
        int32_t alias;
        uint32_t shares;
        double work; /* by <op>_work; NaN: none */
        double bytes, least, written;
    } rows[] = {
        /* clang-format off */
        { "no description",      NULL, false, true,  false, -1, 0, NAN, 1088 + 128, 128, 128 },
        { "all is read",        NULL, true,  true,  false, -1, 0, NAN, 1088 + 128, 1088 + 128, 128 },
        { "a part is",  "bytes(arg1)", false, true,  false, -1, 0, NAN, 64 + 128, 64 + 128, 128 },
        { "nothing is",          "0", false, true,  false, -1, 1, NAN, 128, 128, 128 },
        { "the reference knows", "0", false, true,  false, -1, 0, 5, 5, 5, 128 },
        { "a view",             NULL, true,  true,  false, -1, OSW_SHARES_ARGUMENT + 1, NAN, 1088, NAN, 128 },
        { "a view, known",      NULL, true,  true,  false, -1, OSW_SHARES_ARGUMENT, 5, 5, NAN, 128 },
        { "in place",           NULL, true,  true,  true,   0, 0, NAN, 1088 + 1024, 1088 + 1024, 1024 },
        { "no outputs known",   NULL, true,  false, false, -1, 0, NAN, PLANNED, NAN, 128 },
        { "does not fit", "dim(arg0, 9)", false, true, false, -1, 0, NAN, PLANNED, NAN, 128 },
        /* clang-format on */
    };
    osw_arena_t *arena = osw_arena_create();

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        static const int64_t shape[] = {32}, strides[] = {1};
        const struct osw_op op = {.reads = rows[i].reads,
                                  .reads_all = rows[i].reads_all};
        struct osw_oracle_output output = {
            .as_run = {.alias = rows[i].alias, .shares = rows[i].shares},
            .desc = {.dtype = OSW_F32,
                     .ndim = 1,
                     .shape = shape,
                     .strides = strides}};
        const struct osw_oracle_result oracle = {.have_shapes = rows[i].known,
                                                 .n_outputs = 1,
                                                 .outputs = &output,
                                                 .bytes = rows[i].work};
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_work_bytes got;
        struct osw_trial trial;

        print_message("  case: %s\n", rows[i].what);
        assert_int_equal(osw_trial_make(arena, &op, case_text, "normal, normal",
                                        1, 1 << 20, &trial, &err),
                         0);
        trial.tensors[0].written = rows[i].in_place;
        got = osw_work_bytes(&op, &trial, &oracle, PLANNED);
        assert_true(got.bytes == rows[i].bytes);
        assert_true(isnan(rows[i].least) ? isnan(got.least)
                                         : got.least == rows[i].least);
        if (!isnan(got.least))
            assert_true(got.read == fmax(got.least - rows[i].written, 0));
    }
    osw_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_and_written_by_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
