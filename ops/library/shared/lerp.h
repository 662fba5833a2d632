/* shared/lerp.h - the formula of lerp.Scalar and lerp_.Scalar */
#ifndef OSW_LIBRARY_LERP_H
#define OSW_LIBRARY_LERP_H

/* a + c (b - a), from the end that is nearer: a large a does not swallow b, and
 * a weight of 1 gives b.
 */
#define OSW_LERP(a, b, c)                                                      \
    (2 * (c) < 1 && 2 * (c) > -1 ? (a) + (c) * ((b) - (a))                     \
                                 : (b) - ((b) - (a)) * (1 - (c)))

#endif /* OSW_LIBRARY_LERP_H */
