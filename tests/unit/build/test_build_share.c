/* tests/unit/build/test_build_share.c - objects that another process of the
 * campaign made */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ops/build/build_cache.h"
#include "ops/build/build_command.h"
#include "ops/build/build_share.h"
#include "tests/unit/build/build_fixture.h"

/* The rest of the campaign: says first, then again and again `answer`. */
static struct {
    enum osw_build_answer first, answer;
    int n_wanted, n_given_up, n_offered, n_refusals, n_none;
    char dir[80], id[OSW_BUILD_NAME_SIZE];
    char
        stored[OSW_BUILD_MAX_PATH]; /* copied to ID.so on STORED; "": nothing */
} rest;

static void copy_to_store(const char *from, const char *id)
{
    char command[2 * OSW_BUILD_MAX_PATH + 64];

    snprintf(command, sizeof(command), "cp '%s' '%s/%s.so'", from, rest.dir,
             id);
    assert_int_equal(system(command), 0);
}

static enum osw_build_answer want(void *arg, const char *id)
{
    enum osw_build_answer answer = rest.n_wanted ? rest.answer : rest.first;

    (void)arg;
    strcpy(rest.id, id);
    if (answer == OSW_BUILD_STORED && rest.stored[0])
        copy_to_store(rest.stored, id);
    rest.n_wanted++;
    return answer;
}

static void give_up(void *arg, const char *id)
{
    (void)arg;
    assert_string_equal(id, rest.id);
    rest.n_given_up++;
}

static void offer(void *arg, const char *id,
                  const struct osw_build_result *result)
{
    (void)arg;
    rest.n_offered += result && !result->failed;
    rest.n_refusals += result && result->failed;
    rest.n_none += !result;
    if (result && !result->failed)
        copy_to_store(result->path, id);
}

static struct osw_build_share share = {
    .dir = rest.dir, .want = want, .give_up = give_up, .offer = offer};

static int set_up_share(void **state)
{
    struct fixture *f;
    int rc = set_up(state);

    f = *state;
    memset(&rest, 0, sizeof(rest));
    snprintf(rest.dir, sizeof(rest.dir), "%.70s/node", f->dir);
    f->request.share = &share;
    return rc < 0 ? rc : mkdir(rest.dir, 0700);
}

static void in_store(const struct fixture *f)
{
    assert_int_equal(strncmp(f->result.path, rest.dir, strlen(rest.dir)), 0);
    assert_int_equal(count_files(rest.dir, ".lock"), 0);
}

static void what_is_made_is_offered_and_then_found_in_the_folder(void **state)
{
    struct fixture *f = *state;

    rest.answer = OSW_BUILD_MAKE;
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(rest.n_offered, 1);
    in_store(f);
    assert_int_equal(answer_of(f->result.path), 42);

    rest.n_wanted = 0;
    get(f);
    assert_true(f->result.cached);
    assert_int_equal(rest.n_wanted, 0);
    assert_int_equal(rest.n_offered, 1);
    in_store(f);
}

/* Another process made it: neither source nor build cache is opened. */
static void what_came_needs_neither_source_nor_cache(void **state)
{
    struct fixture *f = *state;

    f->request.share = NULL;
    get(f);
    strcpy(rest.stored, f->result.path);
    f->request.share = &share;
    f->request.cache_dir = "/proc/nowhere";
    assert_int_equal(unlink(f->source), 0);
    rest.answer = OSW_BUILD_STORED;
    get(f);
    assert_true(f->result.cached);
    assert_int_equal(rest.n_offered, 0);
    in_store(f);
    assert_int_equal(answer_of(f->result.path), 42);
}

static void alone_it_is_built_as_ever(void **state)
{
    struct fixture *f = *state;

    rest.first = rest.answer = OSW_BUILD_ALONE;
    get(f);
    assert_false(f->result.cached);
    assert_int_equal(rest.n_offered + rest.n_none, 0);
    assert_int_equal(strncmp(f->result.path, f->cache, strlen(f->cache)), 0);
    assert_int_equal(count_files(rest.dir, ".lock"), 0);
}

/* It was put there, and removed again. */
static void what_is_not_in_the_folder_is_built_as_ever(void **state)
{
    struct fixture *f = *state;

    rest.first = rest.answer = OSW_BUILD_STORED;
    get(f);
    assert_int_equal(strncmp(f->result.path, f->cache, strlen(f->cache)), 0);
    assert_int_equal(answer_of(f->result.path), 42);
}

static void it_waits_no_longer_than_its_deadline(void **state)
{
    struct fixture *f = *state;

    f->request.deadline_ns = 3000 * INT64_C(1000000);
    get(f);
    assert_int_equal(rest.n_given_up, 1);
    assert_int_equal(answer_of(f->result.path), 42);
    assert_int_equal(count_files(rest.dir, ".lock"), 0);
}

/* Another process of the node asked for it, and was stopped then. */
static void a_process_that_is_stopped_is_not_waited_for(void **state)
{
    struct fixture *f = *state;
    int fd;

    rest.first = rest.answer = OSW_BUILD_ALONE;
    get(f); /* tells the id */
    assert_int_equal(osw_build_cache_lock(rest.dir, rest.id, &fd, &f->err), 1);
    rest.n_wanted = 0;
    f->request.deadline_ns = 3000 * INT64_C(1000000);
    get(f);
    assert_int_equal(rest.n_wanted + rest.n_given_up, 0);
    assert_int_equal(answer_of(f->result.path), 42);
    assert_int_equal(count_files(rest.dir, ".lock"), 1); /* still held */
    close(fd);
}

static void a_refusal_is_offered_and_one_that_came_is_a_verdict(void **state)
{
    struct fixture *f = *state;
    char path[OSW_BUILD_MAX_PATH];

    rest.first = rest.answer = OSW_BUILD_MAKE;
    put(f->source, "int answer(void) { return ANSWR; }\n");
    get(f);
    assert_true(f->result.failed);
    assert_int_equal(rest.n_refusals, 1);

    snprintf(path, sizeof(path), "%s/%s.err", rest.dir, rest.id);
    put(path, "from elsewhere: ANSWR");
    get(f);
    assert_true(f->result.failed);
    assert_true(f->result.cached);
    assert_string_equal(f->result.output, "from elsewhere: ANSWR");
    assert_int_equal(rest.n_refusals, 1);
}

/* What a deadline ended says nothing of the source. */
static void what_did_not_come_to_an_end_is_not_offered(void **state)
{
    struct fixture *f = *state;

    rest.first = rest.answer = OSW_BUILD_MAKE;
    use_compiler(f, "CC", "sleep 60");
    f->request.deadline_ns = 500 * INT64_C(1000000);
    get(f);
    assert_true(f->result.failed);
    assert_int_equal(rest.n_none, 1);
    assert_int_equal(rest.n_refusals, 0);

    unsetenv("CC");
    f->request.source = "/nowhere/op_x.c";
    assert_int_equal(osw_build_get(&f->request, &f->result, &f->err), -1);
    assert_int_equal(rest.n_none, 2);
}

static void several_are_asked_for_together(void **state)
{
    struct fixture *f = *state;
    struct osw_build_request requests[3] = {f->request, f->request, f->request};
    static struct osw_build_result results[3];

    rest.first = rest.answer = OSW_BUILD_MAKE;
    requests[1].words = "-DB";
    requests[2].words = "-DC";
    assert_int_equal(osw_build_get_all(requests, results, 3, 2, &f->err), 0);
    assert_int_equal(rest.n_offered, 3);
    assert_int_equal(count_files(rest.dir, ".so"), 3);
    assert_int_equal(count_files(rest.dir, ".lock"), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(answer_of(results[i].path), 42);
}

/* By names, not by what is in the files. */
static void ids_differ_by_all_that_is_asked(void **state)
{
    struct fixture *f = *state;
    char first[OSW_BUILD_NAME_SIZE], id[OSW_BUILD_NAME_SIZE];
    struct osw_build_request r = f->request;

    assert_int_equal(osw_build_command_id(&r, first, &f->err), 0);
    put(f->source, "int other;\n");
    assert_int_equal(osw_build_command_id(&r, id, &f->err), 0);
    assert_string_equal(id, first);
    r.words = "-lm";
    assert_int_equal(osw_build_command_id(&r, id, &f->err), 0);
    assert_string_not_equal(id, first);
    r = f->request;
    r.source = "/elsewhere/op_x.c";
    assert_int_equal(osw_build_command_id(&r, id, &f->err), 0);
    assert_string_not_equal(id, first);
    r = f->request;
    r.include_dir = "/elsewhere";
    assert_int_equal(osw_build_command_id(&r, id, &f->err), 0);
    assert_string_not_equal(id, first);
    setenv("OPSWEEP_CFLAGS", "-O0", 1);
    assert_int_equal(osw_build_command_id(&f->request, id, &f->err), 0);
    assert_string_not_equal(id, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up_share, tear_down)
        T(what_is_made_is_offered_and_then_found_in_the_folder),
        T(what_came_needs_neither_source_nor_cache),
        T(alone_it_is_built_as_ever),
        T(what_is_not_in_the_folder_is_built_as_ever),
        T(it_waits_no_longer_than_its_deadline),
        T(a_process_that_is_stopped_is_not_waited_for),
        T(a_refusal_is_offered_and_one_that_came_is_a_verdict),
        T(what_did_not_come_to_an_end_is_not_offered),
        T(several_are_asked_for_together),
        T(ids_differ_by_all_that_is_asked),
#undef T
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
