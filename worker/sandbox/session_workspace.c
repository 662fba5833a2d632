/* worker/sandbox/session_workspace.c - workspace of a call, and what must stay
 * as it is
 */
#include "worker/sandbox/session.h"

enum { WATCHED_BYTES = 4096 }; /* of an earlier piece, at most */

/* On a device, workspace lies after the window's copy, where the judge cannot
 * read it.  So its guard is copied to memory that the judge shares.
 */
static bool has_own_scratch(const struct osw_session *s)
{
    return s->scratch.base != s->base;
}

/* Workspace is poisoned with the call's pattern and ends with a guard, which
 * the judge checks.  Timed calls get it as it is.  A second piece would be the
 * same memory where the op is exported to; references are not.
 */
void *osw_session_give_workspace(const osw_call *call, size_t bytes)
{
    struct osw_session *s = call->runner;
    bool own = has_own_scratch(s);
    uint64_t limit = own ? s->scratch.bytes : s->limit;
    uint64_t guard = osw_guard_bytes(bytes), at;
    unsigned char *p;

    if (s->has_workspace && !s->reference) {
        osw_session_say(s,
                        "workspace was asked for again: a call gets one piece");
        return NULL;
    }
    at = osw_session_take(s, own ? &s->scratch_used : &s->cursor, limit,
                          bytes > limit ? bytes : bytes + guard);
    if (at == OSW_NO_OFFSET || s->meta)
        return NULL;
    s->has_workspace = true;
    p = (unsigned char *)s->scratch.base + at;
    if (s->poison_scratch) {
        s->device->ops->set(s->device, p, s->job.pattern, bytes + guard);
        s->guard_at = p + bytes;
        s->guard_bytes = guard;
        s->piece = (struct osw_piece){
            p, bytes < WATCHED_BYTES ? bytes : WATCHED_BYTES, s->base};
    }
    return p;
}

static bool lies_in(const struct osw_piece *p, const struct osw_map *map)
{
    const unsigned char *base = map->base;

    return base && p->at >= base && p->at + p->bytes <= base + map->bytes;
}

static bool overlaps(const struct osw_piece *p, const unsigned char *from,
                     uint64_t bytes)
{
    return p->at < from + bytes && from < p->at + p->bytes;
}

/* Is it memory that no part of this call lies in, so far? */
static bool is_unused(const struct osw_session *s, const struct osw_piece *p)
{
    return (lies_in(p, &s->arena) || lies_in(p, &s->mirror)) &&
           !overlaps(p, s->base, s->cursor) &&
           !overlaps(p, s->scratch.base, s->scratch_used);
}

void osw_session_watch_workspace(struct osw_session *s)
{
    if (s->piece.at)
        s->earlier = s->piece;
    s->piece.at = NULL;
    s->watches = s->device->ops->own_memory && !s->reference && s->earlier.at &&
                 s->earlier.base != s->base && is_unused(s, &s->earlier);
    if (s->watches)
        s->device->ops->set(s->device, s->earlier.at, s->job.pattern,
                            s->earlier.bytes);
}

/* Copies of the guard and of the earlier piece, one after the other, where the
 * judge can read them; OSW_NO_OFFSET: there is no room.
 */
static uint64_t show(struct osw_session *s, uint64_t guard, uint64_t earlier)
{
    uint64_t at = osw_session_take(s, &s->cursor, s->limit, guard + earlier);

    if (at == OSW_NO_OFFSET)
        return at;
    if (guard)
        s->device->ops->copy(s->device, s->base + at, s->guard_at, guard);
    if (earlier)
        s->device->ops->copy(s->device, s->base + at + guard, s->earlier.at,
                             earlier);
    return at;
}

void osw_session_show_workspace(struct osw_session *s)
{
    uint64_t guard = s->guard_at ? s->guard_bytes : 0;
    uint64_t earlier =
        s->watches && is_unused(s, &s->earlier) ? s->earlier.bytes : 0;

    s->watches = false;
    s->result.guard_bytes = guard + earlier;
    if (guard + earlier == 0)
        s->result.guard = OSW_NO_OFFSET;
    else if (has_own_scratch(s) || earlier)
        s->result.guard = show(s, guard, earlier);
    else
        s->result.guard = (uint64_t)(s->guard_at - s->base);
}
