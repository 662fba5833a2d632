/* matmul_reference.c - the product in double, with the norms of its terms. */
#include "../variants.h"

int matmul_reference(const osw_call *call)
{
    const osw_tensor *ta = osw_arg_tensor(call, 0);
    const osw_tensor *tb = osw_arg_tensor(call, 1);
    int64_t m = ta->shape[0], k = ta->shape[1], n = tb->shape[1];
    int64_t shape[2] = {m, n};
    double *a, *b, *exact, *norm;

    if (!osw_output(call, 0, ta->dtype, 2, shape, NULL))
        return OSW_ERROR;
    a = read_doubles(ta);
    b = read_doubles(tb);
    exact = osw_output_exact(call, 0);
    norm = osw_output_norm(call, 0);
    if (!a || !b || !exact)
        return OSW_ERROR;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0.0, squares = 0.0;

            for (int64_t l = 0; l < k; l++) {
                double t = a[i * k + l] * b[l * n + j];

                sum += t;
                squares += t * t;
            }
            exact[i * n + j] = sum;
            if (norm)
                norm[i * n + j] = sqrt(squares);
        }
    free(a);
    free(b);
    return 0;
}
