/* shared/convolution_calls.cuh - convolution and its gradients: references (E:
 * osw_plain_mixed<double>) and baselines
 *
 * References of groups that are not tiny are products of matrices; all else has
 * a thread or a block for each element.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_CALLS_CUH
#define OSW_LIBRARY_CONVOLUTION_CALLS_CUH

#include "convolution_exact.cuh"

/* exact: references.  0, or OSW_ERROR. */
static inline int osw_conv_result_of(const osw_call *call, int i,
                                     const osw_tensor *t, int exact,
                                     struct osw_conv_result *to)
{
    to->exact = exact ? osw_output_exact(call, i) : NULL;
    to->norm = to->exact ? osw_output_norm(call, i) : NULL;
    to->out = (char *)osw_data(t);
    to->dtype = t->dtype;
    return exact && !to->exact ? OSW_ERROR : 0;
}

/* A reference's job as a product of matrices.  OSW_UNSUPPORTED: it is not to be
 * one.
 */
template <class E>
static int osw_conv_as_product(const osw_call *call, const osw_conv_job &job,
                               enum osw_exact_what what)
{
    if constexpr (osw_plain_is_mixed<E>::value) {
        struct osw_exact p;
        int rc = osw_exact_of(job, what, &p);

        return rc ? rc : osw_exact_launch(call, &p);
    }
    return OSW_UNSUPPORTED;
}

/* y (or x) from `from` and the weight. */
template <class E>
static int osw_conv_launch(const osw_call *call, const osw_conv_job &job,
                           int to_y)
{
    const struct osw_conv &c = job.c;
    int64_t n =
        c.batch * c.groups *
        (to_y ? c.n_y * osw_conv_prod(c.y) : c.n_x * osw_conv_prod(c.x));

    int rc =
        osw_conv_as_product<E>(call, job, to_y ? OSW_EXACT_Y : OSW_EXACT_X);

    if (rc != OSW_UNSUPPORTED)
        return rc;
    return osw_plain_launch(call, to_y ? osw_conv_to_y<E> : osw_conv_to_x<E>, n,
                            job);
}

template <class E>
static int osw_conv_forward(const osw_call *call, const struct osw_conv *c,
                            int exact)
{
    osw_conv_job job = {};

    job.c = *c;
    job.a = osw_conv_image_of(c->input);
    job.b = osw_conv_image_of(c->weight);
    if (c->bias) {
        job.bias = (const char *)osw_data(c->bias);
        job.bias_step = c->bias->strides[0];
    }
    if (osw_conv_result_of(call, 0, c->out, exact, &job.to))
        return OSW_ERROR;
    return osw_conv_launch<E>(call, job, !c->transposed);
}

template <class E>
static int osw_conv_bias_gradient(const osw_call *call, osw_conv_job &job,
                                  int exact)
{
    const struct osw_conv *c = &job.c;
    int64_t n = osw_numel(c->dbias);

    if (osw_conv_result_of(call, c->i_dbias, c->dbias, exact, &job.to))
        return OSW_ERROR;
    job.a = osw_conv_image_of(c->grad);
    return osw_plain_launch_rows(call, osw_plain_block(),
                                 osw_conv_to_bias<osw_plain_block, E>, n, job);
}

template <class E>
static int osw_conv_backward(const osw_call *call, const struct osw_conv *c,
                             int exact)
{
    osw_conv_job job = {};
    int rc = 0;

    job.c = *c;
    if (c->dinput) {
        job.a = osw_conv_image_of(c->grad);
        job.b = osw_conv_image_of(c->weight);
        rc = osw_conv_result_of(call, c->i_dinput, c->dinput, exact, &job.to);
        if (!rc)
            rc = osw_conv_launch<E>(call, job, c->transposed);
    }
    if (!rc && c->dweight) {
        job.a = osw_conv_image_of(osw_conv_x(c));
        job.b = osw_conv_image_of(osw_conv_y(c));
        rc = osw_conv_result_of(call, c->i_dweight, c->dweight, exact, &job.to);
        if (!rc)
            rc = osw_conv_as_product<E>(call, job, OSW_EXACT_W);
        if (rc == OSW_UNSUPPORTED)
            rc = osw_plain_by_team(
                osw_numel(c->dweight), c->batch * osw_conv_prod(c->y), 0,
                [&](auto team) {
                    return osw_plain_launch_rows(
                        call, team, osw_conv_to_w<decltype(team), E>,
                        osw_numel(c->dweight), job);
                });
    }
    if (!rc && c->dbias)
        rc = osw_conv_bias_gradient<E>(call, job, exact);
    return rc;
}

#endif /* OSW_LIBRARY_CONVOLUTION_CALLS_CUH */
