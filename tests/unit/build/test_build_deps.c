/* tests/unit/build/test_build_deps.c - the files that a build read */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ops/build/build_deps.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define FIRST     "opsweep deps 1\n"

static void rules_become_manifests(void **state)
{
    static const struct {
        const char *source, *include_dir, *rule, *manifest; /* NULL: refused */
    } rows[] = {
        /* clang-format off */
        { "/t/op/x.c", "/t/inc", "op: /t/op/x.c", FIRST },
        { "/t/op/x.c", "/t/inc", "op: /t/op/x.c /t/op/x.h /t/op/../s.h \\\n /t/inc/o/op.h /else.h\n",
          FIRST "s x.h\ns ../s.h\ni o/op.h\na /else.h\n" },
        { "/t/op/x.cu", "/t/inc", "op : /t/op/x.cu \\\n    /t/op/x.h \\\n    /t/inc/o/op.h\n",
          FIRST "s x.h\ni o/op.h\n" },
        { "/t/op/x.c", "/t", "op: /t/op/x.h /t/o.h /t/opx.h", FIRST "s x.h\ni o.h\ni opx.h\n" },
        { "/t/x.c", "/t/inc/", "op: /t/x.h /t/inc/o.h", FIRST "s x.h\ni o.h\n" },
        { "op/x.c", "inc", "op: op/x.c op/x.h inc/o.h sys.h", FIRST "s x.h\ni o.h\na sys.h\n" },
        { "./op/x.c", "./inc", "op: op/x.c op/x.h ./inc/o.h", FIRST "s x.h\ni o.h\n" },
        { "x.c", "inc", "op: x.c x.h d/y.h inc/o.h ../z.h", FIRST "s x.h\ns d/y.h\ni o.h\ns ../z.h\n" },
        { "x.c", "inc", "op: a\\ b.h c\\#d$$.h e\\f.h", FIRST "s a b.h\ns c#d$.h\ns e\\f.h\n" },
        { "x.c", "inc", "op:\\\n a.h\nb.h: c.h\n", FIRST "s a.h\n" },
        { "/t/op/x.c", "/t/inc", "op: /t/op/ /t/op", FIRST "a /t/op/\na /t/op\n" },
        { "x.c", "inc", "op:", FIRST },
        { "x.c", "inc", "op: ./", FIRST "a ./\n" },
        { "x.c", "inc", "", NULL },
        { "x.c", "inc", "no colon", NULL },
        { "x.c", "inc", "op: a\tb.h", NULL },
        { "x.c", "inc", "op: a.h\r\n", NULL },
        /* clang-format on */
    };

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        const struct osw_build_roots roots = {
            .source = rows[i].source, .include_dir = rows[i].include_dir};
        struct osw_text got = OSW_TEXT_INIT;
        int rc = osw_build_deps_from_rule(rows[i].rule, strlen(rows[i].rule),
                                          &roots, &got);

        print_message("  %s\n", rows[i].rule);
        assert_int_equal(rc, rows[i].manifest ? 0 : -1);
        if (rc == 0)
            assert_string_equal(osw_text_str(&got), rows[i].manifest);
        osw_text_free(&got);
    }
}

struct fixture {
    char dir[64], source[80], header[80];
    struct osw_build_roots roots;
};

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
    static struct fixture f;

    strcpy(f.dir, "/tmp/test_build_deps.XXXXXX");
    assert_non_null(mkdtemp(f.dir));
    snprintf(f.source, sizeof(f.source), "%s/x.c", f.dir);
    snprintf(f.header, sizeof(f.header), "%s/x.h", f.dir);
    put(f.header, "one");
    f.roots =
        (struct osw_build_roots){.source = f.source, .include_dir = f.dir};
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    unlink(f->header);
    return rmdir(f->dir);
}

static int name_of(const struct fixture *f, const char *manifest, size_t n,
                   const char *key, char *name)
{
    return osw_build_deps_name(manifest, n, &f->roots, key, name, NULL);
}

static void contents_key_and_lines_make_the_name(void **state)
{
    static const char *const manifests[] = {
        FIRST, FIRST "s x.h\n", FIRST "i x.h\n", FIRST "s x.h\ns x.h\n"};
    struct fixture *f = *state;
    char names[N_ELEM(manifests)][OSW_BUILD_NAME_SIZE];
    char name[OSW_BUILD_NAME_SIZE];

    for (size_t i = 0; i < N_ELEM(manifests); i++) {
        assert_int_equal(
            name_of(f, manifests[i], strlen(manifests[i]), "key", names[i]), 0);
        assert_int_equal(strlen(names[i]), 64);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(names[i], names[k]);
    }
    assert_int_equal(
        name_of(f, manifests[1], strlen(manifests[1]), "other", name), 0);
    assert_string_not_equal(name, names[1]);
    put(f->header, "two");
    assert_int_equal(
        name_of(f, manifests[1], strlen(manifests[1]), "key", name), 0);
    assert_string_not_equal(name, names[1]);
    put(f->header, "one");
    assert_int_equal(
        name_of(f, manifests[1], strlen(manifests[1]), "key", name), 0);
    assert_string_equal(name, names[1]);
}

/* Each row is wrong in one way. */
static void what_is_no_manifest_is_refused(void **state)
{
#define ROW(text)                                                              \
    {                                                                          \
        text, sizeof(text) - 1                                                 \
    }
    static const struct {
        const char *text;
        size_t n;
    } rows[] = {
        /* clang-format off */
        ROW(""),
        ROW("opsweep deps 1"),
        ROW("opsweep deps 2\ns x.h\n"),
        ROW(FIRST "s x.h"),
        ROW(FIRST "s\n"),
        ROW(FIRST "s \n"),
        ROW(FIRST "\n"),
        ROW(FIRST "sx.h\n"),
        ROW(FIRST "b x.h\n"),
        ROW(FIRST "s x.h\0\n"),
        ROW(FIRST "s nowhere.h\n"),
        ROW(FIRST "a /dev/zero\n"),
        ROW(FIRST "a /\n"),
        /* clang-format on */
    };
#undef ROW
    struct fixture *f = *state;
    char name[OSW_BUILD_NAME_SIZE];

    for (size_t i = 0; i < N_ELEM(rows); i++) {
        print_message("  row %zu\n", i);
        assert_int_equal(name_of(f, rows[i].text, rows[i].n, "key", name), -1);
    }
}

static void limits_are_kept(void **state)
{
    struct fixture *f = *state;
    struct osw_text text = OSW_TEXT_INIT, rule = OSW_TEXT_INIT;
    char name[OSW_BUILD_NAME_SIZE];

    osw_text_add(&text, FIRST);
    for (int i = 0; i < OSW_BUILD_DEPS_MAX_FILES; i++)
        osw_text_add(&text, "s x.h\n");
    assert_int_equal(name_of(f, osw_text_str(&text), text.used, "key", name),
                     0);
    osw_text_add(&text, "s x.h\n");
    assert_int_equal(name_of(f, osw_text_str(&text), text.used, "key", name),
                     -1);

    osw_text_reset(&text);
    osw_text_add(&rule, "op: /");
    for (int i = 0; i < PATH_MAX; i++)
        osw_text_add(&rule, "x");
    assert_int_equal(osw_build_deps_from_rule(osw_text_str(&rule), rule.used,
                                              &f->roots, &text),
                     -1);
    osw_text_free(&text);
    osw_text_free(&rule);
}

static void the_newest_file_is_told(void **state)
{
    static const struct timespec old[2] = {{.tv_sec = 1000000000},
                                           {.tv_sec = 1000000000}};
    struct fixture *f = *state;
    char name[OSW_BUILD_NAME_SIZE];
    int64_t newest_ns = -1;

    assert_int_equal(utimensat(AT_FDCWD, f->header, old, 0), 0);
    assert_int_equal(osw_build_deps_name(FIRST "s x.h\n",
                                         strlen(FIRST "s x.h\n"), &f->roots,
                                         "key", name, &newest_ns),
                     0);
    assert_int_equal(newest_ns, 1000000000 * INT64_C(1000000000));
}

/* Through links and dots.  Another release has other times, a file that is
 * none of it counts by its contents.
 */
static void cuda_is_known_by_one_file(void **state)
{
    static const struct timespec old[2] = {{.tv_sec = 1000000000},
                                           {.tv_sec = 1000000000}};
    struct fixture *f = *state;
    const char *base = strrchr(f->dir, '/') + 1;
    const struct osw_build_roots roots = {.source = "/else/x.cu",
                                          .include_dir = "/inc"};
    struct osw_text got = OSW_TEXT_INIT;
    char names[2][OSW_BUILD_NAME_SIZE], rule[512], want[256], runtime[128];

    snprintf(runtime, sizeof(runtime), "%s/cuda_runtime.h", f->dir);
    put(runtime, "");
    snprintf(rule, sizeof(rule),
             "op: /else/x.cu %s/../%s/cuda_runtime.h %s/x.h %s/../%s/x.h "
             "/proc/version %s/nowhere.h",
             f->dir, base, f->dir, f->dir, base, f->dir);
    snprintf(want, sizeof(want),
             FIRST "t %s/../%s/cuda_runtime.h\na /proc/version\na "
                   "%s/nowhere.h\n",
             f->dir, base, f->dir);
    assert_int_equal(osw_build_deps_from_rule(rule, strlen(rule), &roots, &got),
                     0);
    assert_string_equal(osw_text_str(&got), want);

    snprintf(want, sizeof(want), FIRST "t %s\n", runtime);
    assert_int_equal(name_of(f, want, strlen(want), "key", names[0]), 0);
    assert_int_equal(utimensat(AT_FDCWD, runtime, old, 0), 0);
    assert_int_equal(name_of(f, want, strlen(want), "key", names[1]), 0);
    assert_string_not_equal(names[0], names[1]);
    assert_int_equal(unlink(runtime), 0);
    assert_int_equal(name_of(f, want, strlen(want), "key", names[1]), -1);
    osw_text_free(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_become_manifests),
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(contents_key_and_lines_make_the_name),
        T(what_is_no_manifest_is_refused),
        T(limits_are_kept),
        T(the_newest_file_is_told),
        T(cuda_is_known_by_one_file),
#undef T
    };

    return cmocka_run_group_tests_name("ops/build_deps", tests, NULL, NULL);
}
