/* worker/judge/batch/batch_message.c - the calls of a batch, in one message */
#include "worker/judge/batch/batch_message.h"

#include <string.h>

#include "worker/judge/eval/warm_up.h"

enum { N_BATCHES = OSW_JUDGE_BATCHES };

/* For all calls of a batch; a slower call is judged outside of batches. */
#define DEADLINE_NS INT64_C(2000000000)

/* Where slices begin in a sandbox's window: after the memory that host code
 * works in.  Every other batch uses the second half, so that the judge can
 * check one batch while the sandbox runs the next.
 */
static uint64_t first_slice(const struct osw_batch *b,
                            const struct osw_sandbox *sandbox)
{
    uint64_t first = b->half ? sandbox->env->window_bytes / 2 / OSW_BATCH_PAGE *
                                   OSW_BATCH_PAGE
                             : 0;

    return first + (sandbox->env->device->ops->own_memory ? 0 : b->slot);
}

static uint64_t slice_at(const struct osw_batch *b,
                         const struct osw_sandbox *sandbox, uint32_t step)
{
    return first_slice(b, sandbox) + step * b->slot;
}

struct osw_zone_memory osw_batch_slice_of(const struct osw_batch *b,
                                          const struct osw_sandbox *sandbox,
                                          uint32_t step)
{
    return (struct osw_zone_memory){(unsigned char *)sandbox->window.base +
                                        slice_at(b, sandbox, step),
                                    b->slot, 0};
}

void osw_batch_put_step(const struct osw_batch *b,
                        const struct osw_sandbox *sandbox, uint32_t step,
                        bool again, unsigned char pattern, struct osw_writer *w)
{
    osw_protocol_put_step(w,
                          &(struct osw_step){.at = slice_at(b, sandbox, step),
                                             .bytes = b->slot,
                                             .again = again,
                                             .pattern = pattern});
}

/* A sandbox for file `index` of the op, pinned while it works; NULL: none. */
struct osw_sandbox *osw_batch_take_sandbox(struct osw_batch *b, size_t index)
{
    enum osw_state state;
    char text[64];
    struct osw_sandbox *sandbox =
        index < b->judge->op.n_impls
            ? osw_warm_up_sandbox(&b->cases[0].run, index, &b->spent, &state,
                                  text, sizeof(text))
            : osw_judge_sandbox(b->judge, index, &b->spent.build_ns, &state,
                                text, sizeof(text));

    b->sandbox = OSW_NO_SANDBOX;
    if (!sandbox)
        return NULL;
    b->sandbox = sandbox->id;
    sandbox->zone = OSW_ZONE_WINDOW;
    sandbox->case_id = 0;
    sandbox->mixed = true;
    return sandbox;
}

struct osw_sandbox *osw_batch_sandbox_of(const struct osw_batch *b)
{
    return osw_pool_find(&b->judge->pool, b->sandbox);
}

void osw_batch_leave_sandbox(struct osw_batch *b)
{
    struct osw_sandbox *sandbox = osw_batch_sandbox_of(b);
    struct osw_sandbox_id id = b->sandbox;
    bool used = false;

    b->sandbox = OSW_NO_SANDBOX;
    for (int i = 0; i < N_BATCHES; i++)
        used = used || osw_sandbox_same(b->all[i].sandbox, id);
    if (sandbox && !used)
        sandbox->pinned = false;
}

void osw_batch_begin_message(struct osw_batch *b)
{
    b->message.used = 0;
    b->message.overrun = false;
    osw_write_u8(&b->message, OSW_TALK_STEPS);
    osw_write_u32(&b->message, 0); /* their number, later */
}

/* Of so many steps. */
void osw_batch_end_message(struct osw_batch *b, uint32_t n)
{
    memcpy(b->message.data + 1, &n, sizeof(n));
    b->asked = n;
}

/* Send it to the sandbox that it was made for; if there are no steps, or they
 * did not fit, nothing.
 */
void osw_batch_send_message(struct osw_batch *b)
{
    struct osw_sandbox *sandbox = osw_batch_sandbox_of(b);

    if (sandbox && b->asked > 0 && !b->message.overrun) {
        (void)osw_sandbox_take_output(sandbox); /* of others */
        sandbox->pinned = true;
        if (osw_sandbox_send(sandbox, &b->message) == 0)
            return;
    }
    osw_batch_leave_sandbox(b);
}

static bool read_results(struct osw_batch *b, struct osw_reader *r)
{
    uint64_t hashes[OSW_PROTOCOL_MAX_STEPS];
    struct osw_error err = OSW_ERROR_INIT;
    uint32_t n = osw_read_u32(r);

    if (n == 0 || n != b->asked)
        return false;
    for (uint32_t i = 0; i < n; i++)
        hashes[i] = osw_read_u64(r);
    for (uint32_t i = 0; i < n; i++) {
        struct osw_result *result = &b->judge->results[i];

        if (osw_protocol_get_result_part(r, b->slot, b->n_args, result, &err) <
            0)
            return false;
        result->hash = hashes[i];
    }
    return osw_reader_done(r);
}

/* Read the results of all steps to judge->results; false: there are none, for
 * any reason, and the sandbox must not be used again.
 */
bool osw_batch_receive(struct osw_batch *b)
{
    struct osw_sandbox *sandbox = osw_batch_sandbox_of(b);
    int64_t deadline = b->cases[0].run.deadline_ns;
    struct osw_reader r;

    if (sandbox &&
        osw_sandbox_receive(sandbox, OSW_TALK_RESULTS,
                            deadline < DEADLINE_NS ? deadline : DEADLINE_NS,
                            &r) == 0 &&
        read_results(b, &r) && osw_sandbox_take_output(sandbox)[0] == '\0')
        return true;
    osw_pool_drop(&b->judge->pool, b->sandbox);
    return false;
}
