/* tests/unit/build/test_build_found.c - what is found again, and what is not */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/unit/build/build_fixture.h"

static void a_hit_starts_no_compiler(void **state)
{
    struct fixture *f = *state;

    use_compiler(f, "CC", "exec cc \"$@\"");
    get(f);
    assert_false(f->result.cached);
    get(f);
    assert_true(f->result.cached);
    assert_int_equal(count_compiles(f), 1);
    assert_int_equal(count_files(f->cache, ".lock"), 0);
}

/* Build into a folder that is then only read, with words that warn. */
static void ship(struct fixture *f, char *shipped, size_t size)
{
    snprintf(shipped, size, "%s/shipped", f->dir);
    f->request.cache_dir = shipped;
    f->request.warnings = "-Wall -Wextra";
    get(f);
    assert_false(f->result.cached);
    f->request.warnings = NULL;
    f->request.cache_dir = f->cache;
    f->request.objects_dir = shipped;
}

static void a_shipped_object_is_found_and_not_copied(void **state)
{
    struct fixture *f = *state;
    char shipped[96];

    ship(f, shipped, sizeof(shipped));
    get(f);
    assert_true(f->result.cached);
    assert_memory_equal(f->result.path, shipped, strlen(shipped));
    assert_int_equal(answer_of(f->result.path), 42);
    assert_int_equal(count_files(f->cache, ".so"), 0);
}

static void a_shipped_object_of_something_else_is_not_used(void **state)
{
    struct fixture *f = *state;
    char shipped[96];

    ship(f, shipped, sizeof(shipped));
    put(f->header, "#define ANSWER 43\n");
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(answer_of(f->result.path), 43);
    assert_memory_equal(f->result.path, f->cache, strlen(f->cache));
    put(f->header, "#define ANSWER 42\n");
    f->request.words = "-O0";
    get(f);
    assert_false(f->result.cached);
    setenv("OPSWEEP_CFLAGS", "-std=gnu11 -O2", 1);
    f->request.words = NULL;
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(count_files(shipped, ".so"), 1);
}

static void a_shipped_refusal_and_a_missing_folder_are_none(void **state)
{
    struct fixture *f = *state;
    char shipped[96];

    put(f->header, "no C at all\n");
    ship(f, shipped, sizeof(shipped));
    assert_true(f->result.failed);
    get(f);
    assert_true(f->result.failed);
    assert_false(f->result.cached);
    put(f->header, "#define ANSWER 42\n");
    f->request.objects_dir = "/nowhere";
    get(f);
    assert_int_equal(answer_of(f->result.path), 42);
}

static void put_in(const char *dir, const char *name, const char *text)
{
    char path[160];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    put(path, text);
}

/* Headers beside the source, above it, and in the include folder. */
static void a_moved_tree_finds_its_objects(void **state)
{
    struct fixture *f = *state;
    char old[96], new[96], source[128];

    snprintf(old, sizeof(old), "%s/old", f->dir);
    snprintf(new, sizeof(new), "%s/new", f->dir);
    snprintf(source, sizeof(source), "%s/op", old);
    assert_int_equal(mkdir(old, 0700) | mkdir(source, 0700), 0);
    put_in(old, "op/op_x.h", "#define ANSWER (SHARED + 2)\n");
    put_in(old, "shared.h", "#include \"deeper.h\"\n");
    put_in(old, "deeper.h", "#define SHARED 40\n");
    put_in(old, "op/op_x.c",
           "#include <opsweep/op.h>\n#include \"op_x.h\"\n"
           "#include \"../shared.h\"\nint answer(void);\n"
           "int answer(void) { return ANSWER; }\n");
    f->request.source = source;
    snprintf(source, sizeof(source), "%s/op/op_x.c", old);
    get(f);
    assert_int_equal(answer_of(f->result.path), 42);
    assert_int_equal(rename(old, new), 0);
    snprintf(source, sizeof(source), "%s/op/op_x.c", new);
    get(f);
    assert_true(f->result.cached);
    put_in(new, "deeper.h", "#define SHARED 50\n");
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(answer_of(f->result.path), 52);
}

static void a_damaged_manifest_is_as_good_as_none(void **state)
{
    static const char *const damaged[] = {
        "",
        "nonsense",
        "opsweep deps 1",
        "opsweep deps 1\n",
        "opsweep deps 1\ns op_x.h",
        "opsweep deps 1\ns op_x.h\n",
        "opsweep deps 1\ns nowhere.h\n",
        "opsweep deps 1\nz op_x.h\n",
        "opsweep deps 2\ni opsweep/op.h\ns op_x.h\n",
        "opsweep deps 1\na /dev/zero\n",
        "opsweep deps 1\n\n\n\n",
    };
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];

    get(f);
    find_file(f->cache, ".deps", path, sizeof(path));
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        put(path, damaged[i]);
        get(f);
        assert_false(f->result.cached);
        assert_int_equal(answer_of(f->result.path), 42);
        get(f);
        assert_true(f->result.cached);
    }
    assert_int_equal(count_files(f->cache, ".so"), 1);
}

/* Its object is used, but opsweep cannot know when it is out of date. */
static void a_compiler_that_lists_no_files_is_asked_again(void **state)
{
    struct fixture *f = *state;

    use_compiler(f, "CC", "cc \"$@\" && rm \"$TMPDIR/op.d\"");
    for (int i = 0; i < 2; i++) {
        get(f);
        assert_false(f->result.cached);
        assert_int_equal(answer_of(f->result.path), 42);
    }
    put(f->header, "#define ANSWER 43\n");
    get(f);
    assert_int_equal(answer_of(f->result.path), 43);
}

/* Which of the two it read is not known: the object must not be taken for one
 * of what is there now, which was built before.
 */
static void what_is_written_meanwhile_spoils_the_entry(void **state)
{
    static const struct {
        const char *name, *old, *new;
    } rows[] = {
        {"op_x.h", "#define ANSWER 42\n", "#define ANSWER 43\n"},
        {"op_x.c", "int answer(void) { return 42; }\n",
         "int answer(void) { return 43; }\n"},
    };
    struct fixture *f = *state;

    for (int i = 0; i < 2; i++) {
        char script[256];

        snprintf(script, sizeof(script),
                 "cc \"$@\" || exit; cd \"${0%%/*}\"\n"
                 "if grep -q 42 %s; then sleep 0.05; cp new %s; fi",
                 rows[i].name, rows[i].name);
        use_compiler(f, "CC", script);
        put_in(f->dir, "new", rows[i].new);
        put_in(f->dir, rows[i].name, rows[i].new);
        get(f);
        assert_int_equal(answer_of(f->result.path), 43);
        put_in(f->dir, rows[i].name, rows[i].old);
        get(f);
        assert_int_equal(answer_of(f->result.path), 42);
        get(f);
        assert_int_equal(answer_of(f->result.path), 43);
        assert_true(f->result.cached);
    }
}

/* The driver, or what it starts: what is killed once is started again. */
static void a_killed_compiler_is_no_error_of_the_source(void **state)
{
    static const char *const ways[] = {"kill -KILL $$",
                                       "echo 'gcc: fatal error: Killed signal "
                                       "terminated program cc1'\nexit 1"};
    struct fixture *f = *state;

    for (int i = 0; i < 2; i++) {
        char script[256];

        snprintf(script, sizeof(script),
                 "case \"$*\" in *-o*) if [ -e \"${0%%/*}/kills\" ]; then rm "
                 "\"${0%%/*}/kills\"\n%s\nfi;; esac\nexec cc \"$@\"",
                 ways[i]);
        use_compiler(f, "CC", script);
        put_in(f->dir, "kills", "");
        get(f);
        assert_false(f->result.failed);
        assert_string_equal(f->result.output, "");
        assert_int_equal(answer_of(f->result.path), 42);
    }
}

static void a_compile_error_is_found_by_others(void **state)
{
    struct fixture *f = *state;
    char first[OSW_BUILD_MAX_OUTPUT];

    use_compiler(f, "CC", "exec cc \"$@\"");
    put(f->header, "#define ANSWER ANSWR\n");
    get(f);
    assert_true(f->result.failed);
    assert_false(f->result.cached);
    strcpy(first, f->result.output);
    get(f);
    assert_true(f->result.failed);
    assert_true(f->result.cached);
    assert_string_equal(f->result.output, first);
    assert_string_equal(f->result.path, "");
    assert_int_equal(count_compiles(f), 1);

    put(f->header, "#define ANSWER 42\n");
    get(f);
    assert_int_equal(answer_of(f->result.path), 42);
}

static void an_old_compile_error_is_tried_again(void **state)
{
    static const struct timespec old[2] = {{.tv_sec = 1000000000},
                                           {.tv_sec = 1000000000}};
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];

    use_compiler(f, "CC", "exec cc \"$@\"");
    f->request.words = "-lno_such_library";
    get(f);
    assert_true(f->result.failed);
    find_file(f->cache, ".err", path, sizeof(path));
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    get(f);
    assert_true(f->result.failed);
    assert_false(f->result.cached);
    get(f);
    assert_true(f->result.cached);
    assert_int_equal(count_compiles(f), 2);
}

/* No compiler lists what is linked in. */
static void a_library_of_the_op_is_linked_again_when_it_changes(void **state)
{
    static const char *const answers[] = {"42", "43"};
    struct fixture *f = *state;
    char words[160], command[400];

    snprintf(words, sizeof(words), "-L%s -lanswer", f->dir);
    f->request.words = words;
    put(f->source, "int linked(void);\nint answer(void);\n"
                   "int answer(void) { return linked(); }\n");
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof(command),
                 "cd %s && echo 'int linked(void) { return %s; }' >linked.c && "
                 "cc -fPIC -c linked.c && rm -f libanswer.a && "
                 "ar rc libanswer.a linked.o",
                 f->dir, answers[i]);
        assert_int_equal(system(command), 0);
        get(f);
        assert_false(f->result.cached);
        assert_int_equal(answer_of(f->result.path), 42 + i);
        get(f);
        assert_true(f->result.cached);
    }
}

static void a_refusal_before_any_file_was_listed_is_found_too(void **state)
{
    struct fixture *f = *state;

    use_compiler(f, "CC", "exec cc \"$@\"");
    put(f->source, "#include \"nowhere.h\"\n");
    get(f);
    get(f);
    assert_true(f->result.failed);
    assert_true(f->result.cached);
    assert_non_null(strstr(f->result.output, "nowhere.h"));
    assert_int_equal(count_compiles(f), 1);
    /* The next campaign of the same process. */
    f->request.since_unix_ns = osw_clock_unix_ns();
    get(f);
    assert_true(f->result.failed);
    assert_false(f->result.cached);
    assert_int_equal(count_compiles(f), 2);
}

static void what_the_machine_ended_is_tried_again(void **state)
{
    static const char *const ends[] = {
        "echo 'Killed signal terminated program cc1' >&2; exit 1",
        "echo \"nvcc error: 'cicc' died due to signal 9\"; exit 9",
        "echo 'No space left on device'; exit 1",
        "kill -SEGV $$",
        "sleep 60",
    };
    struct fixture *f = *state;

    f->request.deadline_ns = 500 * INT64_C(1000000);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        use_compiler(f, "CC", ends[i]);
        for (int again = 0; again < 2; again++) {
            get(f);
            assert_true(f->result.failed);
            assert_false(f->result.cached);
        }
        assert_int_equal(count_files(f->cache, ".err"), 0);
    }
    assert_int_equal(count_files(f->cache, ".lock"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
        T(a_hit_starts_no_compiler),
        T(a_shipped_object_is_found_and_not_copied),
        T(a_shipped_object_of_something_else_is_not_used),
        T(a_shipped_refusal_and_a_missing_folder_are_none),
        T(a_moved_tree_finds_its_objects),
        T(a_damaged_manifest_is_as_good_as_none),
        T(a_compiler_that_lists_no_files_is_asked_again),
        T(what_is_written_meanwhile_spoils_the_entry),
        T(a_killed_compiler_is_no_error_of_the_source),
        T(a_compile_error_is_found_by_others),
        T(an_old_compile_error_is_tried_again),
        T(a_library_of_the_op_is_linked_again_when_it_changes),
        T(a_refusal_before_any_file_was_listed_is_found_too),
        T(what_the_machine_ended_is_tried_again),
#undef T
    };

    return cmocka_run_group_tests_name("ops/build_found", tests, NULL, NULL);
}
