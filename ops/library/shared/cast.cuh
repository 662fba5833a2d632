/* shared/cast.cuh - copies between dtypes, on the device */
#ifndef OSW_LIBRARY_CAST_CUH
#define OSW_LIBRARY_CAST_CUH

#include "copying.cuh"
#include "elementwise.cuh"

/* The element itself, as type To. */
template <class To> struct osw_cast : osw_formula {
    enum { tensors = 1 };
    template <class E> struct result {
        typedef To type;
    };

    template <class T> static OSW_HD T of(T a, T, T)
    {
        return a;
    }
};

/* From and to f32, f16 and bf16; OSW_UNSUPPORTED for others. */
static inline int osw_cast_typed(const struct osw_elementwise_call *c)
{
    int rc = osw_elementwise_try<osw_cast<__half>, float>(c);

    if (rc == OSW_UNSUPPORTED)
        rc = osw_elementwise_try<osw_cast<__nv_bfloat16>, float>(c);
    if (rc == OSW_UNSUPPORTED)
        rc = osw_elementwise_try<osw_cast<float>, __half>(c);
    if (rc == OSW_UNSUPPORTED)
        rc = osw_elementwise_try<osw_cast<__nv_bfloat16>, __half>(c);
    if (rc == OSW_UNSUPPORTED)
        rc = osw_elementwise_try<osw_cast<float>, __nv_bfloat16>(c);
    if (rc == OSW_UNSUPPORTED)
        rc = osw_elementwise_try<osw_cast<__half>, __nv_bfloat16>(c);
    return rc;
}

/* to[...] = from[...], whatever their dtypes but complex.  Not into elements
 * that share a place: which one is left is undefined.
 */
static inline int osw_cast_copy(const osw_call *call, osw_tensor *to,
                                const osw_tensor *from)
{
    struct osw_elementwise_call c;
    struct osw_rule_plan plan;
    int rc;

    if (osw_view_overlaps(to))
        return OSW_UNSUPPORTED;
    if (osw_rule_same(to->dtype, from->dtype))
        return osw_copy_same(call, to, from);
    if (to->dtype.code == OSW_COMPLEX || from->dtype.code == OSW_COMPLEX)
        return OSW_UNSUPPORTED;
    if (!osw_view_fits(to, from))
        return osw_error(call, "source does not broadcast to the target");
    if (osw_numel(to) == 0)
        return 0;
    memset(&plan, 0, sizeof(plan));
    plan.x[0].tensor = from;
    plan.common = from->dtype;
    c = osw_elementwise_begin(call, &plan, 1, 1, to);
    rc = osw_cast_typed(&c);
    if (rc != OSW_UNSUPPORTED)
        return rc;
    if (osw_rule_category(to->dtype) < 2 && osw_rule_category(from->dtype) < 2)
        return osw_elementwise_any<osw_cast<float>, int64_t>(&c);
    return osw_elementwise_any<osw_cast<float>, double>(&c);
}

#endif /* OSW_LIBRARY_CAST_CUH */
