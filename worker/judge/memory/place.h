/* worker/judge/memory/place.h - the memory in which a case is judged
 *
 * The host's, or the device's own: inputs and expected outputs of a case lie
 * there, and the zone of each sandbox that runs it.  What is done to memory is
 * the row of judge_ops.h that belongs to it.
 */
#ifndef OSW_WORKER_JUDGE_PLACE_H
#define OSW_WORKER_JUDGE_PLACE_H

#include "worker/judge/memory/judge_ops.h"
#include "worker/protocol.h"

enum { OSW_PLACE_SCRATCH = 256 }; /* at the start of expected outputs */

struct osw_place {
    enum osw_zone zone; /* of sandboxes */
    const struct osw_judge_ops *ops;
    struct osw_device *device; /* borrowed: it is of this memory */
    uint64_t limit;            /* of each map */
    struct osw_map image;      /* inputs of the current case */
    struct osw_map private;    /* expected outputs of the current case */
    struct osw_map seen;       /* outputs of the last call: see look.h */
    /* Other users give back memory, to make room for `bytes`; called again
     * with the same *n_gone, 0 at first, until they have none: false.  NULL:
     * there are no others.
     */
    bool (*make_room)(void *arg, uint64_t bytes, uint32_t *n_gone);
    void *make_room_arg;
};

/* Where memory costs only when touched, maps are made at their limit; else
 * they grow as they are needed.  0, or -1 with err.
 */
int osw_place_open(struct osw_place *place, enum osw_zone zone,
                   struct osw_device *device, uint64_t limit,
                   struct osw_error *err) OSW_MUST_CHECK;
void osw_place_close(struct osw_place *place);

/* Between cases: give back what a device's memory holds. */
void osw_place_rest(struct osw_place *place);

/* Have at least `bytes` in one of its maps; what was in it is gone if it grew.
 * 0, or -1 with err OSW_NO_MEMORY.
 */
int osw_place_ensure_bytes(struct osw_place *place, struct osw_map *map,
                           uint64_t bytes,
                           struct osw_error *err) OSW_MUST_CHECK;

/* One element of a view, brought to the host: a view of it without dimensions,
 * living in `out`.
 */
struct osw_element {
    unsigned char bytes[16];
    struct osw_tensor_desc desc;
    struct osw_view view;
};
void osw_place_element(const struct osw_place *place, const struct osw_view *v,
                       int64_t index, struct osw_element *out);

#endif /* OSW_WORKER_JUDGE_PLACE_H */
