/* shared/quotient.h - quotients that are rounded: down, or towards 0 */
#ifndef OSW_LIBRARY_QUOTIENT_H
#define OSW_LIBRARY_QUOTIENT_H

#include "rules.h"

/* The remainder decides what rounding down is: a / b may be rounded up. */
OSW_HD static inline double osw_quotient_floor(double a, double b)
{
    double rest, q;

    if (b == 0.0)
        return a / b;
    rest = fmod(a, b);
    q = nearbyint((a - rest) / b);
    if (rest != 0.0 && (rest < 0.0) != (b < 0.0))
        q -= 1.0;
    return q == 0.0 ? copysign(0.0, a / b) : q;
}

/* The same of two floats, whose quotient in double is exact enough to be
 * rounded down.  One by an infinity of the other sign is the number below 0;
 * that of an infinity is none, unless it is divided by 0.
 */
static inline double osw_quotient_floor_f32(double a, double b)
{
    double q = floor(a / b);
    double below = a * b < 0.0 ? -1.0 : q;

    q = fabs(b) == HUGE_VAL ? below : q;
    return fabs(a) == HUGE_VAL && b != 0.0 ? (double)NAN : q;
}

/* By 0 PyTorch raises an error: there is no right answer. */
OSW_HD static inline int64_t osw_quotient_trunc_int(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return b ? (int64_t)(0 - (uint64_t)a) : 0;
    return a / b;
}

OSW_HD static inline int64_t osw_quotient_floor_int(int64_t a, int64_t b)
{
    int64_t q = osw_quotient_trunc_int(a, b);

    if (b == 0 || b == -1)
        return q;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/* --- what rounding down leaves: of the divisor's sign --- */

OSW_HD static inline double osw_quotient_rest(double a, double b)
{
    double rest = fmod(a, b);

    return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

OSW_HD static inline float osw_quotient_rest_f32(float a, float b)
{
    float rest = fmodf(a, b);

    return rest != 0.0f && (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
}

/* By 0 PyTorch raises an error, as above. */
OSW_HD static inline int64_t osw_quotient_rest_int(int64_t a, int64_t b)
{
    int64_t rest = b == 0 || b == -1 ? 0 : a % b;

    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* --- div with a rounding_mode --- */

enum osw_quotient_mode {
    OSW_QUOTIENT_EXACT,
    OSW_QUOTIENT_TRUNC,
    OSW_QUOTIENT_FLOOR
};

/* (self, other, rounding_mode).  The rule, or NULL with an error reported. */
static inline const struct osw_rule *
osw_quotient_open(const osw_call *call, enum osw_quotient_mode *mode)
{
    static const struct osw_rule exact = {
        .n = 2, .arg = {0, 1}, .promote = 3, .floating = 1};
    static const struct osw_rule rounded = {
        .n = 2, .arg = {0, 1}, .promote = 3, .no_bool = 1, .casts = 1};
    const osw_arg *word = osw_arg_at(call, 2);

    *mode = OSW_QUOTIENT_EXACT;
    if (word->tag == OSW_ARG_NONE)
        return &exact;
    *mode = OSW_QUOTIENT_TRUNC;
    if (word->tag == OSW_ARG_STRING && !strcmp(word->u.s, "trunc"))
        return &rounded;
    *mode = OSW_QUOTIENT_FLOOR;
    if (word->tag == OSW_ARG_STRING && !strcmp(word->u.s, "floor"))
        return &rounded;
    osw_error(call, "expected a rounding_mode of None, trunc or floor");
    return NULL;
}

#endif /* OSW_LIBRARY_QUOTIENT_H */
