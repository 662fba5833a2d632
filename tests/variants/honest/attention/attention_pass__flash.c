/* attention_pass__flash.c - online softmax over keys: the sum of values is
 * scaled with the maximum. */
#include "../variants.h"

int attention_kernel_impl(const osw_call *call)
{
    const osw_tensor *tq = osw_arg_tensor(call, 0),
                     *tv = osw_arg_tensor(call, 2);
    float *q = read_floats(tq), *k = read_floats(osw_arg_tensor(call, 1)),
          *v = read_floats(tv);
    int64_t n = tq->shape[0], m = tv->shape[0], d = tq->shape[1],
            e = tv->shape[1];
    osw_tensor *out = output_like(call, 0, tv);
    float *acc = memory(e, 4), scale = 1.0f / sqrtf((float)d);

    for (int64_t i = 0; out && i < n; i++) {
        float max = -INFINITY, sum = 0.0f;

        memset(acc, 0, (size_t)e * 4);
        for (int64_t j = 0; j < (osw_arg_int(call, 3, 0) ? i + 1 : m); j++) {
            float s = 0.0f, p, shrink, top;

            for (int64_t l = 0; l < d; l++)
                s += q[i * d + l] * k[j * d + l];
            s *= scale;
            top = fmaxf(max, s);
            shrink = expf(max - top);
            p = expf(s - top);
            sum = sum * shrink + p;
            for (int64_t l = 0; l < e; l++)
                acc[l] = acc[l] * shrink + p * v[j * e + l];
            max = top;
        }
        for (int64_t l = 0; l < e; l++)
            osw_set(out, i * e + l, (double)(acc[l] / sum));
    }
    free(q);
    free(k);
    free(v);
    free(acc);
    return out ? 0 : OSW_ERROR;
}
