/* tests/unit/results/test_entry.c - records of a journal, there and back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results/journal/entry.h"
#include "tests/unit/results/fixture.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

static float samples[OSW_RECORD_MAX_SAMPLES];

/* Encode, then decode from memory that is exactly as large. */
static struct osw_text encode(const struct osw_entry *e)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t = OSW_TEXT_INIT;

    assert_int_equal(osw_entry_encode(e, &t, &err), 0);
    return t;
}

static int decode(const struct osw_text *t, size_t n, uint16_t type,
                  struct osw_entry *out, struct osw_error *err)
{
    unsigned char *exact = malloc(n + 1);
    struct osw_frame frame = {.seq = 9,
                              .type = type,
                              .version = OSW_ENTRY_VERSION,
                              .payload = exact + 1,
                              .payload_bytes = n};
    int rc;

    memcpy(exact + 1, t->data, n);
    rc = osw_entry_decode(&frame, out, samples, err);
    if (rc == 0 && out->type != OSW_ENTRY_RESULT) {
        /* texts are borrowed: let them point into what lives on */
        frame.payload = (const unsigned char *)t->data;
        rc = osw_entry_decode(&frame, out, samples, err);
    }
    free(exact);
    return rc;
}

/* One entry of each type but RESULT, which a test of its own has. */
static struct osw_entry sample(enum osw_entry_type type)
{
    struct osw_entry e = {.type = type};

    switch (type) {
    case OSW_ENTRY_RUN:
        e.run.info = fixture_info();
        break;
    case OSW_ENTRY_PLAN:
        e.plan.n_planned = 12;
        memset(e.plan.sha256, 7, 32);
        break;
    case OSW_ENTRY_DICT:
        e.dict.dict = OSW_DICT_CASE;
        e.dict.id = 4;
        e.dict.text = "((), {})";
        break;
    case OSW_ENTRY_DEVICE:
        e.device.rank = 3;
        e.device.host = "n1";
        e.device.device = "H200";
        break;
    case OSW_ENTRY_BEGIN:
        e.begin.cell = 1;
        e.begin.rank = 2;
        e.begin.attempt = 3;
        break;
    case OSW_ENTRY_RESULT:
        e.result = fixture_record(0);
        break;
    case OSW_ENTRY_EVENT:
        e.event.t_ns = 5;
        e.event.kind = OSW_EVENT_RETRY;
        e.event.rank = -1;
        e.event.value = -7;
        e.event.text = "again";
        break;
    case OSW_ENTRY_END:
        e.end.t_ns = 6;
        e.end.complete = 1;
        break;
    case OSW_ENTRY_SEAL:
        e.seal.n_results = 8;
        e.seal.complete = 1;
        break;
    case OSW_ENTRY_RANK:
        e.rank.rank = 2;
        e.rank.host_id = 1;
        e.rank.wall_ns = 100;
        e.rank.n_cells = 4;
        break;
    case OSW_ENTRY_FACTS:
        e.facts.rank = 3;
        e.facts.info = fixture_device(1);
        break;
    case OSW_ENTRY_SOURCE:
        e.source.op = "aten.mm.default";
        e.source.file = "mm_fast.c";
        memset(e.source.sha256, 9, 32);
        break;
    case OSW_ENTRY_SHARD:
        e.shard = (struct osw_run_shard){.index = 2, .n = 3, .n_cells = 40};
        memset(e.shard.sha256, 8, 32);
        break;
    }
    return e;
}

static void compare(const struct osw_entry *a, const struct osw_entry *b)
{
    switch (a->type) {
    case OSW_ENTRY_RUN:
        assert_string_equal(a->run.info.campaign_json,
                            b->run.info.campaign_json);
        assert_string_equal(a->run.info.uuid, b->run.info.uuid);
        assert_string_equal(a->run.info.profile, b->run.info.profile);
        assert_int_equal(a->run.info.seed, b->run.info.seed);
        assert_int_equal(a->run.info.t_start_ns, b->run.info.t_start_ns);
        assert_int_equal(a->run.info.mpi_size, b->run.info.mpi_size);
        break;
    case OSW_ENTRY_PLAN:
        assert_int_equal(a->plan.n_planned, b->plan.n_planned);
        assert_memory_equal(a->plan.sha256, b->plan.sha256, 32);
        break;
    case OSW_ENTRY_DICT:
        assert_int_equal(a->dict.dict, b->dict.dict);
        assert_int_equal(a->dict.id, b->dict.id);
        assert_string_equal(a->dict.text, b->dict.text);
        break;
    case OSW_ENTRY_DEVICE:
        assert_int_equal(a->device.rank, b->device.rank);
        assert_string_equal(a->device.host, b->device.host);
        assert_string_equal(a->device.device, b->device.device);
        break;
    case OSW_ENTRY_BEGIN:
        assert_memory_equal(&a->begin, &b->begin, sizeof(a->begin));
        break;
    case OSW_ENTRY_RESULT:
        assert_int_equal(a->result.cell_key, b->result.cell_key);
        assert_int_equal(a->result.sample_n, b->result.sample_n);
        assert_memory_equal(a->result.samples, b->result.samples,
                            a->result.sample_n * sizeof(float));
        break;
    case OSW_ENTRY_EVENT:
        assert_int_equal(a->event.t_ns, b->event.t_ns);
        assert_int_equal(a->event.kind, b->event.kind);
        assert_int_equal(a->event.rank, b->event.rank);
        assert_int_equal(a->event.value, b->event.value);
        assert_string_equal(a->event.text, b->event.text);
        break;
    case OSW_ENTRY_END:
        assert_int_equal(a->end.t_ns, b->end.t_ns);
        assert_int_equal(a->end.complete, b->end.complete);
        break;
    case OSW_ENTRY_SEAL:
        assert_int_equal(a->seal.n_results, b->seal.n_results);
        assert_int_equal(a->seal.complete, b->seal.complete);
        break;
    case OSW_ENTRY_RANK:
        assert_memory_equal(&a->rank, &b->rank, sizeof(a->rank));
        break;
    case OSW_ENTRY_FACTS:
        assert_int_equal(a->facts.rank, b->facts.rank);
        assert_string_equal(a->facts.info.uuid, b->facts.info.uuid);
        assert_string_equal(a->facts.info.health, b->facts.info.health);
        assert_int_equal(a->facts.info.memory_bytes,
                         b->facts.info.memory_bytes);
        assert_true(a->facts.info.max_clock_mhz == b->facts.info.max_clock_mhz);
        break;
    case OSW_ENTRY_SOURCE:
        assert_string_equal(a->source.op, b->source.op);
        assert_string_equal(a->source.file, b->source.file);
        assert_memory_equal(a->source.sha256, b->source.sha256, 32);
        break;
    case OSW_ENTRY_SHARD:
        assert_int_equal(a->shard.index, b->shard.index);
        assert_int_equal(a->shard.n, b->shard.n);
        assert_int_equal(a->shard.n_cells, b->shard.n_cells);
        assert_memory_equal(a->shard.sha256, b->shard.sha256, 32);
        break;
    }
}

#define X(number, NAME, field) OSW_ENTRY_##NAME,
static const enum osw_entry_type types[] = {OSW_ENTRY_MAP(X)};
#undef X

static void every_type_comes_back_as_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(types); i++) {
        struct osw_entry e = sample(types[i]), got;
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_text t = encode(&e);

        print_message("  type %d\n", (int)types[i]);
        if (decode(&t, t.used, (uint16_t)types[i], &got, &err))
            fail_msg("%s", err.text);
        assert_int_equal(got.type, types[i]);
        compare(&e, &got);
        osw_text_free(&t);
    }
}

static void a_payload_cut_anywhere_is_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(types); i++) {
        struct osw_entry e = sample(types[i]), got;
        struct osw_text t = encode(&e);

        for (size_t n = 0; n < t.used; n++) {
            struct osw_error err = OSW_ERROR_INIT;

            assert_int_equal(decode(&t, n, (uint16_t)types[i], &got, &err), -1);
            assert_int_equal(err.status, OSW_BAD_INPUT);
            assert_non_null(strstr(err.text, "journal record 9: "));
        }
        osw_text_free(&t);
    }
}

static void a_byte_too_many_is_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ELEM(types); i++) {
        struct osw_entry e = sample(types[i]), got;
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_text t = encode(&e);

        osw_text_add_n(&t, "", 1);
        assert_int_equal(decode(&t, t.used, (uint16_t)types[i], &got, &err),
                         -1);
        osw_text_free(&t);
    }
}

static void numbers_out_of_their_table_are_malformed(void **state)
{
    struct osw_entry dict = sample(OSW_ENTRY_DICT), got;
    struct osw_entry event = sample(OSW_ENTRY_EVENT);
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t;

    (void)state;
    dict.dict.dict = OSW_DICT_COUNT;
    t = encode(&dict);
    assert_int_equal(decode(&t, t.used, OSW_ENTRY_DICT, &got, &err), -1);
    assert_string_equal(err.text, "journal record 9: malformed DICT");
    osw_text_free(&t);
    event.event.kind = OSW_EVENT_COUNT;
    t = encode(&event);
    err = (struct osw_error)OSW_ERROR_INIT;
    assert_int_equal(decode(&t, t.used, OSW_ENTRY_EVENT, &got, &err), -1);
    assert_string_equal(err.text, "journal record 9: malformed EVENT");
    osw_text_free(&t);
}

static void an_unknown_type_or_version_is_passed_over(void **state)
{
    struct osw_frame frame = {
        .type = 999, .version = OSW_ENTRY_VERSION, .payload = (void *)""};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_entry got;

    (void)state;
    assert_int_equal(osw_entry_decode(&frame, &got, samples, &err), 1);
    frame.type = 0;
    assert_int_equal(osw_entry_decode(&frame, &got, samples, &err), 1);
    frame.type = OSW_ENTRY_END;
    frame.version = OSW_ENTRY_VERSION + 1;
    assert_int_equal(osw_entry_decode(&frame, &got, samples, &err), 1);
}

static void the_environment_is_filtered(void **state)
{
    static const char *const allowed[] = {"CUDA_VISIBLE_DEVICES=0",
                                          "NCCL_DEBUG=INFO",
                                          "SLURM_JOB_ID=7",
                                          "OMP_NUM_THREADS=2",
                                          "OMP_X=",
                                          "CUDA_A=b_KEY_TOKEN",
                                          "OPSWEEP_ISOLATION=basic",
                                          "OPSWEEP_REVISION=abc"};
    static const char *const refused[] = {"PATH=/bin",
                                          "AWS_SECRET=x",
                                          "SLURM_JWT=x",
                                          "CUDA_TOKEN=x",
                                          "OPSWEEP_CACHE=x",
                                          "XCUDA_A=1",
                                          "CUDA_A",
                                          "cuda_a=1",
                                          "=",
                                          ""};
    struct osw_entry e = sample(OSW_ENTRY_RUN), got;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_text t;

    (void)state;
    for (size_t i = 0; i < N_ELEM(allowed); i++)
        assert_true(osw_entry_env_allowed(allowed[i]));
    for (size_t i = 0; i < N_ELEM(refused); i++)
        assert_false(osw_entry_env_allowed(refused[i]));
    t = encode(&e);
    assert_int_equal(decode(&t, t.used, OSW_ENTRY_RUN, &got, &err), 0);
    assert_int_equal(got.run.env_bytes, 33);
    assert_memory_equal(got.run.env, "OMP_NUM_THREADS=2\0SLURM_JOB_ID=7", 33);
    osw_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_back_as_written),
        cmocka_unit_test(a_payload_cut_anywhere_is_malformed),
        cmocka_unit_test(a_byte_too_many_is_malformed),
        cmocka_unit_test(numbers_out_of_their_table_are_malformed),
        cmocka_unit_test(an_unknown_type_or_version_is_passed_over),
        cmocka_unit_test(the_environment_is_filtered),
    };

    return cmocka_run_group_tests_name("results/entry", tests, NULL, NULL);
}
