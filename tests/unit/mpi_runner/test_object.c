/* test_object.c - compiled code as messages: cut, joined, verified */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "mpi_runner/transport/object.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))
#define ID        "aa112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static unsigned char bytes[3 * OSW_MSG_MAX_CHUNK + 1];

static struct osw_object make(uint32_t size)
{
    struct osw_object o = {
        .id = ID, .kind = OSW_OBJECT_CODE, .data = bytes, .size = size};

    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    osw_object_sum(&o);
    return o;
}

static void objects_of_any_size_arrive_as_they_were(void **state)
{
    static const struct {
        uint32_t size, n_chunks;
    } rows[] = {{1, 1},
                {OSW_MSG_MAX_CHUNK - 1, 1},
                {OSW_MSG_MAX_CHUNK, 1},
                {OSW_MSG_MAX_CHUNK + 1, 2},
                {3 * OSW_MSG_MAX_CHUNK + 1, 4}};

    (void)state;
    for (size_t i = 0; i < N_ELEM(rows); i++) {
        struct osw_object o = make(rows[i].size);
        struct osw_object_parts parts = {.data = NULL};
        struct osw_error err = OSW_ERROR_INIT;
        uint32_t at = 0, n = 0;
        int rc = 0;

        while (at < o.size) {
            struct osw_msg m = osw_object_cut(&o, at);

            assert_int_equal(rc, 0);
            rc = osw_object_join(&parts, &m.u.object, &err);
            at += m.u.object.n;
            n++;
        }
        assert_int_equal(rc, 1);
        assert_int_equal(n, rows[i].n_chunks);
        assert_int_equal(parts.size, o.size);
        assert_int_equal(parts.kind, OSW_OBJECT_CODE);
        assert_memory_equal(parts.data, bytes, o.size);
        osw_object_parts_free(&parts);
    }
}

static void one_other_bit_is_refused(void **state)
{
    static const uint32_t places[] = {0, OSW_MSG_MAX_CHUNK,
                                      2 * OSW_MSG_MAX_CHUNK - 1};

    (void)state;
    for (size_t i = 0; i < N_ELEM(places); i++) {
        struct osw_object o = make(2 * OSW_MSG_MAX_CHUNK);
        struct osw_object_parts parts = {.data = NULL};
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_msg m;

        bytes[places[i]] ^= 0x10;
        m = osw_object_cut(&o, 0);
        assert_int_equal(osw_object_join(&parts, &m.u.object, &err), 0);
        m = osw_object_cut(&o, OSW_MSG_MAX_CHUNK);
        assert_int_equal(osw_object_join(&parts, &m.u.object, &err), -1);
        assert_int_equal(err.status, OSW_PROTOCOL);
        assert_non_null(strstr(err.text, "7600 bytes of code with SHA-256"));
        assert_null(parts.data);
    }
}

/* Each wrong in one way, after a good first chunk. */
static void chunks_that_do_not_follow_are_refused(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 4; wrong++) {
        struct osw_object o = make(3 * OSW_MSG_MAX_CHUNK);
        struct osw_object_parts parts = {.data = NULL};
        struct osw_error err = OSW_ERROR_INIT;
        struct osw_msg m = osw_object_cut(&o, 0);

        assert_int_equal(osw_object_join(&parts, &m.u.object, &err), 0);
        m = osw_object_cut(&o, OSW_MSG_MAX_CHUNK);
        if (wrong == 0)
            m.u.object.offset = 2 * OSW_MSG_MAX_CHUNK;
        if (wrong == 1)
            m.u.object.size++;
        if (wrong == 2)
            m.u.object.kind = OSW_OBJECT_REFUSAL;
        if (wrong == 3)
            m.u.object.sha256 = ID;
        assert_int_equal(osw_object_join(&parts, &m.u.object, &err), -1);
        assert_non_null(strstr(err.text, "code's bytes from "));
        assert_null(parts.data);
    }
}

static void a_chunk_without_a_beginning_is_refused(void **state)
{
    struct osw_object o = make(2 * OSW_MSG_MAX_CHUNK);
    struct osw_object_parts parts = {.data = NULL};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg m = osw_object_cut(&o, OSW_MSG_MAX_CHUNK);

    (void)state;
    assert_int_equal(osw_object_join(&parts, &m.u.object, &err), -1);
}

/* Its sender was lost and came back, or another one took over. */
static void an_object_may_begin_anew(void **state)
{
    struct osw_object o = make(2 * OSW_MSG_MAX_CHUNK);
    struct osw_object_parts parts = {.data = NULL};
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg first = osw_object_cut(&o, 0);
    struct osw_msg last = osw_object_cut(&o, OSW_MSG_MAX_CHUNK);

    (void)state;
    assert_int_equal(osw_object_join(&parts, &first.u.object, &err), 0);
    assert_int_equal(osw_object_join(&parts, &first.u.object, &err), 0);
    assert_int_equal(osw_object_join(&parts, &last.u.object, &err), 1);
    assert_memory_equal(parts.data, bytes, o.size);
    osw_object_parts_free(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_of_any_size_arrive_as_they_were),
        cmocka_unit_test(one_other_bit_is_refused),
        cmocka_unit_test(chunks_that_do_not_follow_are_refused),
        cmocka_unit_test(a_chunk_without_a_beginning_is_refused),
        cmocka_unit_test(an_object_may_begin_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
