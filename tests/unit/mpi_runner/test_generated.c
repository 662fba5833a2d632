/* tests/unit/mpi_runner/test_generated.c - what generators said, kept and
 * passed on
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "mpi_runner/campaign/generated.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static const struct osw_generated said[] = {
    {"ops/a/gen_input.py", "correctness", 7, "one\ntwo\n", 8, false},
    {"ops/a/gen_input.py", "benchmark", 7, "", 0, false},
    {"ops/b/gen_input.py", "correctness", 7, "NameError: x", 12, true},
    {"ops/a/gen_input.py", "correctness", 8, "three\n", 6, false},
};

static int keep_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(said); i++)
        osw_generated_keep(&said[i]);
    return 0;
}

static int forget_all(void **state)
{
    (void)state;
    osw_generated_forget();
    return 0;
}

static void what_was_said_is_found_by_generator_request_and_seed(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(said); i++) {
        const struct osw_generated *found =
            osw_generated_find(said[i].path, said[i].asked, said[i].seed);

        assert_non_null(found);
        assert_int_equal(found->n, said[i].n);
        assert_string_equal(found->text, said[i].text);
        assert_int_equal(found->failed, said[i].failed);
    }
    assert_null(osw_generated_find("ops/b/gen_input.py", "correctness", 8));
    assert_null(osw_generated_find("ops/b/gen_input.py", "benchmark", 7));
    assert_null(osw_generated_find("ops/c/gen_input.py", "correctness", 7));
}

static void it_comes_back_from_its_bytes(void **state)
{
    struct osw_text bytes = OSW_TEXT_INIT;
    struct osw_error err = OSW_ERROR_INIT;

    osw_generated_encode(&bytes);
    assert_false(bytes.failed);
    osw_generated_forget();
    assert_null(osw_generated_find(said[0].path, said[0].asked, 7));
    assert_int_equal(osw_generated_decode(bytes.data, bytes.used, &err), 0);
    what_was_said_is_found_by_generator_request_and_seed(state);
    osw_text_free(&bytes);
}

/* A cut between two of them is none. */
static void bytes_that_are_cut_or_changed_are_refused(void **state)
{
    struct osw_text bytes = OSW_TEXT_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    size_t n_whole = 0;

    (void)state;
    osw_generated_encode(&bytes);
    for (size_t n = 0; n < bytes.used; n++) {
        char *cut = malloc(n + 1);

        memcpy(cut, bytes.data, n);
        n_whole += osw_generated_decode(cut, n, &err) == 0;
        free(cut);
    }
    assert_int_equal(n_whole, N_ELEM(said));
    bytes.data[0] ^= 1;
    assert_int_equal(osw_generated_decode(bytes.data, bytes.used, &err), -1);
    assert_int_equal(err.status, OSW_BAD_INPUT);
    osw_text_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_said_is_found_by_generator_request_and_seed),
        cmocka_unit_test(it_comes_back_from_its_bytes),
        cmocka_unit_test(bytes_that_are_cut_or_changed_are_refused),
    };

    return cmocka_run_group_tests_name("generated", tests, keep_all,
                                       forget_all);
}
