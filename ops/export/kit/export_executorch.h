/* opsweep/export_executorch.h - exported operators as kernels of ExecuTorch
 *
 * A kernel hands its arguments on to osw_export_call_making(); an `out` gets
 * the shape that the implementation asks for.  Refused are an `out` of another
 * dtype, one that is not contiguous, and one that shares memory with an
 * argument.
 */
#ifndef OPSWEEP_EXPORT_EXECUTORCH_H
#define OPSWEEP_EXPORT_EXECUTORCH_H

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <vector>

#include <executorch/runtime/kernel/kernel_includes.h>
#include <opsweep/op.h>

extern "C" {
int osw_export_call_making(int op, const int64_t *words, int64_t n,
                           const char *(*make)(void *to, int i, osw_tensor *t),
                           void *to);
const char *osw_export_error(void);
}

namespace osw_export_et
{

namespace types
{
using executorch::aten::ArrayRef;
using executorch::aten::optional;
using executorch::aten::Scalar;
using executorch::aten::ScalarType;
using executorch::aten::string_view;
using executorch::aten::Tensor;
using executorch::runtime::KernelRuntimeContext;
} // namespace types

using namespace types;
using executorch::runtime::Error;
using words = std::vector<int64_t>;

/* code and bits of DLPack; 0 bits: a dtype that kernels do not know */
inline osw_dtype dtype_of(ScalarType type)
{
    switch (type) {
    case ScalarType::Byte:
        return {OSW_UINT, 8, 1};
    case ScalarType::Char:
        return {OSW_INT, 8, 1};
    case ScalarType::Short:
        return {OSW_INT, 16, 1};
    case ScalarType::Int:
        return {OSW_INT, 32, 1};
    case ScalarType::Long:
        return {OSW_INT, 64, 1};
    case ScalarType::Half:
        return {OSW_FLOAT, 16, 1};
    case ScalarType::Float:
        return {OSW_FLOAT, 32, 1};
    case ScalarType::Double:
        return {OSW_FLOAT, 64, 1};
    case ScalarType::BFloat16:
        return {OSW_BFLOAT, 16, 1};
    case ScalarType::Bool:
        return {OSW_BOOL, 8, 1};
    default:
        return {0, 0, 1};
    }
}

/* --- arguments, as osw_export_call() has them --- */

/* Beside the words: where tensors lie, to find an `out` that is one of them. */
struct arguments {
    words w;
    std::vector<std::pair<const char *, size_t>> memory;
};

inline void put(arguments &a, ScalarType type)
{
    osw_dtype dtype = dtype_of(type);

    a.w.insert(a.w.end(), {OSW_ARG_DTYPE, dtype.code, dtype.bits});
}

inline void put(arguments &a, const Tensor &t)
{
    osw_dtype dtype = dtype_of(t.scalar_type());
    const void *data = t.const_data_ptr();

    a.w.insert(a.w.end(), {OSW_ARG_TENSOR, (int64_t)(intptr_t)data, dtype.code,
                           dtype.bits, (int64_t)t.dim()});
    a.w.insert(a.w.end(), t.sizes().begin(), t.sizes().end());
    a.w.insert(a.w.end(), t.strides().begin(), t.strides().end());
    a.memory.emplace_back((const char *)data, t.nbytes());
}

inline void put(arguments &a, bool b)
{
    a.w.insert(a.w.end(), {OSW_ARG_BOOL, b});
}

inline void put(arguments &a, int64_t i)
{
    a.w.insert(a.w.end(), {OSW_ARG_INT, i});
}

inline void put(arguments &a, double f)
{
    int64_t bits;

    memcpy(&bits, &f, sizeof(bits));
    a.w.insert(a.w.end(), {OSW_ARG_FLOAT, bits});
}

inline void put(arguments &a, string_view s)
{
    a.w.insert(a.w.end(), {OSW_ARG_STRING, (int64_t)s.size(),
                           (int64_t)(intptr_t)s.data()});
}

inline void put(arguments &a, const Scalar &s)
{
    if (s.isBoolean())
        put(a, s.to<bool>());
    else if (s.isIntegral(false))
        put(a, s.to<int64_t>());
    else
        put(a, s.to<double>());
}

template <typename T> void put(arguments &a, const optional<T> &v);

template <typename T> void put(arguments &a, ArrayRef<T> list)
{
    a.w.insert(a.w.end(), {OSW_ARG_LIST, (int64_t)list.size()});
    for (const T &item : list)
        put(a, item);
}

template <typename T> void put(arguments &a, const optional<T> &v)
{
    if (v)
        put(a, *v);
    else
        a.w.push_back(OSW_ARG_NONE);
}

/* --- outputs --- */

struct outputs {
    Tensor *const *at;
    const arguments *given;
};

inline bool is_contiguous(const Tensor &t)
{
    int64_t step = 1;

    for (ssize_t d = t.dim(); d-- > 0;) {
        if (t.size(d) != 1 && t.strides()[(size_t)d] != step)
            return false;
        step *= t.size(d);
    }
    return true;
}

inline bool overlaps(const arguments &a, const Tensor &t)
{
    uintptr_t from = (uintptr_t)t.const_data_ptr();

    for (const auto &m : a.memory) {
        uintptr_t other = (uintptr_t)m.first;

        if (from < other + m.second && other < from + t.nbytes())
            return true;
    }
    return false;
}

/* Memory for output i, in the shape and dtype that *t has; or why not. */
inline const char *make(void *to, int i, osw_tensor *t)
{
    const outputs *o = (const outputs *)to;
    Tensor &out = *o->at[i];
    osw_dtype dtype = dtype_of(out.scalar_type());
    std::vector<executorch::aten::SizesType> sizes(t->shape,
                                                   t->shape + t->ndim);

    if (dtype.code != t->dtype.code || dtype.bits != t->dtype.bits)
        return "an out of another dtype was given";
    if (executorch::runtime::resize_tensor(
            out, ArrayRef<executorch::aten::SizesType>(
                     sizes.data(), sizes.size())) != Error::Ok)
        return "the out that was given cannot have the result's shape";
    if (!is_contiguous(out))
        return "an out was given that is not "
               "contiguous";
    if (overlaps(*o->given, out))
        return "an out was given that shares memory "
               "with an argument";
    t->data = out.mutable_data_ptr();
    return nullptr;
}

template <typename... A>
void call(KernelRuntimeContext &ctx, int op,
          std::initializer_list<Tensor *> outs, const A &...args)
{
    arguments a;
    outputs o = {outs.begin(), &a};
    int rc;

    /* device, threads, stream, seed, workspace */
    a.w = {OSW_CPU, 0, 1, 0, 0, 0, 0, (int64_t)sizeof...(A)};
    (put(a, args), ...);
    a.w.push_back((int64_t)outs.size());
    a.w.insert(a.w.end(), outs.size(), OSW_ARG_NONE);
    rc = osw_export_call_making(op, a.w.data(), (int64_t)a.w.size(), make, &o);
    if (rc == 0)
        return;
    ET_LOG(Error, "%s",
           rc == OSW_UNSUPPORTED ? "no implementation takes these arguments"
                                 : osw_export_error());
    ctx.fail(rc == OSW_UNSUPPORTED ? Error::NotSupported
                                   : Error::InvalidArgument);
}

} // namespace osw_export_et

#endif /* OPSWEEP_EXPORT_EXECUTORCH_H */
