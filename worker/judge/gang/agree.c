/* worker/judge/gang/agree.c - members of a gang go on by what all of them found
 */
#include "worker/judge/gang/agree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "common/wire.h"

/* A backstop: what carries the exchange notices a lost member itself. */
#define PATIENCE_NS INT64_C(900000000000)

enum {
    NOTHING_WRONG = 1000, /* order of a claim */
    MAX_REASON = 1024,
    MAX_OUTPUT = 512,
    MAX_RECORD = 8192, /* encoded */
};

/* How a member's record counts: the least is the one that all go by. */
enum standing { BAD, UNDECIDED, GOOD, NONE };

static const struct osw_agree_claim nothing_wrong = {.order = NOTHING_WRONG};

struct osw_agree osw_agree_of(const struct osw_gang *gang)
{
    return (struct osw_agree){.gang = gang, .mine = nothing_wrong};
}

static uint32_t size_of(const struct osw_agree *a)
{
    return a->gang ? a->gang->size : 1;
}

/* all: [size_of] of `bytes`. */
static bool exchange(struct osw_agree *a, const void *mine, uint32_t bytes,
                     void *all)
{
    if (!a->gang) {
        memcpy(all, mine, bytes);
        return true;
    }
    if (!a->broken &&
        a->gang->exchange(a->gang->arg, mine, bytes, all,
                          osw_clock_ns() + PATIENCE_NS, &a->err) < 0)
        a->broken = true;
    return !a->broken;
}

enum osw_agreed osw_agree_on(struct osw_agree *a, bool mine)
{
    uint8_t said = mine, all[OSW_GANG_MAX];
    uint32_t n = 0;

    if (!exchange(a, &said, sizeof(said), all))
        return OSW_AGREED_NONE;
    for (uint32_t i = 0; i < size_of(a); i++)
        n += all[i] == 1;
    return n == size_of(a) ? OSW_AGREED_ALL
           : n > 0         ? OSW_AGREED_SOME
                           : OSW_AGREED_NONE;
}

bool osw_agree_share(struct osw_agree *a, uint32_t from, void *data,
                     size_t bytes)
{
    unsigned char all[OSW_GANG_MAX * OSW_GANG_MAX_EXCHANGE];
    unsigned char part[OSW_GANG_MAX_EXCHANGE];

    for (size_t at = 0, n; a->gang && at < bytes; at += n) {
        n = bytes - at < sizeof(part) ? bytes - at : sizeof(part);
        memcpy(part, (unsigned char *)data + at, n);
        if (!exchange(a, part, (uint32_t)n, all))
            return false;
        memcpy((unsigned char *)data + at, all + from * n, n);
    }
    return !a->broken;
}

/* Of all members' value i of k: *most, and how much that is above the least. */
static double spread_of(const unsigned char *parts, uint32_t n_members,
                        size_t k, size_t i, float *most)
{
    float least = INFINITY;

    for (uint32_t m = 0; m < n_members; m++) {
        float theirs;

        memcpy(&theirs, parts + (m * k + i) * sizeof(float), sizeof(theirs));
        if (theirs > *most)
            *most = theirs;
        if (theirs < least)
            least = theirs;
    }
    return (double)*most - (double)least;
}

bool osw_agree_longest(struct osw_agree *a, float *values, size_t n,
                       double *spread)
{
    enum { PART = OSW_GANG_MAX_EXCHANGE / sizeof(float) };
    unsigned char parts[OSW_GANG_MAX * OSW_GANG_MAX_EXCHANGE];
    double sum = 0;

    for (size_t at = 0, k; a->gang && at < n; at += k) {
        k = n - at < PART ? n - at : PART;
        if (!exchange(a, values + at, (uint32_t)(k * sizeof(float)), parts))
            return false;
        for (size_t i = 0; i < k; i++)
            sum += spread_of(parts, size_of(a), k, i, &values[at + i]);
    }
    if (spread)
        *spread = n > 0 ? sum / (double)n : 0;
    return !a->broken;
}

/* --- findings --- */

/* Orders of claims: the more of them another one can have caused, the further
 * back.  A member that crashed or returned an error is the cause of timeouts of
 * those that waited for it, and one that was late without waiting comes before
 * one that waited.
 */
enum {
    CRASHED = 0,
    STEP = 4, /* from one fault to the next */
    LATE = OSW_FAULT_RETURNED * STEP + 1,
    LATE_AND_WAITED,
};

static int32_t order_of(const struct osw_findings *f)
{
    if (f->fault == OSW_FAULT_NONE)
        return NOTHING_WRONG;
    if (f->fault != OSW_FAULT_ENDED)
        return (int32_t)f->fault * STEP;
    if (f->end_state != OSW_STATE_TIMEOUT)
        return CRASHED;
    return f->waited ? LATE_AND_WAITED : LATE;
}

static enum osw_fault fault_of(int32_t order)
{
    if (order == NOTHING_WRONG)
        return OSW_FAULT_NONE;
    return order == CRASHED || order % STEP ? OSW_FAULT_ENDED
                                            : (enum osw_fault)(order / STEP);
}

/* Of those that crashed or gave up, the first of a node; of other findings, the
 * lowest rank's.
 */
static bool is_worse(const struct osw_agree_claim *a,
                     const struct osw_agree_claim *b)
{
    if (a->order != b->order)
        return a->order < b->order;
    return a->order < LATE && a->at_ns < b->at_ns;
}

static int64_t time_of(const struct osw_findings *f)
{
    return f->follows ? INT64_MAX : osw_clock_ns();
}

void osw_agree_claim_end(struct osw_agree *a, const struct osw_findings *f)
{
    a->mine =
        (struct osw_agree_claim){.order = order_of(f), .at_ns = time_of(f)};
}

void osw_agree_findings(struct osw_agree *a, struct osw_findings *f)
{
    struct osw_agree_claim all[OSW_GANG_MAX], worst;
    uint32_t n_unsupported = 0;

    a->mine = (struct osw_agree_claim){.order = order_of(f),
                                       .untouched = f->untouched,
                                       .unsupported = f->unsupported,
                                       .at_ns = time_of(f)};
    f->all = (struct osw_findings_of_all){.fault = OSW_FAULT_NOT_MADE};
    if (!exchange(a, &a->mine, sizeof(a->mine), all))
        return;
    worst = all[0];
    for (uint32_t i = 0; i < size_of(a); i++) {
        n_unsupported += all[i].unsupported != 0;
        if (is_worse(&all[i], &worst))
            worst = all[i];
    }
    if (f->unsupported && n_unsupported < size_of(a)) {
        f->unsupported = false;
        f->text = "OSW_UNSUPPORTED, which not all ranks returned";
    }
    f->all.fault = fault_of(worst.order);
    f->all.untouched = worst.untouched;
}

/* --- records --- */

static enum standing standing_of(const struct osw_record *r)
{
    switch (r->status_id) {
    case OSW_STATE_NONE:
        return NONE;
    case OSW_STATE_PASS:
        return GOOD;
    case OSW_STATE_WEAK:
    case OSW_STATE_UNVERIFIED:
        return UNDECIDED;
    default:
        return BAD;
    }
}

struct vote {
    int32_t standing, reserved;
    struct osw_agree_claim claim;
};

/* Whose record all go by; *shared: some have none, or a better one. */
static uint32_t elect(const struct vote *all, uint32_t n, bool *shared)
{
    uint32_t lead = 0;
    bool none = all[0].standing == NONE;

    for (uint32_t i = 1; i < n; i++) {
        none = none || all[i].standing == NONE;
        if (all[i].standing < all[lead].standing ||
            (all[i].standing == all[lead].standing &&
             is_worse(&all[i].claim, &all[lead].claim)))
            lead = i;
    }
    *shared = all[lead].standing == BAD || (none && all[lead].standing != NONE);
    return lead;
}

/* The reason of rank `lead`, also where it gave none; what was said of a rank
 * already is left so.
 */
static const char *name_rank(osw_arena_t *memory, uint32_t lead,
                             enum osw_state state, const char *reason)
{
    const char *named;

    if (!reason)
        reason = "";
    if (strncmp(reason, "rank ", 5) == 0)
        return reason;
    if (reason[0])
        named = osw_arena_printf(memory, "rank %u: %s", lead, reason);
    else if (state == OSW_STATE_PASS)
        return reason;
    else if (state == OSW_STATE_UNSUPPORTED)
        named = osw_arena_printf(memory, "rank %u declined the case", lead);
    else
        named = osw_arena_printf(memory, "rank %u ended as %s", lead,
                                 osw_state_name(state));
    return named ? named : "";
}

/* Write the record that all shall have. */
static void put_record(const struct osw_record *r, struct osw_writer *w)
{
    char output[MAX_OUTPUT], reason[MAX_REASON];
    struct osw_record told = *r;

    snprintf(output, sizeof(output), "%s", r->output ? r->output : "");
    snprintf(reason, sizeof(reason), "%s", r->reason ? r->reason : "");
    told.output = output;
    told.reason = reason;
    told.reference = told.baseline = "";
    told.sample_n = 0;
    osw_record_encode(&told, w);
}

/* Replace *r by what was told, but for what is of this judge. */
static bool take_record(const unsigned char *data, size_t bytes,
                        osw_arena_t *memory, uint32_t lead,
                        struct osw_record *r, struct osw_error *err)
{
    struct osw_reader reader = osw_reader(data, bytes);
    struct osw_record told, own = *r;

    if (osw_record_decode(&reader, &told, NULL, err) < 0)
        return false;
    *r = told;
    r->rank = own.rank;
    r->reference = own.reference;
    r->baseline = own.baseline;
    r->reason = name_rank(memory, lead, (enum osw_state)told.status_id,
                          osw_arena_strdup(memory, told.reason));
    r->output = osw_arena_strdup(memory, told.output);
    return true;
}

static bool share_record(struct osw_agree *a, uint32_t lead,
                         osw_arena_t *memory, struct osw_record *r)
{
    unsigned char data[MAX_RECORD];
    struct osw_writer w = osw_writer(data, sizeof(data));
    uint32_t bytes;

    put_record(r, &w);
    bytes = w.overrun ? 0 : (uint32_t)w.used;
    if (!osw_agree_share(a, lead, &bytes, sizeof(bytes)) || bytes == 0 ||
        bytes > sizeof(data) || !osw_agree_share(a, lead, data, bytes))
        return false;
    return take_record(data, bytes, memory, lead, r, &a->err);
}

bool osw_agree_record(struct osw_agree *a, osw_arena_t *memory,
                      struct osw_record *r)
{
    struct vote mine = {.standing = standing_of(r), .claim = a->mine};
    struct vote all[OSW_GANG_MAX];
    uint32_t lead;
    bool shared;

    a->mine = nothing_wrong;
    if (!a->gang)
        return mine.standing == BAD;
    if (!exchange(a, &mine, sizeof(mine), all))
        return true;
    lead = elect(all, size_of(a), &shared);
    if (shared && !share_record(a, lead, memory, r))
        a->broken = true;
    return all[lead].standing == BAD;
}

void osw_agree_errors(struct osw_agree *a, struct osw_record *r)
{
    double *const errors[] = {&r->max_abs_err,  &r->max_rel_err,
                              &r->max_ulp_err,  &r->err_of_allowed,
                              &r->rms_norm_err, &r->max_norm_err};
    enum { N = sizeof(errors) / sizeof(errors[0]) };
    double mine[N], all[OSW_GANG_MAX][N];

    _Static_assert(sizeof(mine) <= OSW_GANG_MAX_EXCHANGE, "one exchange");

    for (int k = 0; k < N; k++)
        mine[k] = *errors[k];
    if (!exchange(a, mine, sizeof(mine), all))
        return;
    for (uint32_t i = 0; i < size_of(a); i++)
        for (int k = 0; k < N; k++)
            *errors[k] = fmax(*errors[k], all[i][k]); /* NaN: unknown */
}
