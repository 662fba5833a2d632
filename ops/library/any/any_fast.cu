/* ops/library/any/any_fast.cu - is any element not 0?  16 bytes at a time; a
 * block stops once it has found one
 *
 * The order of elements does not count, so that dimensions are put into that of
 * memory first.  An element is not 0 when a bit of it is set, other than the
 * sign of a float.
 */
#include "any.cuh"

enum { THREADS = 256, IN_FLIGHT = 4 };

struct view {
    struct osw_strided x;     /* what is left when the dense dimension is off */
    int64_t n_outer, n_dense; /* n_dense: bytes */
    uint32_t even, odd;       /* bits that count, of words of 4 bytes */
    uint8_t *out;
};

__device__ static uint32_t bits_of(const struct view &v, uint4 w)
{
    return ((w.x | w.z) & v.even) | ((w.y | w.w) & v.odd);
}

/* Bytes [0, n) of dense memory, n and p multiples of 16. */
static __global__ void __launch_bounds__(THREADS) look_dense(struct view v)
{
    const uint4 *p = (const uint4 *)v.x.data;
    int64_t n = v.n_dense / 16;
    int64_t step = (int64_t)gridDim.x * THREADS;

    for (int64_t first = (int64_t)blockIdx.x * THREADS; first < n;
         first += IN_FLIGHT * step) {
        uint32_t found = 0;

#pragma unroll
        for (int c = 0; c < IN_FLIGHT; c++) {
            int64_t i = first + c * step + threadIdx.x;

            if (i < n)
                found |= bits_of(v, p[i]);
        }
        if (__syncthreads_or(found != 0)) {
            if (threadIdx.x == 0)
                *v.out = 1;
            return;
        }
    }
}

/* Element by element. */
static __global__ void __launch_bounds__(THREADS) look_any(struct view v)
{
    int64_t step = (int64_t)gridDim.x * THREADS;

    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < v.n_outer;
         i += step) {
        const uint8_t *p =
            (const uint8_t *)osw_strided_at(&v.x, osw_strided_offset(&v.x, i));
        uint64_t mask = v.even | (uint64_t)v.odd << 32, bits = 0;
        int bytes = v.x.dtype.bits / 8;

        for (int b = 0; b < bytes; b++)
            bits |= (uint64_t)p[b] << 8 * b;
        if (bits & mask)
            *v.out = 1;
    }
}

/* Dimensions in the order of memory; repeated ones once. */
static int sorted(struct osw_strided *s, const osw_tensor *t)
{
    int32_t order[OSW_STRIDED_DIMS], n = 0;
    int ok = 1;

    s->data = (char *)osw_data(t);
    s->dtype = t->dtype;
    s->ndim = 0;
    if (t->ndim > OSW_STRIDED_DIMS)
        return OSW_UNSUPPORTED;
    for (int32_t d = 0; d < t->ndim; d++) {
        int32_t i = n;

        if (t->strides[d] == 0)
            continue;
        for (; i > 0 && t->strides[order[i - 1]] < t->strides[d]; i--)
            order[i] = order[i - 1];
        order[i] = d;
        n++;
    }
    for (int32_t i = 0; i < n; i++)
        ok &= osw_strided_push(s, t->shape[order[i]], t->strides[order[i]]);
    return ok ? 0 : OSW_UNSUPPORTED;
}

static void set_bits(struct view *v, osw_dtype t)
{
    int is_float = t.code == OSW_FLOAT || t.code == OSW_BFLOAT;

    v->even = v->odd = 0xffffffffu;
    if (is_float && t.bits == 16)
        v->even = v->odd = 0x7fff7fffu;
    if (is_float && t.bits == 32)
        v->even = v->odd = 0x7fffffffu;
    if (is_float && t.bits == 64)
        v->odd = 0x7fffffffu;
}

extern "C" int any_kernel_impl(const osw_call *call)
{
    struct osw_any a;
    struct view v;
    int rc = osw_any_open(call, &a);
    int64_t bytes;

    if (rc)
        return rc;
    if (sorted(&v.x, a.self))
        return OSW_UNSUPPORTED;
    v.out = (uint8_t *)osw_data(a.out);
    cudaMemsetAsync(v.out, 0, 1, (cudaStream_t)call->stream);
    if (osw_numel(a.self) == 0)
        return 0;
    set_bits(&v, a.self->dtype);
    v.n_outer = 1;
    for (int32_t d = 0; d < v.x.ndim; d++)
        v.n_outer *= v.x.shape[d];
    bytes = v.n_outer * (a.self->dtype.bits / 8);
    v.n_dense = bytes / 16 * 16;
    if (v.x.ndim > 1 || (v.x.ndim == 1 && v.x.strides[0] != 1) ||
        ((uintptr_t)v.x.data & 15) != 0 || v.n_dense == 0)
        return osw_launch(call, look_any, dim3(osw_grid(v.n_outer, THREADS)),
                          dim3(THREADS), 0, v);
    osw_launch(call, look_dense,
               dim3(osw_grid(v.n_dense / 16, THREADS * IN_FLIGHT)),
               dim3(THREADS), 0, v);
    if (bytes == v.n_dense)
        return 0;
    v.x.data += v.n_dense; /* what is left of the last 16 bytes */
    v.n_outer = (bytes - v.n_dense) / (a.self->dtype.bits / 8);
    return osw_launch(call, look_any, dim3(1), dim3(THREADS), 0, v);
}
