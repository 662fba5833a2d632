/* worker/judge/inputs/generated.c - inputs that gen_input.py makes */
#include "worker/judge/inputs/generated.h"

#include <stdlib.h>
#include <string.h>

/* Other repetitions have other random values. */
#define REP_STEP UINT64_C(0x9e3779b97f4a7c15)

enum { AHEAD = 16, ALIGN = 4096 };

static const char *name_of(double drawn)
{
    return drawn < OSW_OPINFO_FIRST ? "gen_input.py" : "opinfo";
}

/* The fill of the first tensor that a generator fills; NULL: none. */
static const struct osw_fill *find_drawn(const struct osw_trial *trial)
{
    for (size_t i = 0; i < trial->n_tensors; i++)
        if (osw_fill_is_drawn(trial->fills[i].kind))
            return &trial->fills[i];
    return NULL;
}

bool osw_generated_any(const struct osw_trial *trial)
{
    return find_drawn(trial) != NULL;
}

static struct osw_sandbox *generator_box(struct osw_judge *judge,
                                         const struct osw_fill *drawn,
                                         struct osw_error *err)
{
    enum osw_state state;
    int64_t ns = 0;
    char text[512];
    struct osw_sandbox *sandbox;

    if (drawn->a < OSW_OPINFO_FIRST && !judge->op.cases_py) {
        osw_fail(err, OSW_BAD_INPUT, "%s: no gen_input.py to generate inputs",
                 judge->op.dir);
        return NULL;
    }
    sandbox = osw_judge_sandbox(judge, osw_judge_generator(judge, drawn->a),
                                &ns, &state, text, sizeof(text));
    if (!sandbox)
        osw_fail(err, state == OSW_STATE_DEVICE ? OSW_DEVICE : OSW_BAD_INPUT,
                 "%s: %s", name_of(drawn->a), text);
    return sandbox;
}

static int sync_all(struct osw_generated_job *jobs, size_t n,
                    struct osw_error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct osw_place *place = jobs[i].trial->place;

        if ((i == 0 || place->device != jobs[i - 1].trial->place->device) &&
            place->ops->sync(place->device, err) < 0)
            return -1;
    }
    return 0;
}

/* Into the window from `at` on, which holds the image: what lies around
 * elements goes there and comes back as it was.
 */
static int put(const struct osw_generated_job *job, uint64_t at,
               struct osw_sandbox *sandbox)
{
    struct osw_writer w = osw_sandbox_writer(sandbox);
    const struct osw_trial *trial = job->trial;
    uint64_t *offsets = calloc(trial->n_tensors, sizeof(*offsets));
    struct osw_case_request request = {
        .mode = OSW_MODE_DRAW,
        .zone = OSW_ZONE_WINDOW,
        .seed = trial->seed + job->rep * REP_STEP,
        .draw = (uint32_t)find_drawn(trial)->a,
        .n_args = (uint32_t)trial->n_args,
        .args = trial->args,
        .offsets = offsets,
        .spill = at + trial->inputs_bytes,
    };

    if (!offsets)
        return -1;
    for (size_t i = 0; i < trial->n_tensors; i++)
        offsets[i] = at + trial->offsets[i];
    osw_protocol_put_case(&w, &request);
    sandbox->n_args = request.n_args;
    free(offsets);
    return w.overrun ? -1 : osw_sandbox_send(sandbox, &w);
}

static int take(struct osw_generated_job *job, int64_t deadline_ns,
                struct osw_sandbox *sandbox)
{
    struct osw_error *err = &job->err;
    unsigned draw = (unsigned)find_drawn(job->trial)->a;
    const char *name = name_of(draw);

    if (osw_sandbox_result(sandbox, deadline_ns) < 0)
        return -1;
    if (sandbox->result.code != 0)
        osw_fail(err, OSW_BAD_INPUT, "%s: %s", name, sandbox->result.text);
    else if (job->digest && sandbox->result.hash != job->digest)
        osw_fail(err, OSW_BAD_INPUT,
                 "%s: case %u has other values than when it "
                 "was planned (digest %016llx, then %016llx): expected "
                 "the same from the same seed",
                 name, draw, (unsigned long long)job->digest,
                 (unsigned long long)sandbox->result.hash);
    else
        job->ok = true;
    return 0;
}

/* So many are asked for ahead: less than a socket holds. */
static void draw_all(struct osw_judge *judge, struct osw_sandbox *sandbox,
                     struct osw_generated_job *jobs, size_t n, uint64_t step)
{
    unsigned char *window = osw_sandbox_zone(sandbox, OSW_ZONE_WINDOW).base;
    size_t asked = 0;

    sandbox->zone = OSW_ZONE_WINDOW;
    for (size_t done = 0; done < n; done++) {
        for (; asked < n && asked < done + AHEAD; asked++)
            if (put(&jobs[asked], asked * step, sandbox) < 0)
                goto dead;
        if (take(&jobs[done], osw_judge_load_deadline(judge), sandbox) < 0)
            goto dead;
    }
    for (size_t i = 0; i < n; i++) {
        struct osw_trial *trial = jobs[i].trial;

        if (jobs[i].ok)
            trial->place->ops->copy(trial->place->device, trial->image,
                                    window + i * step, trial->inputs_bytes);
    }
    osw_sandbox_used(sandbox, n * step);
    return;
dead:
    /* What is still to be answered would be taken for others' answers. */
    if (osw_sandbox_alive(sandbox))
        osw_sandbox_fail_protocol(sandbox, "its case has too many arguments");
    for (size_t i = 0; i < n; i++) { /* nothing was copied yet */
        jobs[i].ok = false;
        osw_fail(&jobs[i].err, OSW_BAD_INPUT, "%s: %s",
                 name_of(find_drawn(jobs[i].trial)->a), sandbox->end.text);
    }
}

static int copy_in(struct osw_sandbox *sandbox, struct osw_generated_job *jobs,
                   size_t n, uint64_t step, struct osw_error *err)
{
    unsigned char *window = osw_sandbox_zone(sandbox, OSW_ZONE_WINDOW).base;

    if (osw_sandbox_ensure_bytes(sandbox, OSW_ZONE_WINDOW, n * step, 0, err) <
        0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct osw_place *place = jobs[i].trial->place;

        place->ops->copy(place->device, window + i * step, jobs[i].trial->image,
                         jobs[i].trial->inputs_bytes);
    }
    return sync_all(jobs, n, err);
}

void osw_generated_make(struct osw_judge *judge, struct osw_generated_job *jobs,
                        size_t n)
{
    struct osw_error err = OSW_ERROR_INIT;
    struct osw_sandbox *sandbox;
    uint64_t step = 0;

    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        uint64_t bytes = jobs[i].trial->inputs_bytes;

        jobs[i].ok = false;
        jobs[i].err = (struct osw_error)OSW_ERROR_INIT;
        bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
        step = bytes > step ? bytes : step;
    }
    sandbox = generator_box(judge, find_drawn(jobs[0].trial), &err);
    if (sandbox && copy_in(sandbox, jobs, n, step, &err) == 0) {
        draw_all(judge, sandbox, jobs, n, step);
        if (sync_all(jobs, n, &err) == 0)
            return;
    }
    for (size_t i = 0; i < n; i++) {
        jobs[i].ok = false;
        jobs[i].err = err;
    }
}

int osw_generated_fill(struct osw_judge *judge, struct osw_trial *trial,
                       struct osw_place *place, uint32_t rep, uint64_t digest,
                       struct osw_error *err)
{
    struct osw_generated_job job = {
        .trial = trial, .rep = rep, .digest = rep == 0 ? digest : 0};

    if (osw_trial_fill(trial, place, rep, err) < 0)
        return -1;
    if (!find_drawn(trial))
        return 0;
    osw_generated_make(judge, &job, 1);
    if (job.ok)
        return 0;
    *err = job.err;
    return -1;
}
