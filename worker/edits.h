/* worker/edits.h - what changes before each timed call
 *
 * Timed calls on the same inputs, over their own last result, could skip work
 * and still be right.  So before each call an element of the inputs is
 * replaced, and an element of the outputs is poisoned, at places that follow
 * from a seed. The judge thus knows the inputs of the last call and its correct
 * outputs. After the next call the inputs are restored.
 *
 * Both sides use this: the sandbox edits (device.h), the judge repeats the last
 * call's edits on its own image (trial.h).  Plain C, for host and device.
 *
 * Some calls have inputs that are new in every element (`whole`): what finds
 * the few elements that changed, and computes only what follows from them,
 * takes far longer then than in other calls.
 */
#ifndef OSW_WORKER_EDITS_H
#define OSW_WORKER_EDITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <opsweep/elements.h> /* OSW_HD */

enum {
    OSW_EDITS_MAX_SPANS = 16,
    OSW_EDITS_MAX_EACH = 16,
};

enum osw_span_kind {
    OSW_SPAN_COPY,   /* inputs: one element becomes another's copy */
    OSW_SPAN_SWAP,   /* inputs: two elements change places */
    OSW_SPAN_POISON, /* outputs */
};

/* Elements without gaps between them. */
struct osw_span {
    uint64_t at;      /* bytes into the zone */
    uint32_t n;       /* elements, >= 2 of inputs, >= 1 of outputs */
    uint8_t size;     /* of an element, bytes: 1, 2, 4, 8, 16 */
    uint8_t kind;     /* enum osw_span_kind */
    uint8_t mantissa; /* bits, of random real numbers; 0: values stay */
    bool doubles;     /* they may be twice as large, or half */
    bool brought; /* restored as a whole before each call, and made an output */
};

struct osw_edits {
    uint64_t seed;
    uint32_t n_each; /* of either kind before a call, <= OSW_EDITS_MAX_EACH */
    bool whole;      /* inputs: all elements instead */
    uint8_t pattern; /* of the poison */
    uint32_t n_inputs, n_outputs; /* spans, those of inputs first */
    struct osw_span spans[OSW_EDITS_MAX_SPANS];
};

/* One edit: element `to` of a span becomes what `from` is, or poison. */
struct osw_edit {
    const struct osw_span *span; /* NULL: none */
    uint64_t to, from;           /* bytes into the zone */
};

/* What elements were: to put back. */
struct osw_edits_undo {
    const struct osw_edits *whole; /* that changed all elements; or NULL */
    uint64_t call;                 /* before which they did */
    bool brought;                  /* also those */
    uint32_t n;
    struct {
        uint64_t to, from;
        unsigned char was[2][16]; /* at to, at from */
        uint8_t size;
    } of[OSW_EDITS_MAX_EACH];
};

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
OSW_HD static inline uint64_t osw_edits_word(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

OSW_HD static inline uint32_t osw_edits_below(uint32_t word, uint32_t n)
{
    return (uint32_t)(((uint64_t)word * n) >> 32);
}

/* The j-th edit of either kind before a call, calls counted from 0. */
OSW_HD static inline struct osw_edit
osw_edits_at(const struct osw_edits *e, uint64_t call, uint32_t j, bool output)
{
    uint64_t i = 4 * (call * OSW_EDITS_MAX_EACH + j) + (output ? 2 : 0);
    uint64_t w = osw_edits_word(e->seed, i), v;
    uint32_t n = output ? e->n_outputs : e->n_inputs;
    struct osw_edit edit = {NULL, 0, 0};
    const struct osw_span *s;
    uint32_t to, by;

    if (n == 0)
        return edit;
    s = &e->spans[(output ? e->n_inputs : 0) + osw_edits_below((uint32_t)w, n)];
    to = osw_edits_below((uint32_t)(w >> 32), s->n);
    edit.span = s;
    edit.to = s->at + (uint64_t)to * s->size;
    if (output)
        return edit;
    v = osw_edits_word(e->seed, i + 1);
    by = 1 + osw_edits_below((uint32_t)v, s->n - 1);
    edit.from = s->at + (((uint64_t)to + by) % s->n) * s->size;
    return edit;
}

OSW_HD static inline void osw_edits_move(void *to, const void *from,
                                         uint32_t size)
{
    switch (size) {
    case 1:
        memcpy(to, from, 1);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, 16);
        break;
    }
}

/* Another number with the same sign and exponent; doubles: it is then twice as
 * large or half.  Zero, subnormal ones, infinities and NaN stay, and as large
 * as they are those of which another one would be that.  The same bits make the
 * number that it was.
 */
OSW_HD static inline uint64_t osw_edits_other(uint64_t v, uint32_t size,
                                              uint32_t mantissa, bool doubles,
                                              uint64_t bits)
{
    uint64_t exponents = ((uint64_t)1 << (8 * size - 1 - mantissa)) - 1;
    uint64_t exponent = v >> mantissa & exponents;

    if (mantissa == 0 || exponent == 0 || exponent == exponents)
        return v;
    if (doubles && exponent > 1 && (exponent | 1) != exponents)
        v ^= (uint64_t)1 << mantissa;
    return v ^ (bits & (((uint64_t)1 << mantissa) - 1));
}

/* Elements i and j of a span change places, and are other numbers. */
OSW_HD static inline void osw_edits_renew_pair(const struct osw_span *s,
                                               unsigned char *at, uint32_t size,
                                               uint32_t i, uint32_t j,
                                               bool doubles, uint64_t bits)
{
    unsigned char *a = at + (uint64_t)i * size, *b = at + (uint64_t)j * size;
    uint64_t x[2] = {0, 0}, y[2] = {0, 0};

    osw_edits_move(x, a, size);
    osw_edits_move(y, b, size);
    if (s->mantissa) {
        x[0] = osw_edits_other(x[0], size, s->mantissa, doubles, bits);
        y[0] = osw_edits_other(y[0], size, s->mantissa, doubles, bits);
    }
    osw_edits_move(a, y, size);
    osw_edits_move(b, x, size);
}

/* Elements i, i + step, ... of a span, and those that they change places with:
 * around the one at r.  Those up to a random one are doubled: so what any two
 * calls sum differs by far more than rounding explains.  The size is known to
 * the compiler.
 */
OSW_HD static inline void osw_edits_renew_some(const struct osw_span *s,
                                               unsigned char *at, uint32_t size,
                                               uint64_t word, uint32_t i,
                                               uint32_t step)
{
    uint32_t r = osw_edits_below((uint32_t)word, s->n);
    uint32_t n_doubled =
        s->doubles ? osw_edits_below((uint32_t)(word >> 32), s->n) : 0;

    for (uint64_t k = i; k < s->n; k += step) {
        uint32_t a = (uint32_t)k, b = a <= r ? r - a : s->n - (a - r);

        if (a <= b) {
            uint64_t bits = (word + a) * 0x9E3779B97F4A7C15u;

            osw_edits_renew_pair(s, at, size, a, b, a < n_doubled,
                                 bits ^ bits >> 32);
        }
    }
}

/* Every element of the k-th span, whose first one is at `at`, becomes another,
 * for that call; a second time brings them back.  Elements change places, and
 * random numbers are others: sums, norms and the like are, too.  For all of
 * them i is 0 and step 1; a thread of many takes its share.
 */
OSW_HD static inline void osw_edits_renew_span(const struct osw_edits *e,
                                               uint32_t k, uint64_t call,
                                               unsigned char *at, uint32_t i,
                                               uint32_t step)
{
    const struct osw_span *s = &e->spans[k];
    uint64_t word = osw_edits_word(e->seed ^ (k + 1), call);

    switch (s->size) {
    case 1:
        osw_edits_renew_some(s, at, 1, word, i, step);
        break;
    case 2:
        osw_edits_renew_some(s, at, 2, word, i, step);
        break;
    case 4:
        osw_edits_renew_some(s, at, 4, word, i, step);
        break;
    case 8:
        osw_edits_renew_some(s, at, 8, word, i, step);
        break;
    default:
        osw_edits_renew_some(s, at, 16, word, i, step);
        break;
    }
}

/* The same of all inputs in a zone at `base`; `brought`: also of those. */
OSW_HD static inline void osw_edits_renew(const struct osw_edits *e,
                                          uint64_t call, unsigned char *base,
                                          bool brought, uint32_t i,
                                          uint32_t step)
{
    for (uint32_t k = 0; k < e->n_inputs; k++)
        if (brought || !e->spans[k].brought)
            osw_edits_renew_span(e, k, call, base + e->spans[k].at, i, step);
}

/* Undo and apply, but for changes of all elements. */
OSW_HD static inline void osw_edits_undo_few(unsigned char *base,
                                             struct osw_edits_undo *u)
{
    while (u->n > 0) {
        uint32_t i = --u->n;

        osw_edits_move(base + u->of[i].from, u->of[i].was[1], u->of[i].size);
        osw_edits_move(base + u->of[i].to, u->of[i].was[0], u->of[i].size);
    }
}

OSW_HD static inline void osw_edits_apply_few(const struct osw_edits *e,
                                              uint64_t call,
                                              unsigned char *base,
                                              struct osw_edits_undo *u)
{
    unsigned char poison[16];

    memset(poison, e->pattern, sizeof(poison));
    u->whole = e->whole ? e : NULL;
    u->call = call;
    u->brought = false;
    for (uint32_t j = 0; j < e->n_each; j++) {
        struct osw_edit in = osw_edits_at(e, call, j, false);
        struct osw_edit out = osw_edits_at(e, call, j, true);

        if (in.span && !e->whole) {
            uint32_t size = in.span->size, i = u->n;

            osw_edits_move(u->of[i].was[0], base + in.to, size);
            osw_edits_move(u->of[i].was[1], base + in.from, size);
            osw_edits_move(base + in.to, u->of[i].was[1], size);
            if (in.span->kind == OSW_SPAN_SWAP)
                osw_edits_move(base + in.from, u->of[i].was[0], size);
            u->of[i].to = in.to;
            u->of[i].from = in.from;
            u->of[i].size = (uint8_t)size;
            u->n += !in.span->brought;
        }
        if (out.span)
            osw_edits_move(base + out.to, poison, out.span->size);
    }
}

OSW_HD static inline void osw_edits_undo(unsigned char *base,
                                         struct osw_edits_undo *u)
{
    if (u->whole)
        osw_edits_renew(u->whole, u->call, base, u->brought, 0, 1);
    u->whole = NULL;
    osw_edits_undo_few(base, u);
}

/* The edits before a call, in a zone at `base`; *u is empty. */
OSW_HD static inline void osw_edits_apply(const struct osw_edits *e,
                                          uint64_t call, unsigned char *base,
                                          struct osw_edits_undo *u)
{
    osw_edits_apply_few(e, call, base, u);
    if (e->whole)
        osw_edits_renew(e, call, base, true, 0, 1);
}

#endif /* OSW_WORKER_EDITS_H */
