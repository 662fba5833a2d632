/* tests/fuzz/fuzz_msg.c - frames and messages from a stranger
 *
 * Input: one byte for the receiver (even: worker, odd: coordinator), then
 * frames, each after its length in two bytes.  Compiled code goes through the
 * coordinator's table, by turns as of two ranks.
 */
#include <stddef.h>
#include <stdint.h>

#include "mpi_runner/transport/msg.h"
#include "mpi_runner/transport/object_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A message that was understood can be said again. */
static void repeat(const struct osw_msg *m)
{
    struct osw_outbox o = OSW_OUTBOX_INIT;
    struct osw_error err = OSW_ERROR_INIT;

    if (osw_msg_post(&o, m, &err) < 0)
        __builtin_trap();
    osw_outbox_free(&o);
}

static bool has_room(void *arg, int rank)
{
    (void)arg;
    (void)rank;
    return true;
}

static int rank; /* that the last message is taken for */

static void pass_on(osw_object_table_t *table, const struct osw_msg *m)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_msg out;
    int to;

    rank = !rank;
    if (m->type == OSW_MSG_WANT)
        osw_object_table_want(table, rank, m->u.want.id);
    if (m->type == OSW_MSG_OBJECT &&
        osw_object_table_take(table, rank, &m->u.object, &err) < 0 &&
        err.status == OSW_OK)
        __builtin_trap();
    while (osw_object_table_next(table, has_room, NULL, &to, &out))
        repeat(&out);
}

static int read_frame(struct osw_inbox *in, osw_object_table_t *table, int to,
                      const void *frame, size_t n, struct osw_error *err)
{
    static struct osw_msg_space space;
    const void *data;
    struct osw_msg m;
    uint8_t type;
    int rc;

    if (osw_inbox_open(in, frame, n, err) < 0)
        return -1;
    while ((rc = osw_inbox_next(in, &type, &data, &n, err)) > 0) {
        if (osw_msg_decode(to, type, data, n, &space, &m, err) < 0)
            return -1;
        repeat(&m);
        pass_on(table, &m);
    }
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct osw_reader r = osw_reader(data, size);
    int to = osw_read_u8(&r) % 2 ? OSW_MSG_TO_COORDINATOR : OSW_MSG_TO_WORKER;
    osw_object_table_t *table = osw_object_table_create(1 << 20);
    struct osw_inbox in = OSW_INBOX_INIT;
    struct osw_error err = OSW_ERROR_INIT;
    int rc = 0;

    if (!table)
        return 0;
    rank = 0;

    while (rc == 0 && !r.overrun && r.used < r.size) {
        size_t n = osw_read_u16(&r);
        const void *frame = osw_read_raw(&r, n);

        if (frame)
            rc = read_frame(&in, table, to, frame, n, &err);
    }
    if (rc < 0 && err.status == OSW_OK)
        __builtin_trap(); /* a failure must say what failed */
    osw_inbox_free(&in);
    osw_object_table_destroy(table);
    return 0;
}
