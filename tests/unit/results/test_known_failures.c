/* tests/unit/results/test_known_failures.c - the file of what is known, by hand
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "results/history/history.h"
#include "tests/unit/results/fixture.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

struct fixture {
    struct folder folder;
    osw_known_failures_t *known;
    struct osw_error err;
};

static int set_up(void **state)
{
    static struct fixture f;

    memset(&f, 0, sizeof(f));
    *state = &f;
    return folder_make(&f.folder);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    osw_known_failures_free(f->known);
    return folder_remove(&f->folder);
}

static const char *kind_name(int k)
{
    return k < OSW_HISTORY_N_KINDS ? osw_history_name((enum osw_history_kind)k)
                                   : NULL;
}

static osw_known_failures_t *load(struct fixture *f, const char *text)
{
    FILE *out = fopen(f->folder.path, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    osw_known_failures_free(f->known);
    f->err = (struct osw_error)OSW_ERROR_INIT;
    f->known = osw_known_failures_load(f->folder.path, "2026-06-15", kind_name,
                                       &f->err);
    return f->known;
}

#define HEAD        "{\"format\": \"opsweep.known\", \"version\": 1, \"entries\": ["
#define GOOD        "\"reason\": \"r\", \"expires\": \"2026-12-31\"}"
#define LIST(entry) HEAD entry "]}"

/* Each row is wrong in one way, and the message names it. */
static void wrong_files_are_told_by_key(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{", "run.h5:1:"},
        {"[]", "object"},
        {"{\"version\": 1, \"entries\": []}", "'format'"},
        {"{\"format\": \"x\", \"version\": 1, \"entries\": []}",
         "key 'format': expected 'opsweep.known', found 'x'"},
        {"{\"format\": \"opsweep.known\", \"version\": 2, \"entries\": []}",
         "key 'version': expected 1, found 2"},
        {"{\"format\": \"opsweep.known\", \"version\": 1}", "'entries'"},
        {"{\"format\": \"opsweep.known\", \"version\": 1, \"entries\": {}}",
         "key 'entries': expected a list"},
        {LIST("{\"cel\": \"a/b\", \"kind\": \"any\", " GOOD),
         "key 'entries[0].cel': unknown key (did you mean 'cell'?)"},
        {LIST("{\"kind\": \"any\", " GOOD),
         "expected either 'cell' or 'place', found neither"},
        {LIST("{\"cell\": \"a/b\", \"place\": \"n\", \"kind\": \"any\", " GOOD),
         "expected either 'cell' or 'place', found both"},
        {LIST("{\"cell\": \"add\", \"kind\": \"any\", " GOOD),
         "key 'entries[0].cell': expected OP/IMPL or OP/IMPL/CASE, found "
         "'add'"},
        {LIST("{\"cell\": \"\", \"kind\": \"any\", " GOOD),
         "key 'entries[0].cell': expected a text, found an empty one"},
        {LIST("{\"cell\": \"a/b\", " GOOD), "key 'entries[0].kind': missing"},
        {LIST("{\"cell\": \"a/b\", \"kind\": \"slow\", " GOOD),
         "faster, mended, any; found 'slow'"},
        {LIST("{\"cell\": \"a/b\", \"kind\": \"regresed\", " GOOD),
         "found 'regresed' (did you mean 'regressed'?)"},
        {LIST("{\"cell\": \"a/b\", \"kind\": \"any\", \"most\": 0, " GOOD),
         "key 'entries[0].most': expected percent"},
        {LIST("{\"cell\": \"a/b\", \"kind\": \"any\", \"most\": \"5\", " GOOD),
         "key 'entries[0].most': expected a number"},
        {LIST("{\"cell\": \"a/b\", \"kind\": \"any\", \"expires\": "
              "\"2026-12-31\"}"),
         "key 'entries[0].reason': missing"},
        {LIST("{\"cell\": \"a/b\", \"kind\": \"any\", \"reason\": \"r\"}"),
         "key 'entries[0].expires': missing"},
        {LIST("{\"cell\": \"a/b\", \"kind\": \"any\", " GOOD
              ", {\"cell\": \"a/b\", \"kind\": \"any\", \"reason\": \"r\", "
              "\"expires\": \"2026-02-29\"}"),
         "key 'entries[1].expires': expected a day such as 2026-12-31, found "
         "'2026-02-29'"},
        {LIST("7"), "key 'entries[0]': expected an object, found an integer"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < N_ELEM(cases); i++) {
        print_message("  case %zu\n", i);
        assert_null(load(f, cases[i].text));
        assert_int_equal(f->err.status, OSW_BAD_INPUT);
        if (!strstr(f->err.text, cases[i].want))
            fail_msg("expected '%s', found '%s'", cases[i].want, f->err.text);
        assert_non_null(strstr(f->err.text, "run.h5"));
    }
    assert_null(osw_known_failures_load("/nowhere/known.json", "2026-06-15",
                                        kind_name, &f->err));
}

static struct osw_known_failures_thing cell(const char *kind, const char *of,
                                            double effect)
{
    return (struct osw_known_failures_thing){.kind = kind,
                                             .op = "add.Tensor",
                                             .impl = "fast",
                                             .of = of,
                                             .since = "u1",
                                             .effect = effect};
}

static void entries_stand_for_what_they_say(void **state)
{
    static const char text[] =
        LIST("{\"cell\": \"add.*/fast/((T([8]*\", \"kind\": \"regressed\", "
             "\"most\": "
             "10, " GOOD
             ", {\"cell\": \"add.Tensor/f?st\", \"kind\": \"newly-failing\", "
             "\"reason\": \"old\", \"expires\": \"2026-06-14\"}"
             ", {\"cell\": \"add.Tensor/fast\", \"kind\": \"newly-failing\", "
             "\"since\": \"u2\", " GOOD
             ", {\"place\": \"n1*\", \"kind\": \"place\", \"reason\": \"r\", "
             "\"expires\": \"2026-06-15\"}");
    const struct osw_known_failures_thing
        small = cell("regressed", "((T([8], f32),), {})", log(1.09)),
        large = cell("regressed", "((T([8], f32),), {})", log(1.11)),
        other = cell("regressed", "((T([9], f32),), {})", log(1.09)),
        fails = cell("newly-failing", "((T([9], f32),), {})", NAN);
    struct osw_known_failures_thing later = fails, node = {.kind = "place",
                                                           .place = "n17",
                                                           .effect = log(1.1)};
    const struct osw_known_failures_entry *e;
    struct fixture *f = *state;
    int expired;
    size_t n;

    assert_non_null(load(f, text));
    e = osw_known_failures_entries(f->known, &n);
    assert_int_equal(n, 4);
    assert_int_equal(osw_known_failures_find(f->known, &small, &expired), 0);
    assert_int_equal(osw_known_failures_find(f->known, &large, &expired), -1);
    assert_int_equal(expired, -1);
    assert_int_equal(osw_known_failures_find(f->known, &other, &expired), -1);
    assert_int_equal(osw_known_failures_find(f->known, &fails, &expired), -1);
    assert_int_equal(expired, 1);
    later.since = "u2";
    assert_int_equal(osw_known_failures_find(f->known, &later, &expired), 2);
    assert_int_equal(osw_known_failures_find(f->known, &node, &expired), 3);
    node.place = "m17";
    assert_int_equal(osw_known_failures_find(f->known, &node, &expired), -1);
    assert_true(e[1].expired && !e[3].expired); /* the day itself counts */
    assert_int_equal(e[0].n_found, 2);
    assert_int_equal(e[1].n_found, 2);
    assert_int_equal(e[3].n_found, 1);
}

static void each_entry_that_stands_for_a_thing_found_it(void **state)
{
    static const char text[] =
        LIST("{\"cell\": \"add.Tensor/fast\", \"kind\": \"any\", " GOOD
             ", {\"cell\": \"add.*/fast\", \"kind\": \"any\", " GOOD
             ", {\"cell\": \"*\", \"kind\": \"any\", \"reason\": \"old\", "
             "\"expires\": "
             "\"2026-06-14\"}");
    const struct osw_known_failures_thing fails =
        cell("newly-failing", "((T([9], f32),), {})", NAN);
    const struct osw_known_failures_entry *e;
    struct fixture *f = *state;
    int expired;
    size_t n;

    assert_non_null(load(f, text));
    assert_int_equal(osw_known_failures_find(f->known, &fails, &expired), 0);
    assert_int_equal(expired, -1);
    e = osw_known_failures_entries(f->known, &n);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(e[i].n_found, 1);
}

static void patterns_know_stars_and_marks_alone(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool want;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"a*c", "abbc", true},
        {"a*c", "abbd", false},
        {"a?c", "abc", true},
        {"a?c", "ac", false},
        {"*a*a*", "bab", false},
        {"*a*a*", "baba", true},
        {"T([8])", "T([8])", true},
        {"T([8])", "T(8)", false},
        {"a*", "b", false},
        {"ab", "a", false},
        {"**", "x", true},
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(cases); i++) {
        print_message("  '%s' '%s'\n", cases[i].pattern, cases[i].text);
        assert_int_equal(
            osw_known_failures_matches(cases[i].pattern, cases[i].text),
            cases[i].want);
    }
}

static void days_are_of_the_calendar(void **state)
{
    static const char *const good[] = {"2026-01-31", "2024-02-29",
                                       "2000-02-29"};
    static const char *const bad[] = {
        "",           "2026-1-31",  "2026-13-01", "2026-00-10", "2026-04-31",
        "1900-02-29", "2026/01/01", "2026-01-00", "26-01-0101", "2026-01-01x"};

    (void)state;
    for (size_t i = 0; i < N_ELEM(good); i++)
        assert_true(osw_known_failures_is_date(good[i]));
    for (size_t i = 0; i < N_ELEM(bad); i++)
        assert_false(osw_known_failures_is_date(bad[i]));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(wrong_files_are_told_by_key),
        TEST(entries_stand_for_what_they_say),
        TEST(each_entry_that_stands_for_a_thing_found_it),
        TEST(patterns_know_stars_and_marks_alone),
        TEST(days_are_of_the_calendar),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
