/* shared/element.h - a number as an element of a dtype
 *
 * An integer of more than 53 bits is no double: integers stay integers where
 * the dtype has them, too.
 */
#ifndef OSW_LIBRARY_ELEMENT_H
#define OSW_LIBRARY_ELEMENT_H

#include <opsweep/elements.h>

struct osw_element {
    uint64_t words[2]; /* the element's bytes come first */
};

static inline struct osw_element osw_element_of(osw_dtype t, double v)
{
    struct osw_element e = {{0, 0}};

    osw_store(t, e.words, v);
    return e;
}

/* Argument i as an element of t; 0 where there is none. */
static inline struct osw_element osw_element_arg(const osw_call *call, int i,
                                                 osw_dtype t)
{
    struct osw_element e = {{0, 0}};

    if (osw_arg_at(call, i)->tag != OSW_ARG_INT ||
        (t.code != OSW_INT && t.code != OSW_UINT))
        return osw_element_of(t, osw_arg_float(call, i, 0.0));
    memcpy(e.words, &osw_arg_at(call, i)->u.i, t.bits / 8); /* the low bytes */
    return e;
}

/* A number that elements are multiplied by: floats, or integers. */
struct osw_factor {
    double of_floats;
    int64_t of_integers;
};

/* Argument i; 1 where there is none. */
static inline struct osw_factor osw_factor_arg(const osw_call *call, int i)
{
    struct osw_factor f = {1.0, 1};

    f.of_floats = osw_arg_float(call, i, 1.0);
    f.of_integers = osw_arg_int(call, i, 1);
    return f;
}

#endif /* OSW_LIBRARY_ELEMENT_H */
