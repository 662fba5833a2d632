/* shared/extremes_plain.cuh - baseline of extremes.h on a GPU: a block or a
 * thread to each output
 */
#ifndef OSW_LIBRARY_EXTREMES_PLAIN_CUH
#define OSW_LIBRARY_EXTREMES_PLAIN_CUH

#include "extremes.h"
#include "plain_rows.cuh"

struct osw_extremes_job {
    osw_strided kept, over;
    int64_t n_kept, n;
    int least;
    char *values; /* NULL: no output */
    int64_t *places;
};

template <class A> struct osw_extremes_one {
    A value;
    int64_t place; /* -1: none */
};

/* The one that comes first: the extreme, NaN before any number, of equal ones
 * that of the lower place.
 */
template <class A>
static __device__ osw_extremes_one<A>
osw_extremes_of(osw_extremes_one<A> a, osw_extremes_one<A> b, int least)
{
    bool nan_a = a.value != a.value, nan_b = b.value != b.value;
    bool before = least ? b.value < a.value : b.value > a.value;
    bool same = nan_a == nan_b && (nan_a || a.value == b.value);

    if (b.place < 0)
        return a;
    if (a.place < 0)
        return b;
    if (same)
        return b.place < a.place ? b : a;
    return nan_b || (before && !nan_a) ? b : a;
}

template <class Team, class E>
static __global__ void
osw_extremes_kernel(const __grid_constant__ osw_extremes_job job)
{
    typedef osw_extremes_one<typename osw_plain_math<E>::type> one;
    int least = job.least;

    for (int64_t k = Team::first_row(); k < job.n_kept; k += Team::row_step()) {
        const E *x =
            (const E *)job.kept.data + osw_strided_offset(&job.kept, k);
        one best = {0, -1};

        for (int64_t i = Team::lane(); i < job.n; i += Team::lanes()) {
            one next = {osw_plain_load<decltype(best.value)>(
                            x + osw_strided_offset(&job.over, i)),
                        i};

            best = osw_extremes_of(best, next, least);
        }
        best = Team::fold(
            best, [=](one a, one b) { return osw_extremes_of(a, b, least); });
        if (Team::lane() != 0)
            continue;
        if (job.values)
            ((E *)job.values)[k] = x[osw_strided_offset(&job.over, best.place)];
        if (job.places)
            job.places[k] = best.place;
    }
}

/* rc: what opening the arguments returned. */
static inline int osw_extremes_plain(const osw_call *call,
                                     const osw_extremes &e, int rc)
{
    osw_extremes_job job = {};

    if (rc)
        return rc;
    if (!osw_plain_push_dims(&job.kept, &e.kept) ||
        !osw_plain_push_dims(&job.over, &e.over))
        return OSW_UNSUPPORTED;
    job.kept.data = (char *)osw_data(e.x);
    job.n_kept = e.kept.numel;
    job.n = e.over.numel;
    job.least = e.least;
    job.values = e.values ? (char *)osw_data(e.values) : NULL;
    job.places = e.places ? (int64_t *)osw_data(e.places) : NULL;
    return osw_plain_by_dtype(e.x->dtype, [&](auto element) {
        typedef decltype(element) E;

        return osw_plain_by_team(job.n_kept, job.n, 0, [&](auto team) {
            return osw_plain_launch_rows(call, team,
                                         osw_extremes_kernel<decltype(team), E>,
                                         job.n_kept, job);
        });
    });
}

#endif /* OSW_LIBRARY_EXTREMES_PLAIN_CUH */
