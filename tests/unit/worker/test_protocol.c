/* tests/unit/worker/test_protocol.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/notation.h"
#include "worker/protocol.h"

enum { ARENA_BYTES = 1 << 16, N_ARGS = 4 };

static unsigned char buffer[OSW_PROTOCOL_MAX_BYTES];

static struct osw_output sample_output(void)
{
    return (struct osw_output){.dtype = OSW_F16,
                               .ndim = 2,
                               .alias = -1,
                               .shares = OSW_SHARES_ARGUMENT + 3,
                               .shape = {3, 4},
                               .strides = {4, 1},
                               .offset = 512,
                               .exact = 1024,
                               .norm = OSW_NO_OFFSET};
}

static struct osw_result *sample_result(void)
{
    struct osw_result *r = calloc(1, sizeof(*r));

    assert_non_null(r);
    r->text = "words";
    r->code = 2;
    r->call_ns = 123;
    r->hash = 0xabcdef;
    r->bytes = 10;
    r->flops = NAN;
    r->guard = OSW_NO_OFFSET;
    r->n_outputs = 1;
    r->outputs[0] = sample_output();
    return r;
}

static size_t write_result(const struct osw_result *r)
{
    struct osw_writer w = osw_writer(buffer, sizeof(buffer));

    osw_protocol_put_result(&w, r);
    assert_false(w.overrun);
    return w.used;
}

static int read_result(size_t n, struct osw_result *r, struct osw_error *err)
{
    struct osw_reader rd = osw_reader(buffer, n);

    assert_int_equal(osw_protocol_kind(&rd), OSW_TALK_RESULT);
    return osw_protocol_get_result(&rd, ARENA_BYTES, N_ARGS, r, err);
}

static void a_result_arrives_as_it_was_sent(void **state)
{
    struct osw_result *sent = sample_result(), *got = calloc(1, sizeof(*got));
    struct osw_error err = OSW_ERROR_INIT;

    (void)state;
    assert_non_null(got);
    assert_int_equal(read_result(write_result(sent), got, &err), 0);
    assert_string_equal(got->text, "words");
    assert_int_equal(got->code, 2);
    assert_int_equal(got->hash, 0xabcdef);
    assert_true(isnan(got->flops));
    assert_int_equal(got->n_outputs, 1);
    assert_int_equal(got->outputs[0].shape[1], 4);
    assert_int_equal(got->outputs[0].exact, 1024);
    assert_int_equal(got->outputs[0].shares, OSW_SHARES_ARGUMENT + 3);
    free(sent);
    free(got);
}

/* Each row damages one field; the decoder must refuse each. */
static void a_lying_result_is_refused(void **state)
{
    enum { N = 13 };

    (void)state;
    for (int spoil = 0; spoil <= N; spoil++) {
        struct osw_result *sent = sample_result();
        struct osw_result *got = calloc(1, sizeof(*got));
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_output *o = &sent->outputs[0];
        int rc;

        assert_non_null(got);
        switch (spoil) {
        case 1:
            o->offset = ARENA_BYTES - 8;
            break; /* ends outside */
        case 2:
            o->offset = 511;
            break; /* misaligned */
        case 3:
            o->shape[0] = INT64_MAX;
            break; /* overflows */
        case 4:
            o->shape[0] = -1;
            break;
        case 5:
            o->strides[0] = -4;
            break; /* reaches before 0 */
        case 6:
            o->exact = ARENA_BYTES - 8;
            break; /* 96 bytes needed */
        case 7:
            sent->guard = ARENA_BYTES - 4096 + 1;
            sent->guard_bytes = 4096;
            break;
        case 8:
            o->ndim = OSW_MAX_NDIM;
            break; /* and sizes below */
        case 9:
            o->alias = N_ARGS; /* no argument of the case */
            break;
        case 10:
            o->alias = -2;
            break;
        case 11:
            o->shares = OSW_SHARES_ARGUMENT + N_ARGS;
            break;
        case 12:
            sent->flops = -1;
            break;
        case 13:
            sent->call_ns = -1;
            break;
        default:
            break;
        }
        if (spoil == 8)
            for (int d = 0; d < OSW_MAX_NDIM; d++)
                o->shape[d] = 1 << 20; /* product overflows */
        rc = read_result(write_result(sent), got, &err);
        if (spoil == 0) {
            assert_int_equal(rc, 0);
        } else {
            assert_int_equal(rc, -1);
            assert_int_equal(err.status, OSW_PROTOCOL);
            assert_true(strlen(err.text) > 0);
        }
        free(sent);
        free(got);
    }
}

static void a_result_cut_anywhere_is_refused(void **state)
{
    struct osw_result *sent = sample_result(), *got = calloc(1, sizeof(*got));
    size_t n = write_result(sent);

    (void)state;
    assert_non_null(got);
    for (size_t cut = 1; cut < n; cut++) {
        struct osw_error err = OSW_ERROR_INIT;

        assert_int_equal(read_result(cut, got, &err), -1);
        assert_int_equal(err.status, OSW_PROTOCOL);
    }
    free(sent);
    free(got);
}

static size_t write_case(osw_arena_t *arena, const char *text,
                         const uint64_t *offsets)
{
    struct osw_writer w = osw_writer(buffer, sizeof(buffer));
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_output want = sample_output();
    struct osw_restore restore = {.to = 64, .from = 128, .bytes = 32};
    struct osw_bound_arg *args;
    struct osw_case c;
    size_t n;

    assert_int_equal(
        osw_notation_parse_case(arena, text, strlen(text), &c, &err), 0);
    assert_int_equal(osw_bind(arena, NULL, &c, &args, &n, &err), 0);
    osw_protocol_put_case(&w, &(struct osw_case_request){
                                  .mode = OSW_MODE_RUN,
                                  .pattern = 0x5a,
                                  .seed = 7,
                                  .n_args = (uint32_t)n,
                                  .args = args,
                                  .offsets = offsets,
                                  .n_expected = 1,
                                  .expected = &want,
                                  .spill = 4096,
                                  .n_restores = 1,
                                  .restores = &restore,
                              });
    assert_false(w.overrun);
    return w.used;
}

static int read_case(osw_arena_t *arena, size_t n, unsigned char *base,
                     struct osw_case_received *got, struct osw_error *err)
{
    struct osw_reader r = osw_reader(buffer, n);
    osw_device device = {OSW_CPU, 0};

    const struct osw_zone_memory zones[OSW_N_ZONES] = {{base, ARENA_BYTES, 0}};

    assert_int_equal(osw_protocol_kind(&r), OSW_TALK_CASE);
    return osw_protocol_get_case(&r, arena, zones, device, got, err);
}

static void a_case_arrives_as_op_code_sees_it(void **state)
{
    static const char text[] =
        "((T([2, 3], f32, stride=(4, 1)), [1, None, T([0], i64)], 2.5, True, "
        "'tanh', bf16), {'alpha': -3})";
    static const uint64_t offsets[] = {256, 1024};
    static unsigned char base[ARENA_BYTES];
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_case_received got;
    const osw_arg *a;

    (void)state;
    assert_int_equal(
        read_case(arena, write_case(arena, text, offsets), base, &got, &err),
        0);
    assert_int_equal(got.n_args, 7);
    a = got.args;
    assert_int_equal(a[0].tag, OSW_ARG_TENSOR);
    assert_ptr_equal(a[0].u.tensor->data, base + 256);
    assert_int_equal(a[0].u.tensor->strides[0], 4);
    assert_int_equal(a[0].u.tensor->dtype.bits, 32);
    assert_int_equal(a[1].tag, OSW_ARG_LIST);
    assert_int_equal(a[1].n, 3);
    assert_int_equal(a[1].u.items[0].u.i, 1);
    assert_int_equal(a[1].u.items[1].tag, OSW_ARG_NONE);
    assert_ptr_equal(a[1].u.items[2].u.tensor->data, base + 1024);
    assert_true(a[2].u.f == 2.5);
    assert_int_equal(a[3].tag, OSW_ARG_BOOL);
    assert_string_equal(a[4].u.s, "tanh");
    assert_int_equal(a[5].u.dtype.code, OSW_BFLOAT);
    assert_string_equal(a[6].name, "alpha");
    assert_int_equal(a[6].u.i, -3);
    assert_int_equal(got.n_restores, 1);
    assert_int_equal(got.restores[0].from, 128);
    assert_int_equal(got.expected[0].shape[0], 3);
    osw_arena_destroy(arena);
}

static void a_tensor_that_begins_elsewhere_has_a_byte_offset(void **state)
{
    static const char text[] = "((T([2], f32, offset=2),), {})";
    static unsigned char base[ARENA_BYTES];
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_case_received got;
    uint64_t at = 264;

    (void)state;
    assert_int_equal(
        read_case(arena, write_case(arena, text, &at), base, &got, &err), 0);
    assert_ptr_equal(got.args[0].u.tensor->data, base + 256);
    assert_int_equal(got.args[0].u.tensor->byte_offset, 8);
    at = 4; /* its memory would begin before the arena */
    assert_int_equal(
        read_case(arena, write_case(arena, text, &at), base, &got, &err), -1);
    assert_string_equal(err.text, "arguments: tensor outside the arena");
    osw_arena_destroy(arena);
}

static void a_case_says_which_zone_it_moves(void **state)
{
    struct osw_case_request m = {.mode = OSW_MODE_RUN, .zone = OSW_ZONE_ARENA};

    (void)state;
    for (int moved = 0; moved < 2; moved++) {
        struct osw_writer w = osw_writer(buffer, sizeof(buffer));
        struct osw_reader r;

        m.moved = moved != 0;
        osw_protocol_put_case(&w, &m);
        r = osw_reader(buffer, w.used);
        assert_int_equal(osw_protocol_kind(&r), OSW_TALK_CASE);
        assert_int_equal(osw_protocol_moved_zone(r),
                         moved ? OSW_ZONE_ARENA : -1);
        assert_int_equal(osw_protocol_moved_zone(osw_reader(buffer + 1, 3)),
                         -1); /* cut short */
    }
}

/* A fuzzer begins with messages of today.  UPDATE_GOLDEN=1 writes them. */
static void expect_seed(const char *name, size_t n)
{
    static unsigned char seed[OSW_PROTOCOL_MAX_BYTES];
    char path[128];
    size_t size;
    FILE *f;

    snprintf(path, sizeof(path), "tests/fuzz/corpus/protocol/%s", name);
    if (getenv("UPDATE_GOLDEN")) {
        f = fopen(path, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(buffer, 1, n, f), n);
        assert_int_equal(fclose(f), 0);
    }
    f = fopen(path, "rb");
    assert_non_null(f);
    size = fread(seed, 1, sizeof(seed), f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(size, n);
    assert_memory_equal(seed, buffer, n);
}

static void seeds_are_messages_of_today(void **state)
{
    static const uint64_t offsets[] = {264, 1024};
    osw_arena_t *arena = osw_arena_create();
    struct osw_result *result = sample_result();

    (void)state;
    expect_seed("case", write_case(arena,
                                   "((T([2, 3], f32, stride=(4, 1), offset=2), "
                                   "[1, None, T([0], i64)], 'tanh', bf16), {})",
                                   offsets));
    result->n_outputs = 1;
    expect_seed("result", write_result(result));
    free(result);
    osw_arena_destroy(arena);
}

static int64_t kind_of(const osw_arg *list)
{
    assert_int_equal(list->tag, OSW_ARG_LIST);
    return list->u.items[list->n].u.i;
}

static void tuples_and_dicts_are_lists_that_say_what_they_were(void **state)
{
    static const char text[] =
        "(([1], (2, [3]), {'a': 4, 'b': (T([1], f32),)}), {})";
    static const uint64_t offsets[] = {512};
    static unsigned char base[ARENA_BYTES];
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_case_received got;
    const osw_arg *a;

    (void)state;
    assert_int_equal(
        read_case(arena, write_case(arena, text, offsets), base, &got, &err),
        0);
    a = got.args;
    assert_int_equal(kind_of(&a[0]), OSW_ITEMS_LIST);
    assert_int_equal(kind_of(&a[1]), OSW_ITEMS_TUPLE);
    assert_int_equal(kind_of(&a[1].u.items[1]), OSW_ITEMS_LIST);
    assert_int_equal(kind_of(&a[2]), OSW_ITEMS_DICT);
    assert_int_equal(a[2].n, 2);
    assert_string_equal(a[2].u.items[0].name, "a");
    assert_int_equal(a[2].u.items[0].u.i, 4);
    assert_string_equal(a[2].u.items[1].name, "b");
    assert_int_equal(kind_of(&a[2].u.items[1]), OSW_ITEMS_TUPLE);
    assert_ptr_equal(a[2].u.items[1].u.items[0].u.tensor->data, base + 512);
    osw_arena_destroy(arena);
}

static void a_case_with_a_tensor_outside_the_arena_is_refused(void **state)
{
    static const uint64_t inside[] = {ARENA_BYTES - 24};
    static const uint64_t outside[] = {ARENA_BYTES - 23};
    static unsigned char base[ARENA_BYTES];
    osw_arena_t *arena = osw_arena_create();
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_case_received got;

    (void)state;
    assert_int_equal(
        read_case(arena, write_case(arena, "((T([6], f32),), {})", inside),
                  base, &got, &err),
        0);
    assert_int_equal(
        read_case(arena, write_case(arena, "((T([6], f32),), {})", outside),
                  base, &got, &err),
        -1);
    assert_non_null(strstr(err.text, "tensor outside the arena"));
    osw_arena_destroy(arena);
}

static void a_rank_is_one_of_its_gang(void **state)
{
    static const struct {
        struct osw_join join;
        bool good;
    } rows[] = {{{0, 2, true}, true},    {{63, 64, false}, true},
                {{2, 2, true}, false},   {{0, 1, true}, false},
                {{0, 0, true}, false},   {{0, 65, true}, false},
                {{9, 65, false}, false}, {{UINT32_MAX, 4, true}, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct osw_writer w = osw_writer(buffer, sizeof(buffer));
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_reader r;
        struct osw_join got;

        osw_protocol_put_join(&w, &rows[i].join);
        r = osw_reader(buffer, w.used);
        assert_int_equal(osw_protocol_kind(&r), OSW_TALK_JOIN);
        assert_int_equal(osw_protocol_get_join(&r, &got, &err),
                         rows[i].good ? 0 : -1);
        if (!rows[i].good)
            assert_int_equal(err.status, OSW_PROTOCOL);
        else
            assert_true(got.rank == rows[i].join.rank &&
                        got.size == rows[i].join.size &&
                        got.one_node == rows[i].join.one_node);
    }
}

/* Of three arguments, so many are of each rank. */
static void ranks_share_the_arguments_of_a_case_evenly(void **state)
{
    static const struct {
        uint32_t rank, world;
        bool good;
    } rows[] = {{0, 0, true},  {2, 3, true},  {3, 3, false}, {0, 2, false},
                {1, 0, false}, {0, 1, false}, {0, 4, false}};
    static unsigned char base[ARENA_BYTES];
    struct osw_bound_arg args[3];

    (void)state;
    memset(args, 0, sizeof(args));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        static const struct osw_value number = {.kind = OSW_VALUE_INT};
        osw_arena_t *arena = osw_arena_create();
        struct osw_writer w = osw_writer(buffer, sizeof(buffer));
        struct osw_case_request m = {.n_args = 3,
                                     .args = args,
                                     .rank = rows[i].rank,
                                     .world = rows[i].world};
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_case_received got;

        for (int k = 0; k < 3; k++)
            args[k] = (struct osw_bound_arg){.name = "", .value = &number};
        osw_protocol_put_case(&w, &m);
        assert_int_equal(read_case(arena, w.used, base, &got, &err),
                         rows[i].good ? 0 : -1);
        if (!rows[i].good)
            assert_int_equal(err.status, OSW_PROTOCOL);
        osw_arena_destroy(arena);
    }
}

static void steps_lie_within_the_window(void **state)
{
    static const struct {
        uint64_t at, bytes;
        bool good;
    } cases[] = {{0, 4096, true},  {4096, 4096, true},
                 {8192, 0, true},  {4097, 4096, false},
                 {0, 8193, false}, {UINT64_MAX, 2, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_step step = {cases[i].at, cases[i].bytes, i % 2 == 1, 0x5A};
        struct osw_error err = OSW_ERROR_INIT;
        unsigned char bytes[64];
        struct osw_writer w = osw_writer(bytes, sizeof(bytes));
        struct osw_step got;
        struct osw_reader r;

        osw_protocol_put_step(&w, &step);
        r = osw_reader(bytes, w.used);
        assert_int_equal(osw_protocol_get_step(&r, 8192, &got, &err),
                         cases[i].good ? 0 : -1);
        if (!cases[i].good)
            continue;
        assert_true(got.at == step.at && got.bytes == step.bytes &&
                    got.again == step.again && got.pattern == step.pattern);
        r = osw_reader(bytes, w.used - 1);
        assert_int_equal(osw_protocol_get_step(&r, 8192, &got, &err), -1);
    }
}

static void samples_are_times(void **state)
{
    static const struct {
        float ns;
        bool good;
    } cases[] = {{0, true},        {12.5F, true},   {9e14F, true},
                 {-1, false},      {NAN, false},    {INFINITY, false},
                 {1.1e15F, false}, {-0.001F, false}};
    static struct osw_time_reply sent, got;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct osw_error err = OSW_ERROR_INIT;
        unsigned char bytes[256];
        struct osw_writer w = osw_writer(bytes, sizeof(bytes));
        struct osw_reader r;

        sent.text = "";
        sent.n = 3;
        sent.samples[i % 3] = cases[i].ns;
        sent.samples[(i + 1) % 3] = 1;
        sent.samples[(i + 2) % 3] = 2;
        osw_protocol_put_samples(&w, &sent);
        r = osw_reader(bytes, w.used);
        assert_int_equal(osw_protocol_kind(&r), OSW_TALK_SAMPLES);
        assert_int_equal(osw_protocol_get_samples(&r, &got, &err),
                         cases[i].good ? 0 : -1);
        if (cases[i].good)
            assert_memory_equal(got.samples, sent.samples, 3 * sizeof(float));
        else
            assert_non_null(strstr(err.text, "expected 0 to 1e+15 ns, found"));
    }
}

static void parts_want_their_kind_first(void **state)
{
    struct osw_result *result = calloc(1, sizeof(*result));
    struct osw_error err = OSW_ERROR_INIT;
    unsigned char byte = OSW_TALK_SAMPLES;
    struct osw_reader r = osw_reader(&byte, 1);

    (void)state;
    assert_non_null(result);
    assert_int_equal(
        osw_protocol_get_result_part(&r, 4096, N_ARGS, result, &err), -1);
    assert_int_equal(err.status, OSW_PROTOCOL);
    free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_is_one_of_its_gang),
        cmocka_unit_test(ranks_share_the_arguments_of_a_case_evenly),
        cmocka_unit_test(steps_lie_within_the_window),
        cmocka_unit_test(samples_are_times),
        cmocka_unit_test(parts_want_their_kind_first),
        cmocka_unit_test(a_result_arrives_as_it_was_sent),
        cmocka_unit_test(a_lying_result_is_refused),
        cmocka_unit_test(a_result_cut_anywhere_is_refused),
        cmocka_unit_test(a_case_arrives_as_op_code_sees_it),
        cmocka_unit_test(a_tensor_that_begins_elsewhere_has_a_byte_offset),
        cmocka_unit_test(a_case_says_which_zone_it_moves),
        cmocka_unit_test(seeds_are_messages_of_today),
        cmocka_unit_test(tuples_and_dicts_are_lists_that_say_what_they_were),
        cmocka_unit_test(a_case_with_a_tensor_outside_the_arena_is_refused),
    };

    return cmocka_run_group_tests_name("worker/protocol", tests, NULL, NULL);
}
