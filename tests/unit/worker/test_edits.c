/* tests/unit/worker/test_edits.c - what changes before each timed call */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "worker/judge/timing/edited.h"

enum { ZONE = 4096, FLOATS = 100, INDICES = 10, OUT_AT = 2048, OUT = 60 };

static struct osw_edits some_edits(uint64_t seed)
{
    return (struct osw_edits){
        .seed = seed,
        .n_each = 5,
        .pattern = 0xFF,
        .n_inputs = 2,
        .n_outputs = 1,
        .spans = {
            {.at = 256, .n = FLOATS, .size = 4, .kind = OSW_SPAN_COPY},
            {.at = 1024, .n = INDICES, .size = 8, .kind = OSW_SPAN_SWAP},
            {.at = OUT_AT, .n = OUT, .size = 2, .kind = OSW_SPAN_POISON}}};
}

static void fill(unsigned char *zone)
{
    for (int i = 0; i < ZONE; i++)
        zone[i] = (unsigned char)(i * 37 + (i >> 8));
}

/* Inputs are what they were, wherever edits of a call met each other. */
static void undo_brings_inputs_back(void **state)
{
    unsigned char zone[ZONE], before[ZONE];
    struct osw_edits_undo undo = {.n = 0};

    (void)state;
    fill(before);
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct osw_edits e = some_edits(seed);

        if (seed % 2) /* few elements: edits meet */
            e.spans[0].n = e.spans[1].n = 3;
        memcpy(zone, before, sizeof(zone));
        for (uint64_t call = 0; call < 20; call++) {
            osw_edits_apply(&e, call, zone, &undo);
            assert_int_equal(undo.n, e.n_each);
            assert_memory_not_equal(zone, before, OUT_AT);
            osw_edits_undo(zone, &undo);
            assert_int_equal(undo.n, 0);
            assert_memory_equal(zone, before, OUT_AT);
        }
    }
}

/* What is copied anew before each call, and holds outputs after it, stays. */
static void outputs_in_place_are_not_undone(void **state)
{
    unsigned char zone[ZONE], edited[ZONE];
    struct osw_edits_undo undo = {.n = 0};
    struct osw_edits e = some_edits(7);

    (void)state;
    e.spans[0].brought = e.spans[1].brought = true;
    fill(zone);
    osw_edits_apply(&e, 3, zone, &undo);
    assert_int_equal(undo.n, 0);
    memcpy(edited, zone, sizeof(zone));
    osw_edits_undo(zone, &undo);
    assert_memory_equal(zone, edited, sizeof(zone));
}

static void values_stay_in_their_tensor(void **state)
{
    unsigned char zone[ZONE], before[ZONE];
    struct osw_edits e = some_edits(11);
    struct osw_edits_undo undo = {.n = 0};
    int64_t a = 0, b = 0;

    (void)state;
    fill(before);
    for (uint64_t call = 0; call < 100; call++) {
        memcpy(zone, before, sizeof(zone));
        undo.n = 0;
        osw_edits_apply(&e, call, zone, &undo);
        a = b = 0;
        for (int i = 0; i < INDICES; i++) { /* swapped: none is lost */
            int64_t x, y;

            memcpy(&x, before + 1024 + 8 * i, 8);
            memcpy(&y, zone + 1024 + 8 * i, 8);
            a ^= x;
            b ^= y;
        }
        assert_int_equal(a, b);
        assert_memory_equal(zone, before, 256);
        assert_memory_equal(zone + 256 + 4 * FLOATS, before + 256 + 4 * FLOATS,
                            1024 - 256 - 4 * FLOATS);
        assert_memory_equal(zone + OUT_AT + 2 * OUT, before + OUT_AT + 2 * OUT,
                            ZONE - OUT_AT - 2 * OUT);
    }
}

static int host_copies;

static void copy(struct osw_device *dev, void *to, const void *from, uint64_t n)
{
    (void)dev;
    memcpy(to, from, n);
    host_copies++;
}

static void sandbox_and_judge_agree(void **state)
{
    static const struct osw_judge_ops ops = {.copy = copy};
    struct osw_place place = {.ops = &ops};
    struct osw_trial trial = {.place = &place};
    unsigned char zone[ZONE], image[ZONE], before[ZONE];
    struct osw_edits_undo theirs = {.n = 0}, ours;

    (void)state;
    fill(before);
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct osw_edits e = some_edits(seed);

        memcpy(zone, before, sizeof(zone));
        memcpy(image, before, sizeof(zone));
        osw_edits_apply(&e, seed, zone, &theirs);
        osw_edited_apply(&trial, image, false, &e, seed, &ours);
        assert_memory_equal(image, zone, OUT_AT);
        assert_true(osw_edited_is_left(&e, seed, zone));
        osw_edited_undo(&trial, image, &ours);
        osw_edits_undo(zone, &theirs);
        assert_memory_equal(image, before, sizeof(image));
        memset(zone + OUT_AT, 1, 2 * OUT);
        assert_false(osw_edited_is_left(&e, seed, zone));
    }
    assert_true(host_copies > 0);
}

static void the_last_call_is_known(void **state)
{
    static const struct {
        uint32_t n_samples, n_inner;
        bool own_memory;
        uint64_t want;
    } rows[] = {
        {5, 1, false, 4}, {5, 7, false, 34}, {3, 0, false, 2},
        {5, 3, true, 4},  {1, 1, true, 0},   {8, 1, true, 7},
        {9, 1, true, 15}, {16, 2, true, 15}, {17, 0, true, 23},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct osw_time_request ask = {.n_samples = rows[i].n_samples,
                                             .n_inner = rows[i].n_inner};

        assert_int_equal(osw_edited_last(&ask, rows[i].own_memory),
                         rows[i].want);
    }
}

static void messages_carry_them(void **state)
{
    unsigned char bytes[1024];
    struct osw_writer w = osw_writer(bytes, sizeof(bytes));
    struct osw_edits e = some_edits(99), got;
    const struct osw_time_request ask = {
        .n_samples = 3, .n_inner = 2, .edits = &e};
    struct osw_time_request m;
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_reader r;

    (void)state;
    osw_protocol_put_time(&w, &ask);
    r = osw_reader(bytes, w.used);
    assert_int_equal(osw_protocol_kind(&r), OSW_TALK_TIME);
    assert_int_equal(osw_protocol_get_time(&r, ZONE, &got, &m, &err), 0);
    assert_ptr_equal(m.edits, &got);
    for (uint64_t call = 0; call < 10; call++)
        for (uint32_t j = 0; j < e.n_each; j++) {
            struct osw_edit a = osw_edits_at(&e, call, j, false);
            struct osw_edit b = osw_edits_at(&got, call, j, false);

            assert_true(a.to == b.to && a.from == b.from && a.to != a.from);
        }
    /* A span that ends after the zone, and one of no size. */
    for (int i = 0; i < 2; i++) {
        e = some_edits(99);
        if (i)
            e.spans[2].size = 3;
        else
            e.spans[2].n = ZONE;
        w = osw_writer(bytes, sizeof(bytes));
        osw_protocol_put_time(&w, &ask);
        r = osw_reader(bytes, w.used);
        (void)osw_protocol_kind(&r);
        assert_int_equal(osw_protocol_get_time(&r, ZONE, &got, &m, &err), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undo_brings_inputs_back),
        cmocka_unit_test(outputs_in_place_are_not_undone),
        cmocka_unit_test(values_stay_in_their_tensor),
        cmocka_unit_test(sandbox_and_judge_agree),
        cmocka_unit_test(the_last_call_is_known),
        cmocka_unit_test(messages_carry_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
