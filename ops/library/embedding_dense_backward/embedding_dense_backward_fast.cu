/* ops/library/embedding_dense_backward/embedding_dense_backward_fast.cu - the
 * entries that point to each row, in their order, added up
 *
 * They are in buckets or lists (embedding_dense_backward_list.cuh).  If a
 * row has several pieces, the block that ends last adds them up.
 */
#include "embedding_dense_backward_list.cuh"

enum {
    ADDERS = 128,     /* threads of half a block of add_rows, at most */
    SORTED = 4096,    /* entries of all its buckets, at most */
    SHORT = 2,        /* buckets that a warp reads at once */
    PIECE_BLOCKS = 2, /* a multiprocessor, where there are buckets, too */
};

/* A thread's columns: a chunk of 16 bytes, or one. */
template <class T, int N> struct sums {
    float v[N];

    __device__ static void load(osw_chunk<T> &c, const T *p)
    {
        if (N > 1)
            c.raw = __ldcs((const uint4 *)p);
        else
            c.v[0] = *p;
    }
    __device__ void add(const osw_chunk<T> &c)
    {
        if constexpr (N > 1) {
            float x[N];

            osw_chunk_to_floats(c, x);
#pragma unroll
            for (int e = 0; e < N; e++)
                v[e] += x[e];
        } else {
            v[0] += osw_pack_float(c.v[0]);
        }
    }
    __device__ void add(const float *p)
    {
        if constexpr (N > 1) {
#pragma unroll
            for (int e = 0; e < N; e += 4) {
                float4 x = __ldcg((const float4 *)(p + e));

                v[e] += x.x;
                v[e + 1] += x.y;
                v[e + 2] += x.z;
                v[e + 3] += x.w;
            }
        } else {
            v[0] += __ldcg(p);
        }
    }
    /* terms: that the sum is divided by, or 0 */
    __device__ void put(T *p, uint32_t terms)
    {
        if (terms)
#pragma unroll
            for (int e = 0; e < N; e++)
                v[e] /= (float)terms;
        if constexpr (N > 1) {
            osw_chunk<T> c;

#pragma unroll
            for (int e = 0; e < N; e += 2)
                osw_pack_two(&c.v[e], v[e], v[e + 1]);
            __stcs((uint4 *)p, c.raw);
        } else {
            *p = osw_pack_as<T>(v[0]);
        }
    }
};

/* Bytes of the gradient before the row of an entry. */
template <class T, int N>
__device__ static int64_t far_to(const struct view &v, uint32_t at)
{
    return N > 1 ? (int64_t)((uint64_t)at * v.pitch)
                 : osw_strided_offset(&v.grad.outer, at) * (int64_t)sizeof(T);
}

template <class T>
__device__ static const char *grad_at(const struct view &v, int64_t col)
{
    return v.grad.outer.data + col * v.grad.stride * (int64_t)sizeof(T);
}

/* The columns from `col` on of n entries, the rows of IN_FLIGHT at a time: of
 * more, memory sends less.
 */
template <class T, int N>
__device__ static sums<T, N>
add_list(const struct view &v, const uint32_t *list, uint32_t n, int64_t col)
{
    enum { IN_FLIGHT = sizeof(T) == 2 ? 6 : 4 };
    const char *grad = grad_at<T>(v, col);
    sums<T, N> s = {};

#pragma unroll 1
    for (uint32_t j = 0; j < n; j += IN_FLIGHT) {
        osw_chunk<T> c[IN_FLIGHT];

#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
            if (j + u < n)
                s.load(c[u], (const T *)(grad + far_to<T, N>(v, list[j + u])));
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
            if (j + u < n)
                s.add(c[u]);
    }
    return s;
}

/* The same by two groups, half of the entries each, so that the last piece
 * takes half as long; the first group gets the sum.  All threads of the block
 * come here.
 */
template <class T, int N>
__device__ static sums<T, N>
add_halves(const struct view &v, const uint32_t *list, uint32_t n, int64_t col)
{
    __shared__ float of_second[N][ADDERS];
    uint32_t lane = threadIdx.y * blockDim.x + threadIdx.x, half = n - n / 2;
    sums<T, N> s = {};

    if (col < v.grad.n)
        s = add_list<T, N>(v, list + threadIdx.z * half,
                           threadIdx.z ? n - half : half, col);
    if (threadIdx.z)
#pragma unroll
        for (int e = 0; e < N; e++)
            of_second[e][lane] = s.v[e];
    __syncthreads();
    if (!threadIdx.z)
#pragma unroll
        for (int e = 0; e < N; e++)
            s.v[e] += of_second[e][lane];
    return s;
}

/* All threads of the block come here.  is_part: of a row in several pieces. */
template <class T, int N>
__device__ static void join_pieces(const struct view &v, const struct piece &p,
                                   const sums<T, N> &own, int is_part,
                                   uint32_t slice, int64_t col, T *out)
{
    __shared__ uint32_t of_group[ADDERS];
    struct piece first = {p.key, p.from - p.before, 0, p.n};
    uint32_t n = (p.n + PIECE - 1) / PIECE;
    int64_t width = v.grad.n;
    sums<T, N> s = {};

    if (is_part && col < width)
#pragma unroll
        for (int e = 0; e < N; e++)
            v.partial[slot_of(p) * width + col + e] = own.v[e];
    __threadfence();
    __syncthreads();
    if (is_part && threadIdx.x == 0)
        of_group[threadIdx.y] =
            atomicAdd(&v.arrived[slot_of(first) * v.n_slices + slice], 1);
    __syncthreads();
    if (!is_part || of_group[threadIdx.y] + 1 < n || col >= width)
        return;
    __threadfence();
#pragma unroll 4
    for (uint32_t i = 0; i < n; i++) {
        struct piece q = {p.key, first.from + i * PIECE, i * PIECE, p.n};

        s.add(&v.partial[slot_of(q) * width + col]);
    }
    s.put(out, v.scale ? p.n : 0);
}

/* The entries of a bucket in their order, by a group of threads; raw, sorted:
 * [HEAD + room].  All threads of the block come here.
 */
__device__ static void sort_bucket(const uint32_t *bucket, uint32_t n,
                                   uint32_t room, uint4 *raw, uint32_t *sorted)
{
    uint32_t first = threadIdx.z * blockDim.x + threadIdx.x;
    uint32_t step = 2 * blockDim.x;

    for (uint32_t i = first; i < HEAD + room; i += step) {
        uint32_t own = i < room ? bucket[HEAD + i] : NONE;

        ((uint32_t *)raw)[i] = i < n ? own : NONE;
    }
    __syncthreads();
    for (uint32_t i = first; i < n; i += step) {
        uint32_t own = ((uint32_t *)raw)[i], before = 0;

        for (uint32_t k = 0; k < (n + 3) / 4; k++) {
            uint4 r = raw[k];

            before += (r.x < own) + (r.y < own) + (r.z < own) + (r.w < own);
        }
        sorted[before] = own;
    }
    __syncthreads();
}

/* The entries of a bucket that a warp has read, a word each, in their order:
 * how many, 0 if they have a list.
 */
__device__ static uint32_t sort_short(uint32_t word, uint32_t room,
                                      uint32_t lane, uint32_t *sorted)
{
    const unsigned all = 0xffffffffu;
    uint32_t n = __shfl_sync(all, word, 0), before = 0;

    n = n <= room ? n : 0;
    word = lane >= HEAD && lane - HEAD < n ? word : NONE;
    for (uint32_t k = 0; k < n; k++)
        before += __shfl_sync(all, word, HEAD + k) < word;
    for (uint32_t k = 0; k < n; k++) {
        unsigned at_rank = __ballot_sync(all, word != NONE && before == k);
        uint32_t at = __shfl_sync(all, word, __ffs((int)at_rank) - 1);

        *sorted = lane == k ? at : *sorted;
    }
    return n;
}

/* A row of n entries, two columns of a thread, or chunks of them, at a time. */
template <class T, int N>
__device__ static void add_short(const struct view &v, uint32_t row, uint32_t n,
                                 uint32_t sorted, uint32_t lane)
{
    enum { IN_FLIGHT = 4 };
    const int64_t second = 32 * N;
    int64_t apart = second * (int64_t)sizeof(T) * (N > 1 ? 1 : v.grad.stride);
    T *out = (T *)v.out + (int64_t)row * v.grad.n;

    for (int64_t base = 0; base < v.grad.n; base += 2 * second) {
        int64_t col = base + lane * N;
        const char *grad = grad_at<T>(v, col);
        int there = col < v.grad.n, there_too = col + second < v.grad.n;
        sums<T, N> s = {}, t = {};

#pragma unroll 1
        for (uint32_t j = 0; j < n; j += IN_FLIGHT) {
            osw_chunk<T> c[IN_FLIGHT], d[IN_FLIGHT];

#pragma unroll
            for (int u = 0; u < IN_FLIGHT; u++) {
                uint32_t at = __shfl_sync(0xffffffffu, sorted, j + u);
                const char *p = grad + far_to<T, N>(v, at);

                if (j + u < n && there)
                    s.load(c[u], (const T *)p);
                if (j + u < n && there_too)
                    t.load(d[u], (const T *)(p + apart));
            }
#pragma unroll
            for (int u = 0; u < IN_FLIGHT; u++)
                if (j + u < n) {
                    s.add(c[u]);
                    t.add(d[u]);
                }
        }
        if (there)
            s.put(out + col, v.scale ? n : 0);
        if (there_too)
            t.put(out + col + second, v.scale ? n : 0);
    }
}

/* Rows without lists, by warps, which read a bucket at once, and SHORT of them
 * before they add one up.
 */
template <class T, int N>
__device__ static void add_shorts(const struct view &v, uint32_t block)
{
    uint32_t self =
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    uint32_t warps = blockDim.x * blockDim.y / 16, lane = self % 32;
    uint32_t row = block * warps * SHORT + self / 32, word[SHORT];

#pragma unroll
    for (int i = 0; i < SHORT; i++)
        word[i] = row + i * warps < v.n_weights
                      ? bucket_of(v, row + i * warps)[lane]
                      : NONE;
#pragma unroll
    for (int i = 0; i < SHORT; i++) {
        uint32_t sorted = 0, listed = __shfl_sync(0xffffffffu, word[i], 0);
        uint32_t n = sort_short(word[i], v.room, lane, &sorted);

        if (listed <= v.room)
            add_short<T, N>(v, row + i * warps, n, sorted, lane);
    }
}

/* A row that has no list, by a group of threads. */
template <class T, int N>
__device__ static void add_bucket(const struct view &v, uint32_t row,
                                  int64_t col)
{
    uint32_t words = HEAD + v.room;
    uint4 *raw = (uint4 *)osw_shared() + threadIdx.y * words / 2;
    uint32_t *sorted = (uint32_t *)raw + words;
    int there = row < v.n_weights;
    const uint32_t *bucket = bucket_of(v, there ? row : 0);
    uint32_t n = bucket[0];
    sums<T, N> s = {};

    there = there && n <= v.room;
    n = there ? n : 0;
    sort_bucket(bucket, n, v.room, raw, sorted);
    s = add_halves<T, N>(v, sorted, n, col);
    if (there && !threadIdx.z && col < v.grad.n)
        s.put((T *)v.out + (int64_t)row * v.grad.n + col, v.scale ? n : 0);
}

template <class T, int N>
__device__ static void add_piece(const struct view &v, uint32_t i,
                                 uint32_t n_pieces, uint32_t slice, int64_t col)
{
    int there = i < n_pieces, is_part;
    struct piece p = {};
    sums<T, N> s = {};
    uint32_t n;
    T *out;

    if (there)
        *(uint4 *)&p = *(const uint4 *)&v.pieces[i];
    n = p.n - p.before < PIECE ? p.n - p.before : (uint32_t)PIECE;
    out = (T *)v.out + p.key * v.grad.n + col;
    is_part = p.n > PIECE;
    s = add_halves<T, N>(v, v.at + p.from, n, col);
    if (threadIdx.z) { /* the other half has the sum */
        there = is_part = 0;
        col = v.grad.n;
    }
    if (there && !is_part && col < v.grad.n)
        s.put(out, v.scale ? p.n : 0);
    if (__syncthreads_or(is_part))
        join_pieces<T, N>(v, p, s, is_part, slice, col, out);
}

/* Pieces first, which take longest; of all but short rows a slice. */
template <class T, int N, int IS_SHORT>
__global__ void __launch_bounds__(2 * ADDERS, 1024 / (2 * ADDERS))
    add_rows(const __grid_constant__ struct view v, uint32_t piece_blocks)
{
    uint32_t slice = blockIdx.x % v.n_slices, block = blockIdx.x / v.n_slices;
    int64_t col = ((int64_t)slice * blockDim.x + threadIdx.x) * (int64_t)N;

    await_kernel();
    if (block < piece_blocks) {
        uint32_t n = (uint32_t)(v.control->taken >> 32);

        for (uint32_t i = block * blockDim.y; i < n;
             i += piece_blocks * blockDim.y)
            add_piece<T, N>(v, i + threadIdx.y, n, slice, col);
    } else if constexpr (IS_SHORT) {
        add_shorts<T, N>(v, blockIdx.x - piece_blocks * v.n_slices);
    } else {
        block -= piece_blocks;
        add_bucket<T, N>(v, block * blockDim.y + threadIdx.y, col);
    }
}

/* --- host --- */

/* Threads side by side, for so many columns or chunks of them: many rows to a
 * block, or one, in slices that leave as few threads as possible idle.
 */
static uint32_t threads_for(int64_t n)
{
    uint32_t threads = 1;

    if (n > 32) {
        threads = 64;
        for (uint32_t t = 96; t <= ADDERS; t += 32)
            if ((n + t - 1) / t * t < (n + threads - 1) / threads * threads)
                threads = t;
        return threads;
    }
    while (threads < n)
        threads *= 2;
    return threads;
}

template <class T, int N>
static int add_up(const osw_call *call, struct view *v)
{
    int64_t chunks = v->grad.n / N, pieces, blocks;
    uint32_t x = threads_for(chunks), y = x < 64 ? ADDERS / x : 1;
    uint32_t words = v->room ? HEAD + v->room : 0, shared_bytes;
    int is_short = words == 32 && x >= 16, rc;

    if (!is_short && words && y > SORTED / words)
        y = SORTED / words;
    v->n_slices = (uint32_t)((chunks + x - 1) / x);
    pieces = (v->most_pieces + y - 1) / y;
    if (v->room && pieces > PIECE_BLOCKS * osw_sm_count())
        pieces = PIECE_BLOCKS * osw_sm_count();
    blocks = pieces * v->n_slices;
    if (is_short)
        blocks += (v->n_weights - 1) / (x * y / 16 * SHORT) + 1;
    else if (v->room)
        blocks += ((v->n_weights - 1) / y + 1) * v->n_slices;
    if (blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    rc = list(call, v);
    if (rc)
        return rc;
    shared_bytes = is_short ? 0 : 2 * y * words * 4;
    return launch_next(call, is_short ? add_rows<T, N, 1> : add_rows<T, N, 0>,
                       dim3((unsigned)blocks), dim3(x, y, 2), shared_bytes, *v,
                       (uint32_t)pieces);
}

/* Can rows be read in chunks?  Then v->pitch and v->n_early are set. */
static int in_chunks(struct view *v)
{
    int64_t n = 128 / v->grad.outer.dtype.bits;
    int whole = v->grad.stride == 1 && v->grad.n % n == 0 &&
                v->grad.outer.ndim <= 1 &&
                (((uintptr_t)v->grad.outer.data | (uintptr_t)v->out) & 15) == 0;
    int64_t pitch = v->grad.outer.ndim ? v->grad.outer.strides[0] : 0;
    int64_t row_bytes = v->grad.n * (v->grad.outer.dtype.bits / 8);
    int64_t early = v->n * row_bytes < EARLY ? v->n * row_bytes : EARLY;

    v->pitch = (uint32_t)(pitch * (v->grad.outer.dtype.bits / 8));
    if (!whole || pitch % n || pitch < 0 || pitch > INT32_MAX / 4)
        return 0;
    if (v->pitch == row_bytes)
        v->n_early = (uint32_t)(early / EARLY_PART);
    return 1;
}

extern "C" int embedding_dense_backward_kernel_impl(const osw_call *call)
{
    struct osw_embedding_back e = {};
    struct view v = {};
    int rc = osw_embedding_back_open(call, &e);

    if (rc)
        return rc;
    if (!osw_convert_knows(e.out->dtype) || e.n_weights >= INT32_MAX / 2 ||
        e.grad.n_rows > INT32_MAX / 2 || e.grad.n > 65535 * 32 ||
        osw_strided_of(&v.index, e.indices) ||
        osw_row_view_of(&v.grad, &e.grad))
        return OSW_UNSUPPORTED;
    v.n_weights = e.n_weights;
    v.padding = e.padding;
    v.scale = e.scale;
    v.n = (uint32_t)e.grad.n_rows;
    v.out = (char *)osw_data(e.out);
    if (osw_numel(e.out) == 0)
        return 0;
    if (v.n == 0) {
        cudaMemsetAsync(v.out, 0,
                        (size_t)osw_numel(e.out) * (e.out->dtype.bits / 8),
                        (cudaStream_t)call->stream);
        return 0;
    }
    divide(&v);
    return osw_by_dtype(e.out->dtype, [&](auto t) {
        typedef decltype(t) T;

        return in_chunks(&v) ? add_up<T, osw_chunk<T>::N>(call, &v)
                             : add_up<T, 1>(call, &v);
    });
}
