/* worker/judge/gang/world.h - the inputs of all ranks of a collective op
 *
 * Each judge makes the inputs of every rank: its own for its implementation,
 * all of them for its reference.  So no data is sent to verify a result.  Rank
 * r has the shapes of the case, and values from a seed of its own.
 *
 * The images of all ranks lie one after the other; the trial of the judge's own
 * rank is one of them.
 */
#ifndef OSW_WORKER_JUDGE_WORLD_H
#define OSW_WORKER_JUDGE_WORLD_H

#include "worker/judge/inputs/trial.h"

struct osw_world {
    uint32_t rank, size;    /* size 0: the op is not collective */
    uint64_t stride;        /* bytes from one rank's image to the next one's */
    struct osw_trial all;   /* arguments of all ranks, one after the other */
    struct osw_fill *fills; /* [all.n_tensors] of `all` */
};

/* The seed of a rank's inputs. */
uint64_t osw_world_seed(uint64_t seed, uint32_t rank);

/* Lay out the images of all ranks; `own` is the trial of each.  0, or -1 with
 * err: OSW_NO_MEMORY; OSW_BAD_INPUT when a generator makes its values.
 */
int osw_world_make(osw_arena_t *memory, const struct osw_trial *own,
                   uint32_t rank, uint32_t size, struct osw_world *out,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Fill the images of all ranks, with the fills of *own, and have *own be the
 * one of this rank.  Otherwise as osw_trial_fill.
 */
int osw_world_fill(const struct osw_world *world, struct osw_trial *own,
                   struct osw_place *place, uint32_t rep,
                   struct osw_error *err) OSW_MUST_CHECK;

/* Permute the images of every other rank; *own is filled.  The others see their
 * own inputs again, with other results: a result that is kept by them shows.
 * As osw_trial_permute.
 */
bool osw_world_permute(const struct osw_world *world,
                       const struct osw_trial *own);

/* The image of a rank, once they are filled; without ranks, the own one. */
unsigned char *osw_world_image(const struct osw_world *world,
                               const struct osw_trial *own, uint32_t rank);

/* The trial of all ranks that belongs to *own, for the reference; it is valid
 * until the next call.
 */
struct osw_trial *osw_world_trial(struct osw_world *world,
                                  const struct osw_trial *own);

#endif /* OSW_WORKER_JUDGE_WORLD_H */
