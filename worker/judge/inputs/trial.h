/* worker/judge/inputs/trial.h - one case made concrete: arguments, tensors,
 * inputs
 *
 * Upstream: a bundle's texts.  Downstream: oracle and verdict.  The image is
 * the inputs zone as every sandbox of the bundle gets it (layout.h): inputs
 * filled, guards and gaps poisoned.
 */
#ifndef OSW_WORKER_JUDGE_TRIAL_H
#define OSW_WORKER_JUDGE_TRIAL_H

#include "common/arena.h"
#include "ops/catalog/op.h"
#include "ops/inputs/bind.h"
#include "ops/inputs/fill.h"
#include "ops/inputs/trials.h"
#include "ops/notation/notation.h"
#include "worker/device/device.h"
#include "worker/judge/memory/place.h"
#include "worker/protocol.h"

/* Guards of inputs: NaN, or -1; of new inputs, where some are written in place,
 * a small number (f32: -0.023), since arithmetic beyond a tensor keeps a NaN as
 * it is.
 */
enum {
    OSW_GUARD_BYTE = 0xFF,
    OSW_GUARD_NUMBER = 0xBC,
    OSW_GUARD_OTHER = 0x42 /* bits in which a reference's differ */
};

struct osw_trial_tensor {
    const struct osw_tensor_desc *desc;
    size_t arg;      /* index of the bound argument it belongs to */
    int32_t alias;   /* of an output that is this tensor (worker/output.h) */
    uint64_t offset; /* in the inputs zone */
    uint64_t extent; /* bytes from its first element to the end of its last */
    bool written;    /* the schema says so, or the reference aliases it */
};

struct osw_trial {
    struct osw_case parsed;
    struct osw_bound_arg *args; /* [n_args] */
    size_t n_args;
    struct osw_trial_tensor *tensors; /* [n_tensors] */
    size_t n_tensors;
    const struct osw_fill *fills; /* [n_tensors] */
    uint64_t *offsets;            /* [n_tensors] the same, for the protocol */
    uint64_t inputs_bytes;        /* of the inputs zone */
    struct osw_place *place;      /* where it lies; borrowed */
    unsigned char *image;         /* [inputs_bytes] borrowed */
    uint64_t seed;  /* of the campaign: what op code and generators are told */
    uint64_t draw;  /* seed of the elements: osw_trial_draw() */
    uint64_t order; /* seed of osw_trial_permute(), likewise */
    unsigned char guard; /* bytes between tensors and under those with gaps */
};

/* The seed that elements of a case's own inputs are drawn from: no two ops or
 * cases see the same numbers, also where shapes are equal or one element is all
 * there is.  Depends on nothing else: any process makes the same inputs.
 */
uint64_t osw_trial_draw(uint64_t seed, const char *op_name,
                        const char *case_text);

/* Read and lay out a case; the image is not filled yet.  Everything lives in
 * the arena.  Returns 0, or -1 with err: OSW_BAD_INPUT for a case that does
 * not fit the op's schema, its fills, or `limit` bytes.
 */
int osw_trial_make(osw_arena_t *memory, const struct osw_op *op,
                   const char *case_text, const char *fill_text, uint64_t seed,
                   uint64_t limit, struct osw_trial *out,
                   struct osw_error *err) OSW_MUST_CHECK;

/* The trial of a kind, its image not filled yet: as `own`, but with other fills
 * (NULL: the same).  Kinds with fills of their own have draws of their own,
 * too; new inputs that are written have guards of their
 * own.
 */
struct osw_trial osw_trial_of_kind(const struct osw_trial *own,
                                   enum osw_trial_kind kind,
                                   const struct osw_fill *fills);

/* Fill the image in `place`, which grows if need be.  Other repetitions `rep`
 * have other values.  Tensors that a generator fills are left: see generated.h.
 * 0, or -1 with err: OSW_NO_MEMORY.
 */
int osw_trial_fill(struct osw_trial *trial, struct osw_place *place,
                   uint32_t rep, struct osw_error *err) OSW_MUST_CHECK;

/* Fill an image that is in its place already. */
void osw_trial_fill_image(const struct osw_trial *trial, uint32_t rep);

/* As osw_trial_fill without the guards around tensors, which neither
 * osw_trial_bring() nor osw_trial_compare() read from an image in the host's
 * memory.  Only for these two, and not for an image in a device's memory. like:
 * copy its tensors instead of generating them.
 */
int osw_trial_fill_bare(struct osw_trial *trial, struct osw_place *place,
                        uint32_t rep, const struct osw_trial *like,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Before tensors that begin elsewhere, have a zone that holds the inputs hold
 * other guards: what reads from where their memory begins makes other results
 * than what it is compared with, if that makes the same mistake.  of_host: the
 * zone lies in the host's memory, wherever the place is.
 */
void osw_trial_other_guards(const struct osw_trial *trial, unsigned char *zone,
                            bool of_host);

/* Have a zone hold the inputs and the guards around them. */
void osw_trial_bring(const struct osw_trial *trial, unsigned char *zone);

/* Exchange two random runs of sqrt(n) / 2 elements in each tensor of the inputs
 * zone at `base` that has n >= 2 elements, but for one of several: code that
 * recognises inputs by all values of one of them returns a stale result.  Every
 * tensor keeps its values, and so its sums and counts: so does code that
 * recognises inputs by these.  Outputs with sizes that depend on values
 * (nonzero, unique, masked_select) keep their sizes, so that the shapes of
 * another trial still hold.  Tensors with gaps, constant and ascending ones,
 * rows of shares, those whose values are distinct by their places, and those
 * that a generator made (they may be sorted) stay as they are.  *random: a copy
 * of trial->order, so that a case is judged on the same inputs everywhere.
 * False: all do, or there is no memory.  Waits for the place.
 */
bool osw_trial_permute(const struct osw_trial *trial, unsigned char *base,
                       uint64_t *random);

/* Would any element change places, if there is memory? */
bool osw_trial_may_permute(const struct osw_trial *trial);

/* May elements of tensor i change places?  See osw_trial_permute. */
bool osw_trial_may_exchange(const struct osw_trial *trial, size_t i);

/* What a sandbox wrote into its inputs zone where it must not. */
struct osw_trespass {
    bool any;
    bool input; /* into an input's elements; else into a guard or a gap */
    char text[160];
};

/* Compare a zone with the image; tensors that may be written are left out. */
void osw_trial_compare(const struct osw_trial *trial, const unsigned char *zone,
                       struct osw_trespass *out);

/* What must be put back before a timed call: copies of the tensors that may be
 * written, from `at` on, into restores [n_tensors], *n of them; `base` (NULL:
 * placed only) is where the zones of an arena of `limit` bytes begin.  Returns
 * the end of that zone, or OSW_NO_OFFSET when it does not fit.
 */
uint64_t osw_trial_place_restores(const struct osw_trial *trial,
                                  unsigned char *base, uint64_t at,
                                  uint64_t limit, struct osw_restore *restores,
                                  uint32_t *n);

struct osw_view osw_trial_view(const struct osw_trial *trial, size_t tensor);

#endif /* OSW_WORKER_JUDGE_TRIAL_H */
