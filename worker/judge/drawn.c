/* worker/judge/drawn.c - inputs that gen_input.py drew */
#include "worker/judge/drawn.h"

#include <string.h>

/* Other repetitions draw other numbers. */
#define REP_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The first tensor that is drawn; NULL: none is. */
static const struct osw_fill *find_drawn(const struct osw_trial *trial)
{
    for (size_t i = 0; i < trial->n_tensors; i++)
        if (trial->fills[i].kind == OSW_FILL_DRAWN)
            return &trial->fills[i];
    return NULL;
}

bool osw_drawn_any(const struct osw_trial *trial)
{
    return find_drawn(trial) != NULL;
}

static struct osw_box *generator_box(struct osw_judge *judge,
                                     struct osw_error *err)
{
    enum osw_state state;
    int64_t ns = 0;
    char text[512];
    struct osw_box *box;

    if (!judge->op.cases_py) {
        osw_fail(err, OSW_BAD_INPUT, "%s: no gen_input.py to draw inputs",
                 judge->op.dir);
        return NULL;
    }
    box = osw_judge_box(judge, osw_judge_generator(judge), &ns, &state, text,
                        sizeof(text));
    if (!box)
        osw_fail(err, OSW_BAD_INPUT, "gen_input.py: %s", text);
    return box;
}

/* What lies around elements goes there and comes back as it was. */
static int ask(struct osw_judge *judge, struct osw_box *box,
               struct osw_trial *trial, uint64_t seed, uint32_t draw,
               struct osw_error *err)
{
    struct osw_writer w = osw_writer(box->message, sizeof(box->message));
    struct osw_place *place = trial->place;
    struct osw_case_request request = {
        .mode = OSW_MODE_DRAW,
        .zone = OSW_ZONE_WINDOW,
        .seed = seed,
        .draw = draw,
        .n_args = (uint32_t)trial->n_args,
        .args = trial->args,
        .offsets = trial->offsets,
        .spill = trial->inputs_bytes,
    };
    unsigned char *window = osw_box_zone(box, OSW_ZONE_WINDOW).base;

    if (osw_box_fit(box, OSW_ZONE_WINDOW, trial->inputs_bytes, 0, err) < 0)
        return -1;
    box->zone = OSW_ZONE_WINDOW;
    osw_protocol_put_case(&w, &request);
    if (w.overrun)
        return osw_fail(err, OSW_BAD_INPUT, "the case has too many arguments");
    place->ops->copy(place->device, window, trial->image, trial->inputs_bytes);
    if (place->ops->sync(place->device, err) < 0)
        return -1;
    if (osw_box_send(box, &w) < 0 ||
        osw_box_result(box, osw_judge_load_deadline(judge)) < 0)
        return osw_fail(err, OSW_BAD_INPUT, "gen_input.py: %s", box->end.text);
    if (box->result.code != 0)
        return osw_fail(err, OSW_BAD_INPUT, "gen_input.py: %s",
                        box->result.text);
    osw_box_used(box, trial->inputs_bytes);
    place->ops->copy(place->device, trial->image, window, trial->inputs_bytes);
    return place->ops->sync(place->device, err);
}

int osw_drawn_fill(struct osw_judge *judge, struct osw_trial *trial,
                   struct osw_place *place, uint32_t rep, uint64_t digest,
                   struct osw_error *err)
{
    const struct osw_fill *drawn;
    struct osw_box *box;

    if (osw_trial_fill(trial, place, rep, err) < 0)
        return -1;
    drawn = find_drawn(trial);
    if (!drawn)
        return 0;
    box = generator_box(judge, err);
    if (!box || ask(judge, box, trial, trial->seed + rep * REP_STEP,
                    (uint32_t)drawn->a, err) < 0)
        return -1;
    if (rep == 0 && digest && box->result.hash != digest)
        return osw_fail(err, OSW_BAD_INPUT,
                        "gen_input.py: case %u has other values than when it "
                        "was planned (digest %016llx, then %016llx): expected "
                        "the same from the same seed",
                        (unsigned)drawn->a, (unsigned long long)digest,
                        (unsigned long long)box->result.hash);
    return 0;
}
