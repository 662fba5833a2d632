/* tests/unit/worker/test_edits.c - what changes before each timed call */
#include <math.h>
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

static struct osw_edits whole_edits(uint64_t seed, uint32_t floats)
{
    struct osw_edits e = some_edits(seed);

    e.whole = true;
    e.spans[0].n = floats;
    e.spans[0].mantissa = 23;
    e.spans[0].doubles = true;
    return e;
}

/* Distinct numbers, and those whose bits have to stay. */
static void fill_floats(unsigned char *zone)
{
    static const float kept[] = {0.0f, -0.0f, 1e-42f, INFINITY};

    fill(zone);
    for (int i = 0; i < FLOATS; i++) {
        float v = i < 4 ? kept[i] : 1.0f + (float)i / 7;

        memcpy(zone + 256 + 4 * i, &v, 4);
    }
    for (int64_t i = 0; i < INDICES; i++)
        memcpy(zone + 1024 + 8 * i, &i, 8);
}

static float float_at(const unsigned char *zone, uint32_t i)
{
    float v;

    memcpy(&v, zone + 256 + 4 * i, 4);
    return v;
}

/* All but one or two, around which they change places; a real number may stay
 * where it was, as another one.
 */
static void all_elements_change(void **state)
{
    unsigned char zone[ZONE], before[ZONE];
    struct osw_edits_undo undo = {.n = 0};

    (void)state;
    fill_floats(before);
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct osw_edits e = whole_edits(seed, FLOATS - (uint32_t)seed);
        int stay = 0;

        memcpy(zone, before, sizeof(zone));
        osw_edits_apply(&e, seed % 7, zone, &undo);
        for (uint32_t i = 0; i < e.spans[0].n; i++)
            stay += float_at(zone, i) == float_at(before, i);
        assert_in_range(stay, 0, 2);
        stay = 0;
        for (size_t at = 1024; at < 1024 + 8 * INDICES; at += 8)
            stay += memcmp(zone + at, before + at, 8) == 0;
        assert_in_range(stay, 0, 2);
        osw_edits_undo(zone, &undo);
        assert_memory_equal(zone, before, OUT_AT);
        assert_null(undo.whole);
    }
}

/* A number's sign and exponent stay, or it is doubled or halved; zero,
 * infinity, subnormal numbers stay.
 */
static void numbers_become_others(void **state)
{
    static const struct {
        uint64_t v;
        uint32_t size, mantissa;
        bool stays;
        int exponent; /* by how much it changes, if that may be doubled */
    } rows[] = {
        {0x3FC00000, 4, 23, false, -1},
        {0x40400000, 4, 23, false, 1},
        {0x3C00, 2, 10, false, -1},
        {0xC000, 2, 10, false, 1},
        {0x3F80, 2, 7, false, -1},
        {0x3FF8000000000000, 8, 52, false, -1},
        {0x00800000, 4, 23, false, 0}, /* half would be subnormal */
        {0x7F000000, 4, 23, false, 0}, /* twice infinite */
        {0x00000000, 4, 23, true, 0},
        {0x80000000, 4, 23, true, 0},
        {0x00000001, 4, 23, true, 0},
        {0x7F800000, 4, 23, true, 0},
        {0x7FC00000, 4, 23, true, 0},
        {0x7C00, 2, 10, true, 0},
        {0xFF80, 2, 7, true, 0},
        {0x3FC00000, 4, 0, true, 0},
        {0x7FF0000000000000, 8, 52, true, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t m = rows[i].mantissa, size = rows[i].size;
        uint64_t v = rows[i].v, bits = 0x0123456789abcdef | 1;
        uint64_t same = osw_edits_other(v, size, m, false, bits);
        uint64_t other = osw_edits_other(v, size, m, true, bits);

        assert_int_equal(same == v, rows[i].stays);
        assert_int_equal(same >> m, v >> m);
        assert_int_equal((int64_t)(other >> m) - (int64_t)(v >> m),
                         rows[i].exponent);
        assert_true(osw_edits_other(other, size, m, true, bits) == v);
    }
}

/* In the judge's image also what is brought before each call; in a zone after
 * the call that is an output.
 */
static void judge_changes_all_of_its_image(void **state)
{
    struct osw_trial trial = {.place = NULL};
    unsigned char zone[ZONE], image[ZONE], before[ZONE];
    struct osw_edits_undo theirs = {.n = 0}, ours;
    struct osw_edits e = whole_edits(5, FLOATS);

    (void)state;
    e.spans[1].brought = true;
    fill_floats(before);
    memcpy(zone, before, sizeof(zone));
    memcpy(image, before, sizeof(zone));
    osw_edits_apply(&e, 3, zone, &theirs);
    assert_true(osw_edited_apply(&trial, image, false, &e, 3, &ours));
    assert_memory_equal(image, zone, OUT_AT);
    osw_edited_undo(&trial, image, &ours);
    assert_memory_equal(image, before, OUT_AT);
    osw_edits_undo(zone, &theirs);
    assert_memory_equal(zone, before, 1024);
    assert_memory_not_equal(zone + 1024, before + 1024, 8 * INDICES);
    memcpy(image, zone, sizeof(zone));
    assert_true(osw_edited_apply(&trial, image, true, &e, 3, &ours));
    assert_memory_equal(image + 1024, zone + 1024, 8 * INDICES);
    assert_int_equal(osw_edited_bytes(&e), 4 * FLOATS + 8 * INDICES);
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
        assert_true(osw_edited_apply(&trial, image, false, &e, seed, &ours));
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
    /* A span that ends after the zone, one of no size, one of no numbers. */
    for (int i = 0; i < 3; i++) {
        e = some_edits(99);
        if (i == 0)
            e.spans[2].n = ZONE;
        else if (i == 1)
            e.spans[2].size = 3;
        else
            e.spans[0].mantissa = 30;
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
        cmocka_unit_test(all_elements_change),
        cmocka_unit_test(numbers_become_others),
        cmocka_unit_test(judge_changes_all_of_its_image),
        cmocka_unit_test(sandbox_and_judge_agree),
        cmocka_unit_test(the_last_call_is_known),
        cmocka_unit_test(messages_carry_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
