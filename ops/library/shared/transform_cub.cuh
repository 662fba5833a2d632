/* shared/transform_cub.cuh - one formula over all elements, by CUB
 *
 * cub::DeviceTransform over tensors of one dtype of f32, f16 and bf16 that lie
 * without gaps in the same order; other operands are numbers.
 */
#ifndef OSW_LIBRARY_TRANSFORM_CUB_CUH
#define OSW_LIBRARY_TRANSFORM_CUB_CUH

#include "elementwise.cuh"

#include <cub/device/device_transform.cuh>
#include <cuda/functional>
#include <cuda/std/tuple>

/* F on elements; the operands after those that are given are numbers. */
template <class F, class E> struct osw_cub_formula {
    float b, c;

    __device__ E operator()(E x) const
    {
        const float all[OSW_RULE_OPERANDS] = {osw_pack_float(x), b, c};

        return osw_pack_as<E>(osw_formula_of<F, E>(all));
    }

    __device__ E operator()(E x, E y) const
    {
        const float all[OSW_RULE_OPERANDS] = {osw_pack_float(x),
                                              osw_pack_float(y), c};

        return osw_pack_as<E>(osw_formula_of<F, E>(all));
    }
};

template <class F, class E, int K>
static int osw_cub_launch(const struct osw_elementwise_call *c)
{
    const struct osw_rule_operand *x = c->plan->x;
    auto f = cuda::proclaim_copyable_arguments(osw_cub_formula<F, E>{
        c->n > 1 ? (float)x[1].number : 0, c->n > 2 ? (float)x[2].number : 0});
    const E *a = (const E *)osw_data(x[0].tensor);
    E *y = (E *)osw_data(c->out);
    int64_t n = osw_numel(c->out);
    cudaError_t e;

    if constexpr (K == 1)
        e = cub::DeviceTransform::Transform(a, y, n, f, c->stream);
    else
        e = cub::DeviceTransform::Transform(
            cuda::std::make_tuple(a, (const E *)osw_data(x[1].tensor)), y, n, f,
            c->stream);
    return e == cudaSuccess ? 0 : OSW_ERROR;
}

/* Do the output and the first K operands have contiguous elements, and are
 * the others numbers?
 */
static inline int osw_cub_fits(const struct osw_elementwise_call *c, int K)
{
    int fits = c->axes.n == 1;

    for (int k = 0; k <= K; k++)
        fits &= c->axes.axis[0].step[k] == 1;
    for (int k = K; k < c->n; k++)
        fits &= !c->plan->x[k].tensor;
    return fits;
}

template <class F, class E>
static int osw_cub_try(const struct osw_elementwise_call *c)
{
    int walking = osw_elementwise_walking(c, F::tensors);

    if (!osw_elementwise_is<E, E>(c) || walking < 1 ||
        !osw_cub_fits(c, walking))
        return OSW_UNSUPPORTED;
    if constexpr (F::tensors > 1)
        if (walking == 2)
            return osw_cub_launch<F, E, 2>(c);
    return osw_cub_launch<F, E, 1>(c);
}

/* What <op>_kernel_impl of an elementwise op does. */
template <class F>
static int osw_cub_run(const osw_call *call, const struct osw_rule *rule)
{
    struct osw_elementwise_call c;
    struct osw_rule_plan plan;
    int rc;
    osw_tensor *out = osw_rule_declare(call, rule, &plan, &rc);

    if (!out || osw_numel(out) == 0)
        return rc;
    c = osw_elementwise_begin(call, &plan, rule->n, F::tensors, out);
    rc = osw_cub_try<F, float>(&c);
    if (rc == OSW_UNSUPPORTED)
        rc = osw_cub_try<F, __half>(&c);
    if (rc == OSW_UNSUPPORTED)
        rc = osw_cub_try<F, __nv_bfloat16>(&c);
    return rc;
}

#endif /* OSW_LIBRARY_TRANSFORM_CUB_CUH */
