/* worker/judge/gang/world.c - the inputs of all ranks of a collective op */
#include "worker/judge/gang/world.h"

#include "worker/hash.h"
#include "worker/judge/memory/layout.h"

uint64_t osw_world_seed(uint64_t seed, uint32_t rank)
{
    return osw_hash_bytes(&rank, sizeof(rank), seed);
}

/* The arguments of *own, as those of each rank. */
static int repeat(osw_arena_t *memory, const struct osw_trial *own,
                  struct osw_world *w, struct osw_error *err)
{
    size_t n_args = w->size * own->n_args, n = w->size * own->n_tensors;

    w->all = *own;
    w->all.n_args = n_args;
    w->all.n_tensors = n;
    w->all.inputs_bytes = w->size * w->stride;
    w->all.args = osw_arena_array(memory, n_args, sizeof(*w->all.args));
    w->all.tensors = osw_arena_array(memory, n, sizeof(*w->all.tensors));
    w->all.offsets = osw_arena_array(memory, n, sizeof(*w->all.offsets));
    w->all.fills = w->fills = osw_arena_array(memory, n, sizeof(*w->fills));
    if (!w->all.args || !w->all.tensors || !w->all.offsets || !w->fills)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for %u ranks", w->size);
    for (size_t i = 0; i < n_args; i++)
        w->all.args[i] = own->args[i % own->n_args];
    for (size_t i = 0; i < n; i++) {
        size_t rank = i / own->n_tensors;
        struct osw_trial_tensor *t = &w->all.tensors[i];

        *t = own->tensors[i % own->n_tensors];
        t->arg += rank * own->n_args;
        t->offset += rank * w->stride;
        w->all.offsets[i] = t->offset;
    }
    return 0;
}

int osw_world_make(osw_arena_t *memory, const struct osw_trial *own,
                   uint32_t rank, uint32_t size, struct osw_world *out,
                   struct osw_error *err)
{
    *out = (struct osw_world){.rank = rank, .size = size};
    out->stride = (own->inputs_bytes + OSW_LAYOUT_ALIGN - 1) /
                  OSW_LAYOUT_ALIGN * OSW_LAYOUT_ALIGN;
    for (size_t i = 0; i < own->n_tensors; i++)
        if (osw_fill_is_drawn(own->fills[i].kind))
            return osw_fail(err, OSW_BAD_INPUT,
                            "gen_input.py makes values: expected fills, the "
                            "ranks of a collective op have values of their "
                            "own");
    return repeat(memory, own, out, err);
}

/* The trial of a rank, its image not filled yet. */
static struct osw_trial trial_of(const struct osw_world *w,
                                 const struct osw_trial *own, uint32_t rank)
{
    struct osw_trial trial = *own;

    trial.draw = osw_world_seed(own->draw, rank);
    trial.image = (unsigned char *)own->place->image.base + rank * w->stride;
    return trial;
}

int osw_world_fill(const struct osw_world *w, struct osw_trial *own,
                   struct osw_place *place, uint32_t rep, struct osw_error *err)
{
    if (osw_place_ensure_bytes(place, &place->image, w->size * w->stride, err) <
        0)
        return -1;
    own->place = place;
    for (uint32_t rank = 0; rank < w->size; rank++) {
        struct osw_trial trial = trial_of(w, own, rank);

        osw_trial_fill_image(&trial, rep);
        if (rank == w->rank)
            own->image = trial.image;
    }
    return 0;
}

bool osw_world_permute(const struct osw_world *w, const struct osw_trial *own)
{
    bool any = false;

    for (uint32_t rank = 0; rank < w->size; rank += 2) {
        struct osw_trial trial = trial_of(w, own, rank);
        uint64_t random = osw_world_seed(own->order, rank) | 1;

        any |= osw_trial_permute(&trial, trial.image, &random);
    }
    return any;
}

unsigned char *osw_world_image(const struct osw_world *w,
                               const struct osw_trial *own, uint32_t rank)
{
    return own->image - w->rank * w->stride + rank * w->stride;
}

struct osw_trial *osw_world_trial(struct osw_world *w,
                                  const struct osw_trial *own)
{
    for (size_t i = 0; i < w->all.n_tensors; i++) {
        w->fills[i] = own->fills[i % own->n_tensors];
        w->all.tensors[i].written = own->tensors[i % own->n_tensors].written;
    }
    w->all.place = own->place;
    w->all.image = osw_world_image(w, own, 0);
    return &w->all;
}
