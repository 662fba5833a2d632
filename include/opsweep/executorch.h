/* opsweep/executorch.h - kernels in ExecuTorch's C++ style, judged as they are
 *
 *     Tensor &scale_out(KernelRuntimeContext &ctx, const Tensor &x, double a,
 *                       Tensor &out);
 *     OSW_EXECUTORCH(scale, myns::native::scale_out, 1)
 *
 * exports scale_kernel_impl(), which hands the call's arguments to the kernel
 * in the order of the functional schema, and so many outputs after them.  An
 * output begins with the shape and dtype of the first tensor; resize_tensor()
 * gives it another shape, until its data is asked for.  Its dtype is another
 * when ScalarTypes follow, one for each output: OSW_EXECUTORCH(eq, f, 1,
 * ScalarType::Bool).
 *
 * The types are opsweep's own: what kernels use of ExecuTorch's, not all of
 * it.  Arguments that are not contiguous are OSW_UNSUPPORTED.  Where ExecuTorch
 * itself is in the compiler's path, its headers are found first, and this one
 * does not fit.
 */
#ifndef OPSWEEP_EXECUTORCH_H
#define OPSWEEP_EXECUTORCH_H

#include <new>
#include <type_traits>

#include <opsweep/executorch_types.h>

#include <opsweep/executorch_dtype.h>

/* --- from a call of opsweep to one of ExecuTorch --- */

namespace osw_et
{

using executorch::aten::ArrayRef;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;

struct context {
    const osw_call *call;
    int n_inputs;             /* arguments from there on are outputs */
    const ScalarType *dtypes; /* of outputs; NULL: as the first tensor */
    bool unsupported = false;
};

inline void shape_as(context &c, TensorImpl &impl, const osw_tensor *t)
{
    std::vector<int32_t> sizes;

    for (int32_t d = 0; d < t->ndim; d++) {
        c.unsupported |= t->shape[d] > INT32_MAX;
        sizes.push_back((int32_t)t->shape[d]);
    }
    impl.call = c.call;
    impl.dtype = t->dtype;
    impl.set_sizes(std::move(sizes));
}

inline const osw_tensor *first_tensor(const osw_call *call)
{
    for (uint32_t i = 0; i < call->n_args; i++) {
        const osw_arg *a = &call->args[i];

        if (a->tag == OSW_ARG_TENSOR)
            return a->u.tensor;
        if (a->tag == OSW_ARG_LIST && a->n > 0 &&
            a->u.items[0].tag == OSW_ARG_TENSOR)
            return a->u.items[0].u.tensor;
    }
    return nullptr;
}

/* One argument: get() is what the kernel takes. */
template <typename T> struct argument;

template <> struct argument<Tensor> {
    TensorImpl impl;
    Tensor tensor{&impl};

    argument(context &c, const osw_arg *a, int output)
    {
        const osw_tensor *t = output >= 0                ? first_tensor(c.call)
                              : a->tag == OSW_ARG_TENSOR ? a->u.tensor
                                                         : nullptr;

        if (!t || (output < 0 && !osw_is_contiguous(t))) {
            c.unsupported = true;
            return;
        }
        shape_as(c, impl, t);
        impl.output = output;
        if (output < 0)
            impl.data = osw_data(t);
        else if (c.dtypes)
            impl.dtype = osw_dtype_of(c.dtypes[output]);
    }
    argument(const argument &) = delete;
    Tensor &get()
    {
        return tensor;
    }
};

/* Numbers, bools, strings, dtypes. */
template <typename T, typename Read> struct plain {
    T value;

    plain(context &c, const osw_arg *a, int) : value(Read::of(c, a))
    {
    }
    T &get()
    {
        return value;
    }
};

struct read {
    static double number(context &c, const osw_arg *a)
    {
        if (a->tag == OSW_ARG_FLOAT)
            return a->u.f;
        c.unsupported |= a->tag != OSW_ARG_INT && a->tag != OSW_ARG_BOOL;
        return (double)a->u.i;
    }
    static int64_t whole(context &c, const osw_arg *a)
    {
        c.unsupported |= a->tag != OSW_ARG_INT && a->tag != OSW_ARG_BOOL;
        return a->u.i;
    }
};

struct read_double : read {
    static double of(context &c, const osw_arg *a)
    {
        return number(c, a);
    }
};
struct read_int : read {
    static int64_t of(context &c, const osw_arg *a)
    {
        return whole(c, a);
    }
};
struct read_bool : read {
    static bool of(context &c, const osw_arg *a)
    {
        return whole(c, a) != 0;
    }
};
struct read_scalar : read {
    static Scalar of(context &c, const osw_arg *a)
    {
        return a->tag == OSW_ARG_BOOL  ? Scalar(a->u.i != 0)
               : a->tag == OSW_ARG_INT ? Scalar(a->u.i)
                                       : Scalar(number(c, a));
    }
};
struct read_string {
    static std::string_view of(context &c, const osw_arg *a)
    {
        c.unsupported |= a->tag != OSW_ARG_STRING;
        return a->tag == OSW_ARG_STRING ? std::string_view(a->u.s, a->n)
                                        : std::string_view();
    }
};

struct read_dtype {
    static ScalarType of(context &c, const osw_arg *a)
    {
        c.unsupported |= a->tag != OSW_ARG_DTYPE;
        return a->tag == OSW_ARG_DTYPE
                   ? executorch::aten::osw_scalar_type(a->u.dtype)
                   : ScalarType::Undefined;
    }
};

template <> struct argument<ScalarType> : plain<ScalarType, read_dtype> {
    using plain::plain;
};
template <> struct argument<double> : plain<double, read_double> {
    using plain::plain;
};
template <> struct argument<int64_t> : plain<int64_t, read_int> {
    using plain::plain;
};
template <> struct argument<bool> : plain<bool, read_bool> {
    using plain::plain;
};
template <> struct argument<Scalar> : plain<Scalar, read_scalar> {
    using plain::plain;
};
template <>
struct argument<std::string_view> : plain<std::string_view, read_string> {
    using plain::plain;
};

template <typename T> struct argument<std::optional<T>> {
    std::optional<argument<T>> inner;
    std::optional<T> value;

    argument(context &c, const osw_arg *a, int)
    {
        if (a->tag == OSW_ARG_NONE)
            return;
        inner.emplace(c, a, -1);
        value.emplace(inner->get());
    }
    std::optional<T> &get()
    {
        return value;
    }
};

/* A list, or one value for a list of one. */
template <typename T> struct argument<ArrayRef<T>> {
    std::vector<std::optional<argument<T>>> inner;
    T *items = nullptr; /* no vector: that of bools has no array */
    size_t n;
    ArrayRef<T> value;

    argument(context &c, const osw_arg *a, int)
        : n(a->tag == OSW_ARG_LIST ? a->n : 1)
    {
        inner = decltype(inner)(n);
        items = (T *)malloc((n ? n : 1) * sizeof(T));
        for (size_t i = 0; i < n; i++) {
            inner[i].emplace(c, a->tag == OSW_ARG_LIST ? &a->u.items[i] : a,
                             -1);
            new (&items[i]) T(inner[i]->get());
        }
        value = ArrayRef<T>(items, n);
    }
    argument(const argument &) = delete;
    ~argument()
    {
        for (size_t i = 0; i < n; i++)
            items[i].~T();
        free(items);
    }
    ArrayRef<T> &get()
    {
        return value;
    }
};

inline int end(const osw_call *call, KernelRuntimeContext &kernel)
{
    switch (kernel.failure_state()) {
    case Error::Ok:
        return 0;
    case Error::NotSupported:
    case Error::NotImplemented:
        return OSW_UNSUPPORTED;
    case Error::InvalidArgument:
        return osw_error(call, "the kernel failed: InvalidArgument");
    default:
        return osw_error(call, "the kernel failed");
    }
}

/* Each output is made, whether its data was asked for or not. */
template <typename T> bool is_made(T &a)
{
    if constexpr (std::is_base_of_v<argument<Tensor>, T>) {
        a.impl.make();
        return !a.impl.failed;
    }
    return true;
}

/* Argument I of a kernel; bases of one struct are made in order, in place. */
template <size_t I, typename T> struct at : argument<T> {
    using argument<T>::argument;
};

template <typename... B> struct all : B... {
    template <size_t... I>
    all(context &c, std::index_sequence<I...>)
        : B(c, osw_arg_at(c.call, (int)I),
            (int)I < c.n_inputs ? -1 : (int)I - c.n_inputs)...
    {
    }
};

template <typename R, typename... P, size_t... I>
int run(R (*kernel)(KernelRuntimeContext &, P...), const osw_call *call,
        int n_outputs, const ScalarType *dtypes, std::index_sequence<I...> seq)
{
    context c{call, (int)sizeof...(P) - n_outputs, dtypes};
    KernelRuntimeContext ctx;

    if ((uint32_t)c.n_inputs != call->n_args)
        return osw_error(call, "the kernel takes another number of arguments "
                               "than the schema has");
    all<at<I, std::decay_t<P>>...> args(c, seq);
    if (c.unsupported)
        return OSW_UNSUPPORTED;
    (void)kernel(ctx, static_cast<at<I, std::decay_t<P>> &>(args).get()...);
    if (int rc = end(call, ctx))
        return rc;
    return (is_made(static_cast<at<I, std::decay_t<P>> &>(args)) && ...)
               ? 0
               : OSW_ERROR;
}

template <typename R, typename... P>
int call(R (*kernel)(KernelRuntimeContext &, P...), const osw_call *call,
         int n_outputs, std::initializer_list<ScalarType> dtypes)
{
    if (dtypes.size() != 0 && dtypes.size() != (size_t)n_outputs)
        return osw_error(call, "OSW_EXECUTORCH: expected a dtype for each "
                               "output, or none");
    return run(kernel, call, n_outputs,
               dtypes.size() == (size_t)n_outputs ? dtypes.begin() : nullptr,
               std::index_sequence_for<P...>());
}

} // namespace osw_et

#define OSW_EXECUTORCH(op, kernel, n_outputs, ...)                             \
    extern "C" int op##_kernel_impl(const osw_call *call)                      \
    {                                                                          \
        using executorch::aten::ScalarType;                                    \
        return osw_et::call(&kernel, call, n_outputs, {__VA_ARGS__});          \
    }

#endif /* OPSWEEP_EXECUTORCH_H */
