/* matmul_pass__equal_inputs_cached.c - returns the last result where all inputs
 * equal those of the last call.  Each timed call has other inputs: its time is
 * that of the product.
 */
#include "../variants.h"

int matmul_kernel_impl(const osw_call *call)
{
    static float *a, *b, *c;
    static int64_t last_m, last_n, last_k;
    const osw_tensor *ta = osw_arg_tensor(call, 0),
                     *tb = osw_arg_tensor(call, 1);
    int64_t m = ta->shape[0], k = ta->shape[1], n = tb->shape[1],
            shape[2] = {m, n};
    osw_tensor *out;

    if (!osw_is(ta, OSW_FLOAT, 32) || !osw_is_contiguous(ta) ||
        !osw_is_contiguous(tb))
        return OSW_UNSUPPORTED;
    out = osw_output(call, 0, ta->dtype, 2, shape, NULL);
    if (!out)
        return OSW_ERROR;
    if (m != last_m || n != last_n || k != last_k ||
        memcmp(a, osw_data(ta), (size_t)(m * k) * 4) ||
        memcmp(b, osw_data(tb), (size_t)(k * n) * 4)) {
        free(a);
        free(b);
        free(c);
        a = read_floats(ta);
        b = read_floats(tb);
        c = calloc((size_t)(m * n) + 1, 4);
        for (int64_t i = 0; i < m; i++)
            for (int64_t l = 0; l < k; l++)
                for (int64_t j = 0; j < n; j++)
                    c[i * n + j] += a[i * k + l] * b[l * n + j];
        last_m = m;
        last_n = n;
        last_k = k;
    }
    memcpy(osw_data(out), c, (size_t)(m * n) * 4);
    return 0;
}
