/* tests/unit/common/test_suggest.c - the word that was probably meant */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "common/suggest.h"

static void distance_counts_edits_and_swaps(void **state)
{
    static const struct {
        const char *a, *b;
        size_t want;
    } rows[] = {
        {"", "", 0},
        {"", "abc", 3},
        {"abc", "", 3},
        {"abc", "abc", 0},
        {"abc", "abd", 1},
        {"abc", "acb", 1},
        {"abc", "ac", 1},
        {"abc", "abcd", 1},
        {"kitten", "sitting", 3},
        {"report", "reprot", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        print_message("  case: %s %s\n", rows[i].a, rows[i].b);
        assert_int_equal(osw_suggest_distance(rows[i].a, rows[i].b),
                         rows[i].want);
        assert_int_equal(osw_suggest_distance(rows[i].b, rows[i].a),
                         rows[i].want);
    }
}

static void a_word_that_means_the_same_comes_first(void **state)
{
    static const char *const words[] = {"auto", "cpu", NULL, "cuda"};

    (void)state;
    assert_string_equal(osw_suggest("gpu", words, 4), "cuda");
    assert_string_equal(osw_suggest("gpu", words, 2), "cpu");
    assert_null(osw_suggest("md", words, 4));
}

static void the_nearest_word_is_suggested_when_one_is_near(void **state)
{
    static const char *const words[] = {
        "list", "plan", NULL, "run", "report", "repeat", "custom-ops-root"};
    static const struct {
        const char *word, *want;
    } rows[] = {
        {"lits", "list"},
        {"RUN", "run"},
        {"pln", "plan"},
        {"reprot", "report"},
        {"repeet", "repeat"},
        {"ru", "run"},
        {"xyzzy", NULL},
        {"q", NULL},
        {"", NULL},
        {"listing-all", NULL},
        {"ops-root", "custom-ops-root"},
        {"root", "custom-ops-root"},
        {"repxx", NULL},
        {"repat", "repeat"},
        {"repox", "report"},
        {"rpox", NULL},
        {"cus", "custom-ops-root"},
        {"cu", NULL},
        {"ustom", NULL},
        {"oot", NULL},
        {"s-roo", NULL},
        {"-", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *got = osw_suggest(rows[i].word, words, 7);

        print_message("  case: %s\n", rows[i].word);
        if (rows[i].want)
            assert_string_equal(got, rows[i].want);
        else
            assert_null(got);
    }
}

static void
of_equally_near_words_one_that_begins_the_same_is_taken(void **state)
{
    static const char *const words[] = {"cat", "bat", "qos", "ops"};

    (void)state;
    assert_string_equal(osw_suggest("rat", words, 4), "cat");
    assert_string_equal(osw_suggest("bad", words, 4), "bat");
    assert_string_equal(osw_suggest("os", words, 4), "ops");
}

static void words_beyond_the_limit_are_compared_by_their_beginning(void **state)
{
    char a[200], b[200];

    (void)state;
    memset(a, 'x', sizeof(a));
    memset(b, 'x', sizeof(b));
    a[199] = b[150] = '\0';
    assert_int_equal(osw_suggest_distance(a, b), 0);
    a[0] = 'y';
    assert_int_equal(osw_suggest_distance(a, b), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_edits_and_swaps),
        cmocka_unit_test(the_nearest_word_is_suggested_when_one_is_near),
        cmocka_unit_test(a_word_that_means_the_same_comes_first),
        cmocka_unit_test(
            of_equally_near_words_one_that_begins_the_same_is_taken),
        cmocka_unit_test(
            words_beyond_the_limit_are_compared_by_their_beginning),
    };

    return cmocka_run_group_tests_name("common/suggest", tests, NULL, NULL);
}
