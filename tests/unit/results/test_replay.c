/* tests/unit/results/test_replay.c - a journal, read back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/journal/journal.h"
#include "results/journal/replay.h"
#include "tests/unit/chaos.h"
#include "tests/unit/results/fixture.h"

static int set_up(void **state)
{
    static struct folder f;

    *state = &f;
    return folder_make(&f);
}

static int tear_down(void **state)
{
    return folder_remove(*state);
}

static struct osw_replay *load(const struct folder *f)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r = osw_replay_load(f->journal, &err);

    if (!r)
        fail_msg("%s", err.text);
    return r;
}

/* The journal of the fixture, recorded and left. */
static void record(const struct folder *f, unsigned leave_out)
{
    struct osw_error err = OSW_ERROR_INIT;
    osw_run_t *run = fixture_start(f->path, leave_out, &err);

    if (!run || osw_run_commit(run, &err))
        fail_msg("%s", err.text);
    osw_run_close(run);
}

static osw_journal_t *open_again(const struct folder *f)
{
    static const struct osw_journal_config config = {.relaxed = true};
    struct osw_error err = OSW_ERROR_INIT;
    osw_journal_t *j = osw_journal_open(f->journal, &config, &err);

    assert_non_null(j);
    return j;
}

static void close_whole(osw_journal_t *j)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_int_equal(osw_journal_commit(j, &err), 0);
    osw_journal_close(j);
}

static void add_entry(osw_journal_t *j, const struct osw_entry *e)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t = OSW_TEXT_INIT;

    assert_int_equal(osw_entry_encode(e, &t, &err), 0);
    assert_int_equal(osw_journal_append(j, (uint16_t)e->type, OSW_ENTRY_VERSION,
                                        t.data, t.used, &err),
                     0);
    osw_text_free(&t);
}

/* An entry appended to an existing journal by hand. */
static void append(const struct folder *f, const struct osw_entry *e)
{
    osw_journal_t *j = open_again(f);

    add_entry(j, e);
    close_whole(j);
}

static struct osw_entry result_of(uint64_t cell, enum osw_state state)
{
    struct osw_entry e = {.type = OSW_ENTRY_RESULT};

    osw_record_init(&e.result);
    e.result.cell = cell;
    e.result.status_id = (uint8_t)state;
    return e;
}

static void append_result(const struct folder *f, uint64_t cell,
                          enum osw_state state)
{
    struct osw_entry e = result_of(cell, state);

    append(f, &e);
}

static void rows_are_sorted_by_cell(void **state)
{
    struct osw_replay *r;

    record(*state, 1 << 1);
    r = load(*state);
    assert_int_equal(r->n_rows, 5);
    assert_int_equal(r->n_planned, 6);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(r->rows[i].cell, i < 1 ? i : i + 1);
    assert_int_equal(r->rows[0].status, OSW_STATE_PASS);
    assert_int_equal(r->rows[1].status, OSW_STATE_VALUE);
    assert_int_equal(r->rows[0].sample_n, 3);
    assert_int_equal(r->n_samples, 4);
    osw_replay_destroy(r);
}

/* More than are sorted at once, their cells far apart, each of them twice: as
 * LOST, then as what it is.
 */
static void nor_do_many_rows_lose_their_order(void **state)
{
    enum { MANY = 3000, STEP = 1000003 };
    const struct folder *f = *state;
    struct osw_replay *r;
    osw_journal_t *j;

    record(f, 0x3f);
    j = open_again(f);
    for (uint64_t i = 0; i < 2 * MANY; i++) {
        uint64_t cell = i * 1237 % MANY * STEP; /* 1237 and MANY: coprime */
        struct osw_entry e = result_of(cell, i < MANY     ? OSW_STATE_LOST
                                             : cell & 256 ? OSW_STATE_VALUE
                                                          : OSW_STATE_PASS);

        add_entry(j, &e);
    }
    close_whole(j);
    r = load(f);
    assert_int_equal(r->n_rows, MANY);
    assert_int_equal(r->n_superseded, MANY);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(r->rows[i].cell, i * STEP);
        assert_int_equal(r->rows[i].status,
                         i * STEP & 256 ? OSW_STATE_VALUE : OSW_STATE_PASS);
    }
    osw_replay_destroy(r);
}

static void the_run_is_known_again(void **state)
{
    struct osw_replay *r;

    record(*state, 0);
    r = load(*state);
    assert_string_equal(r->info.uuid, "01234567-89ab-4cde-8f01-23456789abcd");
    assert_string_equal(r->info.campaign_json, "{ \"suite\": \"smoke\" }\n");
    assert_string_equal(r->info.tool_version, "1.2.3");
    assert_int_equal(r->info.seed, 42);
    assert_int_equal(r->n_env, 2);
    assert_string_equal(r->env_keys[0], "OMP_NUM_THREADS");
    assert_string_equal(r->env_values[0], "2");
    assert_string_equal(r->env_keys[1], "SLURM_JOB_ID");
    assert_int_equal(r->n_devices, 2);
    assert_int_equal(r->devices[1].rank, 2);
    assert_string_equal(
        osw_dicts_text(r->dicts, OSW_DICT_HOST, r->devices[1].host_id), "n2");
    assert_string_equal(r->devices[0].info.health, "ok");
    assert_string_equal(r->devices[1].info.health, "it smokes; cure: water");
    assert_string_equal(r->devices[1].info.driver, "580.65.06");
    assert_true(r->devices[1].info.max_clock_mhz == 1980);
    assert_int_equal(r->n_ranks, 1);
    assert_int_equal(r->ranks[0].idle_ns, 93);
    assert_int_equal(r->ranks[0].host_id, r->devices[1].host_id);
    assert_false(r->ended);
    osw_replay_destroy(r);
}

/* A journal of before has the name of a device and nothing else. */
static void a_device_without_facts_has_its_name(void **state)
{
    struct osw_entry e = {.type = OSW_ENTRY_DEVICE,
                          .device = {5, "n3", "H200"}};
    struct osw_replay *r;

    record(*state, 0);
    append(*state, &e);
    r = load(*state);
    assert_int_equal(r->n_devices, 3);
    assert_int_equal(r->devices[2].rank, 5);
    assert_string_equal(r->devices[2].info.name, "H200");
    assert_string_equal(r->devices[2].info.kind, "");
    assert_int_equal(r->devices[2].info.index, -1);
    osw_replay_destroy(r);
}

static void facts_of_no_device_are_refused(void **state)
{
    struct osw_entry e = {.type = OSW_ENTRY_FACTS, .facts = {.rank = 9}};
    struct osw_error err = OSW_ERROR_INIT;
    const struct folder *f = *state;

    record(*state, 0);
    append(*state, &e);
    assert_null(osw_replay_load(f->journal, &err));
    assert_non_null(strstr(err.text, "no device of rank 9 before"));
}

static void a_record_is_read_at_its_place(void **state)
{
    static unsigned char buffer[OSW_RECORD_MAX_BYTES];
    static float samples[OSW_RECORD_MAX_SAMPLES];
    struct osw_error err = OSW_ERROR_INIT;
    osw_replay_reader_t *reader;
    struct osw_record got;
    struct osw_replay *r;

    record(*state, 0);
    r = load(*state);
    reader = osw_replay_reader_open(r, &err);
    assert_non_null(reader);
    for (size_t i = 0; i < 6; i++) {
        struct osw_record want = fixture_record(i);

        assert_int_equal(
            osw_replay_read(reader, &r->rows[i], buffer, samples, &got, &err),
            0);
        assert_int_equal(got.cell_key, want.cell_key);
        assert_int_equal(got.sample_n, want.sample_n);
        assert_memory_equal(got.samples, want.sample_n ? want.samples : samples,
                            want.sample_n * sizeof(float));
        assert_true(osw_dicts_is(r->dicts, OSW_DICT_REASON, got.reason_id,
                                 want.reason));
    }
    osw_replay_reader_close(reader);
    osw_replay_destroy(r);
}

static void of_several_results_the_first_verdict_counts(void **state)
{
    static const struct {
        const char *what;
        enum osw_state first, second, counts;
    } cases[] = {
        {"two verdicts", OSW_STATE_PASS, OSW_STATE_VALUE, OSW_STATE_PASS},
        {"lost, then judged", OSW_STATE_LOST, OSW_STATE_VALUE, OSW_STATE_VALUE},
        {"judged, then lost", OSW_STATE_VALUE, OSW_STATE_LOST, OSW_STATE_VALUE},
        {"lost, then its device", OSW_STATE_LOST, OSW_STATE_DEVICE,
         OSW_STATE_DEVICE},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_replay *r;

        print_message("  case: %s\n", cases[i].what);
        record(*state, 1 << 3);
        append_result(*state, 3, cases[i].first);
        append_result(*state, 3, cases[i].second);
        r = load(*state);
        assert_int_equal(r->n_rows, 6);
        assert_int_equal(r->n_superseded, 1);
        assert_int_equal(r->rows[3].cell, 3);
        assert_int_equal(r->rows[3].status, cases[i].counts);
        osw_replay_destroy(r);
        folder_remove(*state);
        assert_int_equal(folder_make(*state), 0);
    }
}

static void expect_bad(const struct folder *f, const char *why)
{
    struct osw_error err = OSW_ERROR_INIT;

    assert_null(osw_replay_load(f->journal, &err));
    assert_int_equal(err.status, OSW_BAD_INPUT);
    if (!strstr(err.text, why))
        fail_msg("'%s' does not say '%s'", err.text, why);
}

static void a_result_with_an_unknown_text_is_an_error(void **state)
{
    struct osw_entry e = {.type = OSW_ENTRY_RESULT};

    record(*state, 0);
    osw_record_init(&e.result);
    e.result.status_id = OSW_STATE_PASS;
    e.result.fill_id = 77;
    append(*state, &e);
    expect_bad(*state, "no entry 77 in /dict/fill");
}

static void a_text_out_of_order_is_an_error(void **state)
{
    struct osw_entry e = {.type = OSW_ENTRY_DICT};

    record(*state, 0);
    e.dict.dict = OSW_DICT_IMPL;
    e.dict.id = 5;
    e.dict.text = "third";
    append(*state, &e);
    expect_bad(*state, "entry 5 of /dict/impl is out of order");
}

static void a_text_told_twice_is_an_error(void **state)
{
    struct osw_entry e = {.type = OSW_ENTRY_DICT};

    record(*state, 0);
    e.dict.dict = OSW_DICT_OP;
    e.dict.id = 1;
    e.dict.text = "rms";
    append(*state, &e);
    expect_bad(*state, "entry 1 of /dict/op is out of order");
}

static void a_cell_beyond_what_a_row_holds_is_an_error(void **state)
{
    record(*state, 0);
    append_result(*state, UINT64_C(1) << 32, OSW_STATE_PASS);
    expect_bad(*state, "cells are below 4294967296");
}

/* The dictionaries of a journal, as its writer holds them. */
static osw_dicts_t *writers_dicts(const struct folder *f)
{
    struct osw_replay *r = load(f);
    osw_dicts_t *dicts = osw_replay_take_dicts(r);

    osw_replay_destroy(r);
    return dicts;
}

static void the_writers_texts_are_not_kept_twice(void **state)
{
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_replay *r, *own;
    osw_dicts_t *dicts;

    record(f, 0);
    r = load(f);
    dicts = writers_dicts(f);
    own = osw_replay_load_own(f->journal, dicts, &err);
    assert_non_null(own);
    assert_ptr_equal(own->dicts, dicts);
    assert_int_equal(own->n_rows, r->n_rows);
    assert_int_equal(own->n_devices, r->n_devices);
    for (int d = 0; d < OSW_DICT_COUNT; d++)
        assert_int_equal(osw_dicts_count(dicts, (enum osw_dict)d),
                         osw_dicts_count(r->dicts, (enum osw_dict)d));
    osw_replay_destroy(own);
    assert_string_equal(osw_dicts_text(dicts, OSW_DICT_OP, 1), "rms");
    osw_dicts_destroy(dicts);
    osw_replay_destroy(r);
}

static void a_writer_with_other_texts_is_refused(void **state)
{
    const struct folder *f = *state;

    record(f, 0);
    for (int more = 0; more < 2; more++) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_dicts_t *dicts = more ? writers_dicts(f) : osw_dicts_create_lean();
        uint32_t id;
        bool is_new;

        assert_int_equal(osw_dicts_intern(dicts, OSW_DICT_OP, "of no journal",
                                          &id, &is_new, NULL),
                         0);
        assert_null(osw_replay_load_own(f->journal, dicts, &err));
        assert_int_equal(err.status, OSW_BAD_INPUT);
        assert_non_null(strstr(err.text, more
                                             ? "entries in /dict/op, its writer"
                                             : "out of order"));
        osw_dicts_destroy(dicts);
    }
}

static void a_journal_without_a_run_is_an_error(void **state)
{
    static const uint8_t sha[32];
    const struct osw_journal_config config = {
        .uuid = "u", .campaign_sha256 = sha, .tool_version = "1"};
    const struct folder *f = *state;
    struct osw_error err = OSW_ERROR_INIT;

    osw_journal_close(osw_journal_create(f->journal, &config, &err));
    expect_bad(f, "ends before it says what is run");
}

static void the_last_end_counts(void **state)
{
    struct osw_entry e = {.type = OSW_ENTRY_END};
    struct osw_replay *r;
    uint64_t seq;

    record(*state, 0);
    e.end.t_ns = 1;
    append(*state, &e);
    e.end.t_ns = 2;
    e.end.complete = 1;
    append(*state, &e);
    r = load(*state);
    assert_true(r->ended && r->complete);
    assert_int_equal(r->t_end_ns, 2);
    seq = r->last_seq;
    osw_replay_destroy(r);
    e = (struct osw_entry){.type = OSW_ENTRY_SEAL};
    append(*state, &e);
    r = load(*state);
    assert_int_equal(r->last_seq, seq); /* a seal is not part of the run */
    osw_replay_destroy(r);
}

static void every_allocation_failure_is_reported(void **state)
{
    const struct folder *f = *state;
    int failures = 0;

    record(f, 0);
    for (bool struck = true; struck; failures += struck) {
        struct osw_error err = OSW_ERROR_INIT;
        osw_replay_reader_t *reader = NULL;
        struct osw_replay *r;

        chaos_arm(failures);
        r = osw_replay_load(f->journal, &err);
        if (r)
            reader = osw_replay_reader_open(r, &err);
        struck = chaos_struck();
        assert_int_equal(reader == NULL, struck);
        assert_int_equal(err.status, struck ? OSW_NO_MEMORY : OSW_OK);
        osw_replay_reader_close(reader);
        osw_replay_destroy(r);
    }
    assert_true(failures > 10);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(rows_are_sorted_by_cell),
        T(nor_do_many_rows_lose_their_order),
        T(the_run_is_known_again),
        T(a_device_without_facts_has_its_name),
        T(facts_of_no_device_are_refused),
        T(a_record_is_read_at_its_place),
        T(of_several_results_the_first_verdict_counts),
        T(a_result_with_an_unknown_text_is_an_error),
        T(a_text_out_of_order_is_an_error),
        T(a_text_told_twice_is_an_error),
        T(a_cell_beyond_what_a_row_holds_is_an_error),
        T(the_writers_texts_are_not_kept_twice),
        T(a_writer_with_other_texts_is_refused),
        T(a_journal_without_a_run_is_an_error),
        T(the_last_end_counts),
        T(every_allocation_failure_is_reported),
    };
#undef T

    return cmocka_run_group_tests_name("results/replay", tests, NULL, NULL);
}
