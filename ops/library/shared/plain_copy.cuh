/* shared/plain_copy.cuh - copies and fills as a user writes them first:
 * a thread per element
 */
#ifndef OSW_LIBRARY_PLAIN_COPY_CUH
#define OSW_LIBRARY_PLAIN_COPY_CUH

#include "copy_reference.h"
#include "plain_elements.cuh"

struct osw_plain_copy_job {
    struct osw_plain_axes axes; /* of the target, then of the source */
    int64_t total;
    char *to;
    const char *from;
    osw_dtype to_dtype, from_dtype;
};

/* 16 bytes that are only moved. */
struct osw_plain_16 {
    uint64_t low, high;
};

/* Calls f with a value of an element's size. */
template <class F> static int osw_plain_by_size(osw_dtype t, F f)
{
    switch (t.bits) {
    case 8:
        return f(uint8_t());
    case 16:
        return f(uint16_t());
    case 32:
        return f(uint32_t());
    case 64:
        return f(uint64_t());
    case 128:
        return f(osw_plain_16());
    default:
        return OSW_UNSUPPORTED;
    }
}

template <class T, class I>
__global__ void
osw_plain_move_kernel(const __grid_constant__ osw_plain_copy_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[2];

        osw_plain_at<2>(job.axes, i, at);
        ((T *)job.to)[at[0]] = ((const T *)job.from)[at[1]];
    }
}

template <class To, class From, class I>
__global__ void
osw_plain_cast_kernel(const __grid_constant__ osw_plain_copy_job job)
{
    typedef typename osw_plain_math<From>::type A;

    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[2];

        osw_plain_at<2>(job.axes, i, at);
        osw_plain_store((To *)job.to + at[0],
                        osw_plain_load<A>((const From *)job.from + at[1]));
    }
}

/* Between any two dtypes, asked for at every element. */
template <class I>
__global__ void
osw_plain_convert_kernel(const __grid_constant__ osw_plain_copy_job job)
{
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at[2];

        osw_plain_at<2>(job.axes, i, at);
        osw_copy_reference_one(
            job.to_dtype, job.to + at[0] * (job.to_dtype.bits / 8),
            job.from_dtype, job.from + at[1] * (job.from_dtype.bits / 8));
    }
}

/* Is a cast between the two one rounding, done by the language? */
template <class To, class From> struct osw_plain_casts {
    enum {
        to_float = std::is_same<To, float>::value,
        from_float = std::is_same<From, float>::value,
        from_bool = std::is_same<From, osw_plain_bool>::value,
        from_half = osw_plain_is_half<From>::value,
        value = to_float ||
                (osw_plain_is_half<To>::value &&
                 (from_float || from_half || from_bool)) ||
                (std::is_same<To, double>::value && (from_float || from_half))
    };
};

template <class To>
static int osw_plain_cast(const osw_call *call,
                          const struct osw_plain_copy_job &job)
{
    return osw_plain_by_dtype(job.from_dtype, [&](auto e) {
        typedef decltype(e) From;

        if constexpr (osw_plain_casts<To, From>::value) {
            return osw_plain_by_count(job.total, [&](auto i) {
                typedef decltype(i) I;

                return osw_plain_launch(
                    call, osw_plain_cast_kernel<To, From, I>, job.total, job);
            });
        } else {
            return OSW_UNSUPPORTED;
        }
    });
}

static inline int osw_plain_move(const osw_call *call,
                                 const struct osw_plain_copy_job &job)
{
    return osw_plain_by_size(job.to_dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call, osw_plain_move_kernel<T, decltype(i)>,
                                    job.total, job);
        });
    });
}

/* All pairs of dtypes but complex with others. */
static inline int osw_plain_convert(const osw_call *call,
                                    const struct osw_plain_copy_job &job)
{
    int rc = osw_plain_by_float(job.to_dtype, [&](auto e) {
        return osw_plain_cast<decltype(e)>(call, job);
    });

    if (rc != OSW_UNSUPPORTED)
        return rc;
    return osw_plain_by_count(job.total, [&](auto i) {
        return osw_plain_launch(call, osw_plain_convert_kernel<decltype(i)>,
                                job.total, job);
    });
}

/* to[...] = from[...], broadcast to its shape and converted.  Not into
 * elements that share a place.
 */
static inline int osw_plain_copy(const osw_call *call, const osw_tensor *to,
                                 const osw_tensor *from)
{
    const osw_tensor *t[OSW_PLAIN_TENSORS] = {to, from};
    struct osw_plain_copy_job job = {};

    if (!osw_view_fits(to, from))
        return osw_error(call, "source does not broadcast to the target");
    if (osw_view_overlaps(to))
        return OSW_UNSUPPORTED;
    osw_plain_axes_of(&job.axes, to->ndim, to->shape, t);
    job.total = osw_numel(to);
    job.to = (char *)osw_data(to);
    job.from = (const char *)osw_data(from);
    job.to_dtype = to->dtype;
    job.from_dtype = from->dtype;
    if (osw_rule_same(to->dtype, from->dtype))
        return osw_plain_move(call, job);
    if (to->dtype.code == OSW_COMPLEX || from->dtype.code == OSW_COMPLEX)
        return OSW_UNSUPPORTED;
    return osw_plain_convert(call, job);
}

/* --- fills --- */

template <class T>
__global__ void osw_plain_fill_kernel(T *to, T value, int64_t total)
{
    for (int64_t i = osw_plain_first<int64_t>(); i < total;
         i += osw_plain_step<int64_t>())
        to[i] = value;
}

/* Every element of t, which is contiguous, becomes e. */
static inline int osw_plain_fill_with(const osw_call *call, const osw_tensor *t,
                                      struct osw_element e)
{
    return osw_plain_by_size(t->dtype, [&](auto value) {
        typedef decltype(value) T;

        memcpy(&value, e.words, sizeof(value));
        return osw_plain_launch(call, osw_plain_fill_kernel<T>, osw_numel(t),
                                (T *)osw_data(t), value, osw_numel(t));
    });
}

static inline int osw_plain_fill(const osw_call *call, const osw_tensor *t,
                                 double v)
{
    return osw_plain_fill_with(call, t, osw_element_of(t->dtype, v));
}

/* Argument i of the call. */
static inline int osw_plain_fill_arg(const osw_call *call, const osw_tensor *t,
                                     int i)
{
    return osw_plain_fill_with(call, t, osw_element_arg(call, i, t->dtype));
}

struct osw_plain_fill_job {
    struct osw_plain_axes axes;
    int64_t total;
    char *to;
    struct osw_element element;
};

template <class T, class I>
__global__ void
osw_plain_fill_any_kernel(const __grid_constant__ osw_plain_fill_job job)
{
    T value;

    memcpy(&value, job.element.words, sizeof(value));
    for (I i = osw_plain_first<I>(); i < (I)job.total;
         i += osw_plain_step<I>()) {
        int64_t at;

        osw_plain_at<1>(job.axes, i, &at);
        ((T *)job.to)[at] = value;
    }
}

/* The same of a tensor that may have gaps. */
static inline int osw_plain_fill_any(const osw_call *call, const osw_tensor *to,
                                     struct osw_element e)
{
    const osw_tensor *t[OSW_PLAIN_TENSORS] = {to};
    osw_plain_fill_job job = {};

    if (to->ndim > OSW_RULE_DIMS)
        return OSW_UNSUPPORTED;
    osw_plain_axes_of(&job.axes, to->ndim, to->shape, t);
    job.total = osw_numel(to);
    job.to = (char *)osw_data(to);
    job.element = e;
    return osw_plain_by_size(to->dtype, [&](auto e) {
        typedef decltype(e) T;

        return osw_plain_by_count(job.total, [&](auto i) {
            return osw_plain_launch(call,
                                    osw_plain_fill_any_kernel<T, decltype(i)>,
                                    job.total, job);
        });
    });
}

#endif /* OSW_LIBRARY_PLAIN_COPY_CUH */
