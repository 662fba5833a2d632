/* shared/convolution.cuh - sums of a convolution, a thread or a block for
 * each element: the references, in double with norms, and the baselines
 *
 * E: the type of all elements, as in plain_rows.cuh; osw_plain_mixed<double> in
 * the references.
 */
#ifndef OSW_LIBRARY_CONVOLUTION_CUH
#define OSW_LIBRARY_CONVOLUTION_CUH

#include "convolution.h"
#include "plain_rows.cuh"

/* Where results go: exact and norm in references, else out, contiguous. */
struct osw_conv_result {
    double *exact, *norm;
    char *out;
    osw_dtype dtype;
};

struct osw_conv_job {
    struct osw_conv c;          /* its numbers */
    struct osw_conv_image a, b; /* x or y and w; of a gradient x and y */
    const char *bias;           /* NULL: none */
    int64_t bias_step;
    struct osw_conv_result to;
};

/* Where element i of a tensor [n, channels, sizes] is. */
struct osw_conv_index {
    int64_t n, channel, at[OSW_CONV_DIMS];

    __device__ osw_conv_index(int64_t i, int64_t channels, const int64_t *size)
    {
        for (int d = OSW_CONV_DIMS - 1; d >= 0; d--) {
            at[d] = i % size[d];
            i /= size[d];
        }
        channel = i % channels;
        n = i / channels;
    }
};

/* The place of x that position o meets by tap k, or -1. */
__device__ static inline int64_t osw_conv_place_of(const struct osw_conv &c,
                                                   int d, int64_t o, int64_t k)
{
    int64_t at = o * c.stride[d] - c.padding[d] + k * c.dilation[d];

    return at < c.x[d] ? at : -1;
}

/* The position of y that meets place i by tap k, or -1. */
__device__ static inline int64_t
osw_conv_position_of(const struct osw_conv &c, int d, int64_t i, int64_t k)
{
    int64_t at = i + c.padding[d] - k * c.dilation[d];

    if (at < 0 || at % c.stride[d] != 0 || at / c.stride[d] >= c.y[d])
        return -1;
    return at / c.stride[d];
}

template <class E>
__device__ typename osw_plain_math<E>::type
osw_conv_get(const struct osw_conv_image &m, int64_t n, int64_t channel,
             const int64_t *at)
{
    return osw_plain_get<E>(m.data, m.dtype,
                            n * m.batch + channel * m.channel +
                                at[0] * m.step[0] + at[1] * m.step[1] +
                                at[2] * m.step[2]);
}

/* A sum of terms and that of their squares. */
template <class A> struct osw_conv_terms {
    A sum, squares;

    __device__ void add(A term)
    {
        sum += term;
        squares += term * term;
    }
};

template <class E, class A>
__device__ void osw_conv_put(const struct osw_conv_job &job, int64_t i,
                             int64_t channel, osw_conv_terms<A> t)
{
    if (job.bias)
        t.add((A)osw_plain_get<E>(job.bias, job.a.dtype,
                                  channel * job.bias_step));
    if (job.to.exact)
        job.to.exact[i] = (double)t.sum;
    else
        osw_plain_put<E>(job.to.out, job.to.dtype, i, t.sum);
    if (job.to.norm)
        job.to.norm[i] = sqrt((double)t.squares);
}

/* y from x and w. */
template <class E>
static __global__ void osw_conv_to_y(const __grid_constant__ osw_conv_job job)
{
    typedef typename osw_plain_math<E>::type A;
    const struct osw_conv &c = job.c;
    int64_t total = c.batch * c.groups * c.n_y * osw_conv_prod(c.y);

    for (int64_t i = osw_plain_first<int64_t>(); i < total;
         i += osw_plain_step<int64_t>()) {
        osw_conv_index o(i, c.groups * c.n_y, c.y);
        int64_t first = o.channel / c.n_y * c.n_x;
        int64_t k[OSW_CONV_DIMS], at[OSW_CONV_DIMS];
        osw_conv_terms<A> t = {0, 0};

        for (int64_t m = 0; m < c.n_x; m++)
            for (k[0] = 0; k[0] < c.k[0]; k[0]++) {
                at[0] = osw_conv_place_of(c, 0, o.at[0], k[0]);
                for (k[1] = 0; at[0] >= 0 && k[1] < c.k[1]; k[1]++) {
                    at[1] = osw_conv_place_of(c, 1, o.at[1], k[1]);
                    for (k[2] = 0; at[1] >= 0 && k[2] < c.k[2]; k[2]++) {
                        at[2] = osw_conv_place_of(c, 2, o.at[2], k[2]);
                        if (at[2] >= 0)
                            t.add(osw_conv_get<E>(job.a, o.n, first + m, at) *
                                  osw_conv_get<E>(job.b, o.channel, m, k));
                    }
                }
            }
        osw_conv_put<E>(job, i, o.channel, t);
    }
}

/* x from y and w. */
template <class E>
static __global__ void osw_conv_to_x(const __grid_constant__ osw_conv_job job)
{
    typedef typename osw_plain_math<E>::type A;
    const struct osw_conv &c = job.c;
    int64_t total = c.batch * c.groups * c.n_x * osw_conv_prod(c.x);

    for (int64_t i = osw_plain_first<int64_t>(); i < total;
         i += osw_plain_step<int64_t>()) {
        osw_conv_index o(i, c.groups * c.n_x, c.x);
        int64_t first = o.channel / c.n_x * c.n_y;
        int64_t k[OSW_CONV_DIMS], at[OSW_CONV_DIMS];
        osw_conv_terms<A> t = {0, 0};

        for (int64_t m = first; m < first + c.n_y; m++)
            for (k[0] = 0; k[0] < c.k[0]; k[0]++) {
                at[0] = osw_conv_position_of(c, 0, o.at[0], k[0]);
                for (k[1] = 0; at[0] >= 0 && k[1] < c.k[1]; k[1]++) {
                    at[1] = osw_conv_position_of(c, 1, o.at[1], k[1]);
                    for (k[2] = 0; at[1] >= 0 && k[2] < c.k[2]; k[2]++) {
                        at[2] = osw_conv_position_of(c, 2, o.at[2], k[2]);
                        if (at[2] >= 0)
                            t.add(osw_conv_get<E>(job.a, o.n, m, at) *
                                  osw_conv_get<E>(job.b, m, o.channel % c.n_x,
                                                  k));
                    }
                }
            }
        osw_conv_put<E>(job, i, o.channel, t);
    }
}

/* The sums of all threads of a team: its first has them. */
template <class Team, class E>
__device__ void osw_conv_put_team(const struct osw_conv_job &job, int64_t i,
                                  osw_conv_terms<double> t)
{
    t.sum = osw_plain_sum<Team>(t.sum);
    if (job.to.norm)
        t.squares = osw_plain_sum<Team>(t.squares);
    if (Team::lane() == 0)
        osw_conv_put<E>(job, i, 0, t);
}

/* The gradient of w from x and y, summed in double. */
template <class Team, class E>
static __global__ void osw_conv_to_w(const __grid_constant__ osw_conv_job job)
{
    const struct osw_conv &c = job.c;
    int64_t total = c.groups * c.n_y * c.n_x * osw_conv_prod(c.k);
    int64_t terms = c.batch * osw_conv_prod(c.y);

    for (int64_t i = Team::first_row(); i < total; i += Team::row_step()) {
        osw_conv_index w(i, c.n_x, c.k);
        int64_t of_x = w.n / c.n_y * c.n_x + w.channel;
        osw_conv_terms<double> t = {0.0, 0.0};

        for (int64_t j = Team::lane(); j < terms; j += Team::lanes()) {
            osw_conv_index o(j, 1, c.y);
            int64_t at[OSW_CONV_DIMS];
            int inside = 1;

            for (int d = 0; d < OSW_CONV_DIMS; d++) {
                at[d] = osw_conv_place_of(c, d, o.at[d], w.at[d]);
                inside &= at[d] >= 0;
            }
            if (inside)
                t.add((double)osw_conv_get<E>(job.a, o.n, of_x, at) *
                      (double)osw_conv_get<E>(job.b, o.n, w.n, o.at));
        }
        osw_conv_put_team<Team, E>(job, i, t);
    }
}

/* The sums of the channels of a, of so many places, in double. */
template <class Team, class E>
static __global__ void
osw_conv_to_bias(const __grid_constant__ osw_conv_job job)
{
    const struct osw_conv &c = job.c;
    const int64_t *size = c.transposed ? c.x : c.y;
    int64_t total = c.groups * (c.transposed ? c.n_x : c.n_y);
    int64_t terms = c.batch * osw_conv_prod(size);

    for (int64_t i = Team::first_row(); i < total; i += Team::row_step()) {
        osw_conv_terms<double> t = {0.0, 0.0};

        for (int64_t j = Team::lane(); j < terms; j += Team::lanes()) {
            osw_conv_index o(j, 1, size);

            t.add((double)osw_conv_get<E>(job.a, o.n, i, o.at));
        }
        osw_conv_put_team<Team, E>(job, i, t);
    }
}

#endif /* OSW_LIBRARY_CONVOLUTION_CUH */
