/* attention_reference.c - softmax(q k^T / sqrt d) v, in double. */
#include "../variants.h"

int attention_reference(const osw_call *call)
{
    const osw_tensor *q = osw_arg_tensor(call, 0), *k = osw_arg_tensor(call, 1);
    const osw_tensor *v = osw_arg_tensor(call, 2);
    int64_t n = q->shape[0], m = k->shape[0], d = q->shape[1], e = v->shape[1];
    double *exact = output_like(call, 0, v) ? osw_output_exact(call, 0) : NULL;
    double *p = memory(m, 8);

    if (!exact || !p)
        return OSW_ERROR;
    for (int64_t i = 0; i < n; i++) {
        int64_t end = osw_arg_int(call, 3, 0) ? i + 1 : m;
        double max = -INFINITY, sum = 0.0;

        for (int64_t j = 0; j < end; j++) {
            p[j] = 0.0;
            for (int64_t l = 0; l < d; l++)
                p[j] += osw_get(q, i * d + l) * osw_get(k, j * d + l);
            p[j] /= sqrt((double)d);
            max = fmax(max, p[j]);
        }
        for (int64_t j = 0; j < end; j++)
            sum += p[j] = exp(p[j] - max);
        for (int64_t l = 0; l < e; l++) {
            exact[i * e + l] = 0.0;
            for (int64_t j = 0; j < end; j++)
                exact[i * e + l] += p[j] / sum * osw_get(v, j * e + l);
        }
    }
    free(p);
    return 0;
}
