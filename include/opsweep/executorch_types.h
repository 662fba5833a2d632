/* opsweep/executorch_types.h - what kernels use of ExecuTorch's types
 *
 * opsweep's own, for executorch.h: not all of ExecuTorch's.  A tensor is an
 * argument of a call, or an output that is made when its data is asked for.
 */
#ifndef OPSWEEP_EXECUTORCH_TYPES_H
#define OPSWEEP_EXECUTORCH_TYPES_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <opsweep/elements.h>
#include <opsweep/op.h>
#include <sys/types.h>

namespace executorch
{
namespace aten
{

/* Numbers are those of torch. */
enum class ScalarType : int8_t {
    Byte = 0,
    Char = 1,
    Short = 2,
    Int = 3,
    Long = 4,
    Half = 5,
    Float = 6,
    Double = 7,
    Bool = 11,
    BFloat16 = 15,
    Undefined = 22
};

struct Half {
    uint16_t x;

    Half() = default;
    Half(float f) : x(osw_f32_to_f16(f))
    {
    }
    operator float() const
    {
        return osw_f16_to_f32(x);
    }
};

struct BFloat16 {
    uint16_t x;

    BFloat16() = default;
    BFloat16(float f) : x(osw_f32_to_bf16(f))
    {
    }
    operator float() const
    {
        return osw_bf16_to_f32(x);
    }
};

template <typename T> class ArrayRef
{
  public:
    ArrayRef() : at(nullptr), n(0)
    {
    }
    ArrayRef(const T *data, size_t size) : at(data), n(size)
    {
    }
    ArrayRef(const std::vector<T> &v) : at(v.data()), n(v.size())
    {
    }
    ArrayRef(std::initializer_list<T> v) : at(v.begin()), n(v.size())
    {
    }
    template <size_t N> ArrayRef(const T (&v)[N]) : at(v), n(N)
    {
    }
    const T *data() const
    {
        return at;
    }
    const T *begin() const
    {
        return at;
    }
    const T *end() const
    {
        return at + n;
    }
    size_t size() const
    {
        return n;
    }
    bool empty() const
    {
        return n == 0;
    }
    const T &operator[](size_t i) const
    {
        return at[i];
    }

  private:
    const T *at;
    size_t n;
};

using std::nullopt;
using std::optional;
using std::string_view;
using SizesType = int32_t;
using StridesType = int32_t;
using DimOrderType = uint8_t;

/* A number, or a bool. */
class Scalar
{
  public:
    Scalar(bool b) : tag(OSW_ARG_BOOL), i(b), f(b)
    {
    }
    Scalar(int64_t v) : tag(OSW_ARG_INT), i(v), f((double)v)
    {
    }
    Scalar(int v) : Scalar((int64_t)v)
    {
    }
    Scalar(double v) : tag(OSW_ARG_FLOAT), i((int64_t)v), f(v)
    {
    }
    bool isBoolean() const
    {
        return tag == OSW_ARG_BOOL;
    }
    bool isIntegral(bool with_bool) const
    {
        return tag == OSW_ARG_INT || (with_bool && isBoolean());
    }
    bool isFloatingPoint() const
    {
        return tag == OSW_ARG_FLOAT;
    }
    template <typename T> T to() const
    {
        return isFloatingPoint() ? (T)f : (T)i;
    }

  private:
    uint32_t tag;
    int64_t i;
    double f;
};

/* One tensor of a call: an argument, or an output that is made when its data is
 * asked for.
 */
struct TensorImpl {
    const osw_call *call = nullptr;
    int output = -1; /* its number; -1: an argument */
    bool made = false, failed = false;
    osw_dtype dtype = {};
    void *data = nullptr;
    std::vector<SizesType> sizes;
    std::vector<StridesType> strides;
    std::vector<DimOrderType> order;

    void set_sizes(std::vector<SizesType> to)
    {
        StridesType step = 1;

        sizes = std::move(to);
        strides.resize(sizes.size());
        order.resize(sizes.size());
        for (size_t d = sizes.size(); d-- > 0;) {
            strides[d] = step;
            order[d] = (DimOrderType)d;
            step *= sizes[d] > 1 ? sizes[d] : 1;
        }
    }

    void *make()
    {
        if (output >= 0 && !made) {
            std::vector<int64_t> shape(sizes.begin(), sizes.end());
            osw_tensor *t =
                osw_output(call, output, dtype, (int32_t)shape.size(),
                           shape.data(), nullptr);

            made = true;
            failed = !t;
            data = t ? osw_data(t) : nullptr;
        }
        return data;
    }
};

inline ScalarType osw_scalar_type(osw_dtype dtype)
{
    int bits = dtype.bits;

    switch (dtype.code) {
    case OSW_INT:
        return bits == 8    ? ScalarType::Char
               : bits == 16 ? ScalarType::Short
               : bits == 32 ? ScalarType::Int
                            : ScalarType::Long;
    case OSW_UINT:
        return bits == 8 ? ScalarType::Byte : ScalarType::Undefined;
    case OSW_FLOAT:
        return bits == 16   ? ScalarType::Half
               : bits == 32 ? ScalarType::Float
                            : ScalarType::Double;
    case OSW_BFLOAT:
        return ScalarType::BFloat16;
    case OSW_BOOL:
        return ScalarType::Bool;
    default:
        return ScalarType::Undefined;
    }
}

class Tensor
{
  public:
    using SizesType = aten::SizesType;
    using StridesType = aten::StridesType;
    using DimOrderType = aten::DimOrderType;

    explicit Tensor(TensorImpl *impl) : impl(impl)
    {
    }
    TensorImpl *unsafeGetTensorImpl() const
    {
        return impl;
    }
    ssize_t dim() const
    {
        return (ssize_t)impl->sizes.size();
    }
    ssize_t size(ssize_t d) const
    {
        return impl->sizes[(size_t)(d < 0 ? d + dim() : d)];
    }
    ssize_t numel() const
    {
        ssize_t n = 1;

        for (SizesType size : impl->sizes)
            n *= size;
        return n;
    }
    ArrayRef<SizesType> sizes() const
    {
        return impl->sizes;
    }
    ArrayRef<StridesType> strides() const
    {
        return impl->strides;
    }
    ArrayRef<DimOrderType> dim_order() const
    {
        return impl->order;
    }
    ssize_t element_size() const
    {
        return impl->dtype.bits / 8;
    }
    size_t nbytes() const
    {
        return (size_t)(numel() * element_size());
    }
    ScalarType scalar_type() const
    {
        return osw_scalar_type(impl->dtype);
    }
    ScalarType dtype() const
    {
        return scalar_type();
    }
    template <typename T = void> const T *const_data_ptr() const
    {
        return (const T *)impl->make();
    }
    template <typename T = void> T *mutable_data_ptr() const
    {
        return (T *)impl->make();
    }
    template <typename T = void> T *data_ptr() const
    {
        return (T *)impl->make();
    }

  private:
    TensorImpl *impl;
};

using IntArrayRef = ArrayRef<int64_t>;
using TensorList = ArrayRef<Tensor>;

} // namespace aten

namespace runtime
{

enum class Error : uint32_t {
    Ok = 0,
    Internal = 1,
    InvalidState = 2,
    NotSupported = 16,
    NotImplemented = 17,
    InvalidArgument = 18,
    InvalidType = 19,
    OperatorMissing = 20,
    MemoryAllocationFailed = 33
};

template <typename T> class Result
{
  public:
    Result(T value) : value(value), why(Error::Ok)
    {
    }
    Result(Error error) : value(), why(error)
    {
    }
    bool ok() const
    {
        return why == Error::Ok;
    }
    Error error() const
    {
        return why;
    }
    T &get()
    {
        return value;
    }
    T &operator*()
    {
        return value;
    }

  private:
    T value;
    Error why;
};

class KernelRuntimeContext
{
  public:
    KernelRuntimeContext() = default;
    KernelRuntimeContext(const KernelRuntimeContext &) = delete;
    ~KernelRuntimeContext()
    {
        for (void *p : pieces)
            free(p);
    }
    void fail(Error error)
    {
        state = error;
    }
    Error failure_state() const
    {
        return state;
    }
    Result<void *> allocate_temp(size_t bytes,
                                 size_t alignment = alignof(max_align_t))
    {
        size_t a =
            alignment > alignof(max_align_t) ? alignment : alignof(max_align_t);
        void *p = aligned_alloc(a, (bytes / a + 1) * a);

        if (!p)
            return Error::MemoryAllocationFailed;
        pieces.push_back(p);
        return p;
    }

  private:
    Error state = Error::Ok;
    std::vector<void *> pieces;
};

template <typename Size>
inline Error resize_tensor(aten::Tensor t, aten::ArrayRef<Size> to)
{
    aten::TensorImpl *impl = t.unsafeGetTensorImpl();
    std::vector<aten::SizesType> sizes(to.begin(), to.end());

    if (sizes == impl->sizes)
        return Error::Ok;
    if (impl->output < 0 || impl->made)
        return Error::NotSupported;
    impl->set_sizes(std::move(sizes));
    return Error::Ok;
}

inline bool tensors_have_same_shape(const aten::Tensor &a,
                                    const aten::Tensor &b)
{
    return a.unsafeGetTensorImpl()->sizes == b.unsafeGetTensorImpl()->sizes;
}

inline bool tensors_have_same_dtype(const aten::Tensor &a,
                                    const aten::Tensor &b)
{
    return a.scalar_type() == b.scalar_type();
}

} // namespace runtime
} // namespace executorch

namespace exec_aten = executorch::aten;

namespace torch
{
namespace executor
{
using namespace executorch::aten;
using executorch::runtime::Error;
using executorch::runtime::KernelRuntimeContext;
using executorch::runtime::resize_tensor;
using executorch::runtime::Result;
using executorch::runtime::tensors_have_same_dtype;
using executorch::runtime::tensors_have_same_shape;
using RuntimeContext = KernelRuntimeContext;
} // namespace executor
} // namespace torch

#define ET_KERNEL_CHECK(context, condition, error, value)                      \
    do {                                                                       \
        if (!(condition)) {                                                    \
            (context).fail(executorch::runtime::Error::error);                 \
            return value;                                                      \
        }                                                                      \
    } while (0)
#define ET_KERNEL_CHECK_MSG(context, condition, error, value, ...)             \
    ET_KERNEL_CHECK(context, condition, error, value)
#define ET_CHECK(condition)                                                    \
    do {                                                                       \
        if (!(condition))                                                      \
            abort();                                                           \
    } while (0)
#define ET_CHECK_MSG(condition, ...) ET_CHECK(condition)
#define ET_LOG(...)                  ((void)0)

#endif /* OPSWEEP_EXECUTORCH_TYPES_H */
