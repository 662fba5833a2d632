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
#include <opsweep/executorch_dtype.h>
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

/* --- arguments, as osw_export_call() has them --- */

inline void put(words &w, ScalarType type)
{
    osw_dtype dtype = osw_dtype_of(type);

    w.insert(w.end(), {OSW_ARG_DTYPE, dtype.code, dtype.bits});
}

inline void put(words &w, const Tensor &t)
{
    osw_dtype dtype = osw_dtype_of(t.scalar_type());
    const void *data = t.const_data_ptr();

    w.insert(w.end(), {OSW_ARG_TENSOR, (int64_t)(intptr_t)data, dtype.code,
                       dtype.bits, (int64_t)t.dim()});
    w.insert(w.end(), t.sizes().begin(), t.sizes().end());
    w.insert(w.end(), t.strides().begin(), t.strides().end());
}

inline void put(words &w, bool b)
{
    w.insert(w.end(), {OSW_ARG_BOOL, b});
}

inline void put(words &w, int64_t i)
{
    w.insert(w.end(), {OSW_ARG_INT, i});
}

inline void put(words &w, double f)
{
    int64_t bits;

    memcpy(&bits, &f, sizeof(bits));
    w.insert(w.end(), {OSW_ARG_FLOAT, bits});
}

inline void put(words &w, string_view s)
{
    w.insert(w.end(),
             {OSW_ARG_STRING, (int64_t)s.size(), (int64_t)(intptr_t)s.data()});
}

inline void put(words &w, const Scalar &s)
{
    if (s.isBoolean())
        put(w, s.to<bool>());
    else if (s.isIntegral(false))
        put(w, s.to<int64_t>());
    else
        put(w, s.to<double>());
}

template <typename T> void put(words &w, const optional<T> &v);

template <typename T> void put(words &w, ArrayRef<T> list)
{
    w.insert(w.end(), {OSW_ARG_LIST, (int64_t)list.size()});
    for (const T &item : list)
        put(w, item);
}

template <typename T> void put(words &w, const optional<T> &v)
{
    if (v)
        put(w, *v);
    else
        w.push_back(OSW_ARG_NONE);
}

/* --- outputs --- */

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

/* Memory for output i, in the shape and dtype that *t has; or why not. */
inline const char *make(void *to, int i, osw_tensor *t)
{
    Tensor &out = *((Tensor *const *)to)[i];
    osw_dtype dtype = osw_dtype_of(out.scalar_type());
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
    t->data = out.mutable_data_ptr();
    return nullptr;
}

template <typename... A>
void call(KernelRuntimeContext &ctx, int op,
          std::initializer_list<Tensor *> outs, const A &...args)
{
    /* device, threads, stream, seed, workspace */
    words w = {OSW_CPU, 0, 1, 0, 0, 0, 0, (int64_t)sizeof...(A)};
    int rc;

    (put(w, args), ...);
    w.push_back((int64_t)outs.size());
    w.insert(w.end(), outs.size(), OSW_ARG_NONE);
    rc = osw_export_call_making(op, w.data(), (int64_t)w.size(), make,
                                (void *)outs.begin());
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
