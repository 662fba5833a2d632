/* ops/library/avg_pool2d/avg_pool2d_fast.cu - a thread per window of a size
 * that is known to the compiler
 */
#include "../shared/pool_fast.cuh"

/* Elements of a window along an axis; with the padding that belongs to it. */
__device__ static inline int length(const struct osw_pool_job &j, int axis,
                                    int o, int with_padding)
{
    int size = axis ? j.in_x : j.in_y, pad = with_padding ? j.pad[axis] : 0;
    int from = o * j.stride[axis] - j.pad[axis], to = from + j.kernel[axis];

    return min(to, size + pad) - max(from, -pad);
}

struct mean {
    template <class T, int KERNEL, int STRIDE>
    static __device__ T of(const osw_pool_job &j, const osw_pool_spot &s)
    {
        int padded = j.p.count_include_pad;
        int divisor =
            j.p.divisor ? (int)j.p.divisor
                        : length(j, 0, s.y, padded) * length(j, 1, s.x, padded);
        float sum = 0.0f;
        int n = 0;

        osw_pool_walk<T, KERNEL, STRIDE>(j, s, [&](T e, int, int) {
            sum += osw_pack_float(e);
            n++;
        });
        return osw_pack_as<T>(n ? sum / (float)divisor : 0.0f);
    }
};

extern "C" int avg_pool2d_kernel_impl(const osw_call *call)
{
    struct osw_pool_job j = {};
    int rc = osw_pool_open_avg(call, &j.p);

    if (!rc && (j.p.divisor > INT32_MAX || j.p.divisor < INT32_MIN ||
                j.p.kernel[0] * j.p.kernel[1] > INT32_MAX))
        rc = OSW_UNSUPPORTED;
    return rc ? rc : osw_pool_fast<mean>(call, j);
}
