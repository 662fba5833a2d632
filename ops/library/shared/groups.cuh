/* shared/groups.cuh - sums and maxima over a group of threads
 *
 * A group is 2, 4, ... or 32 neighbours of a warp, or a whole block of more.
 * All threads of the group call, and all get the result; the order of the sum
 * is fixed.
 */
#ifndef OSW_LIBRARY_GROUPS_CUH
#define OSW_LIBRARY_GROUPS_CUH

#include "launch.cuh"

struct osw_group_add {
    template <class T> __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};

struct osw_group_larger {
    template <class T> __device__ T operator()(T a, T b) const
    {
        return b > a ? b : a;
    }
};

/* Within `width` neighbours of a warp. */
template <class T, class F>
__device__ static inline T osw_group_in_warp(T v, int width, F f)
{
    for (int o = width / 2; o > 0; o /= 2)
        v = f(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

/* Over a block of whole warps. */
template <class T, class F>
__device__ static inline T osw_group_in_block(T v, F f)
{
    __shared__ T of_warp[32];
    int lane = (int)threadIdx.x % 32, n_warps = (int)blockDim.x / 32;

    v = osw_group_in_warp(v, 32, f);
    if (n_warps == 1)
        return v;
    if (lane == 0)
        of_warp[threadIdx.x / 32] = v;
    __syncthreads();
    v = of_warp[lane < n_warps ? lane : 0];
    if (n_warps == 32) {
        v = osw_group_in_warp(v, 32, f);
    } else {
        T all = of_warp[0];

        for (int i = 1; i < n_warps; i++)
            all = f(all, of_warp[i]);
        v = all;
    }
    __syncthreads(); /* of_warp is free again */
    return v;
}

template <int GROUP, class T> __device__ static inline T osw_group_sum(T v)
{
    return GROUP <= 32 ? osw_group_in_warp(v, GROUP, osw_group_add())
                       : osw_group_in_block(v, osw_group_add());
}

/* NaN is left out: it is never larger. */
template <int GROUP, class T> __device__ static inline T osw_group_max(T v)
{
    return GROUP <= 32 ? osw_group_in_warp(v, GROUP, osw_group_larger())
                       : osw_group_in_block(v, osw_group_larger());
}

/* The same for states of several numbers: F has a type State, State start(),
 * of which nothing was added to, and template <int WIDTH> State join(State)
 * over neighbours of a warp.  One barrier for a block of THREADS, or, FITS,
 * at most as many; `turn` alternates from call to call.
 */
template <class F, int THREADS, int FITS = 0>
__device__ static inline typename F::State osw_group_join(typename F::State s,
                                                          int turn)
{
    constexpr int WARPS = (THREADS + 31) / 32;
    constexpr bool EVEN = !FITS && (WARPS & (WARPS - 1)) == 0;
    __shared__ typename F::State of_warp[2][WARPS];
    int lane = (int)threadIdx.x % 32;

    s = F::template join<(THREADS < 32 ? THREADS : 32)>(s);
    if (WARPS == 1)
        return s;
    if (lane == 0)
        of_warp[turn][threadIdx.x / 32] = s;
    __syncthreads();
    if constexpr (FITS)
        s = lane < (int)blockDim.x / 32 ? of_warp[turn][lane] : F::start();
    else
        s = EVEN || lane < WARPS ? of_warp[turn][lane % WARPS] : F::start();
    return F::template join<(EVEN ? WARPS : 32)>(s);
}

/* Sums in double, or in float. */
template <class S> struct osw_group_sums {
    typedef S State;

    __device__ static State start()
    {
        return 0;
    }
    template <int WIDTH> __device__ static State join(State s)
    {
        return osw_group_in_warp(s, WIDTH, osw_group_add());
    }
};

typedef osw_group_sums<double> osw_group_total;
typedef osw_group_sums<float> osw_group_float;

#endif /* OSW_LIBRARY_GROUPS_CUH */
