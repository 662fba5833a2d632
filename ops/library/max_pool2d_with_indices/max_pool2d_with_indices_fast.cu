/* ops/library/max_pool2d_with_indices/max_pool2d_with_indices_fast.cu - a
 * thread per window of a size that is known to the compiler
 */
#include "../shared/pool_fast.cuh"

struct maximum {
    template <class T, int KERNEL, int STRIDE>
    static __device__ T of(const osw_pool_job &j, const osw_pool_spot &s)
    {
        const osw_image &m = j.indices;
        float largest = -INFINITY;
        int index = -1;

        osw_pool_walk<T, KERNEL, STRIDE>(j, s, [&](T e, int y, int x) {
            float v = osw_pack_float(e);

            if (v > largest || v != v || index < 0) {
                largest = v;
                index = y * j.in_x + x;
            }
        });
        ((int64_t *)m.data)[osw_image_offset(&m, s.n, s.c, s.y, s.x)] = index;
        return osw_pack_as<T>(largest);
    }
};

extern "C" int max_pool2d_with_indices_kernel_impl(const osw_call *call)
{
    struct osw_pool_job j = {};
    int rc = osw_pool_open_max(call, &j.p, &j.indices);

    if (!rc && j.p.in.y * j.p.in.x > INT32_MAX)
        rc = OSW_UNSUPPORTED;
    return rc ? rc : osw_pool_fast<maximum>(call, j);
}
