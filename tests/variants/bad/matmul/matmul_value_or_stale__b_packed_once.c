/* matmul_value_or_stale__b_packed_once.c - wrong: b's packed copy is kept for
 * its address, as weights rarely change. */
#include "../variants.h"

int matmul_kernel_impl(const osw_call *call)
{
    static const void *known;
    static int64_t known_size;
    static float *packed;
    const osw_tensor *ta = osw_arg_tensor(call, 0);
    const osw_tensor *tb = osw_arg_tensor(call, 1);
    int64_t m = ta->shape[0], k = ta->shape[1], n = tb->shape[1];
    int64_t shape[2] = {m, n};
    osw_tensor *out = osw_output(call, 0, ta->dtype, 2, shape, NULL);

    if (!out)
        return OSW_ERROR;
    if (known != osw_data(tb) || known_size != k * n) {
        free(packed);
        packed = read_floats(tb);
        known = osw_data(tb);
        known_size = k * n;
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float s = 0.0f;

            for (int64_t l = 0; l < k; l++)
                s += (float)osw_get(ta, i * k + l) * packed[l * n + j];
            osw_set(out, i * n + j, (double)s);
        }
    return 0;
}
