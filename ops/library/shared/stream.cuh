/* shared/stream.cuh - rows in the registers of a group of threads, the
 * next ones on their way into shared memory
 *
 * Thread `lane` of a group of GROUP takes chunks lane, lane + GROUP, ...: C of
 * them, of each row.  It fetches them itself, STAGES rows ahead, into rooms of
 * its own; as soon as it has read a room, the next row is sent for.  So memory
 * is busy while rows are worked on, and no thread waits for another but for
 * what is reduced over the row.
 *
 * FITS: of as many warps as a row needs, a block to a group; GROUP is the most.
 */
#ifndef OSW_LIBRARY_STREAM_CUH
#define OSW_LIBRARY_STREAM_CUH

#include "chunks.cuh"

#include <cuda_pipeline_primitives.h>

/* Bytes of shared memory of a block, at most, when it is several rows ahead. */
enum { OSW_STREAM_ROOM = 128 * 1024 };

/* Blocks at most, times those that fit at once: others start where some end. */
enum { OSW_STREAM_WAVES = 32 };

/* TENSORS rows at a time; groups of less than 128 threads share a block. */
template <class T, int GROUP, int C, int TENSORS, int FITS = 0>
struct osw_stream {
    enum {
        N = osw_chunk<T>::N,
        BLOCK = GROUP < 128 ? 128 : GROUP,
        BLOCKS = BLOCK < 512 ? 512 / BLOCK : 1, /* at a time, at least */
        ROWS = BLOCK / GROUP,                   /* of a block */
        STAGE = 16 * BLOCK * C * TENSORS,
        STAGES = STAGE * 2 <= OSW_STREAM_ROOM ? 2 : 1, /* more are no faster */
        BYTES = STAGE * STAGES,                        /* of shared memory */
        /* rooms of the threads that are there: costs registers */
        PACKED = FITS && BYTES > 72 * 1024
    };

    /* This thread's rooms of tensor t, chunk i. */
    __device__ static uint4 *room(int stage, int t, int i)
    {
        return (uint4 *)osw_shared() +
               ((stage * TENSORS + t) * C + i) *
                   (int)(PACKED ? blockDim.x : BLOCK) +
               threadIdx.x;
    }
    __device__ static int lane()
    {
        return (int)threadIdx.x % GROUP;
    }
    __device__ static int width()
    {
        return FITS ? (int)blockDim.x : GROUP;
    }
    /* Of a row that starts `lead` elements into its first chunk: the element
     * that chunk i begins with.
     */
    __device__ static int first(int i, int lead)
    {
        return (lane() + i * width()) * N - lead;
    }
    /* Send for a row [n] of tensor t. */
    __device__ static void fetch(int stage, int t, const T *row, int n)
    {
        int lead = osw_chunk_lead(row);

#pragma unroll
        for (int i = 0; i < C; i++)
            if (first(i, lead) < n)
                __pipeline_memcpy_async(room(stage, t, i), row + first(i, lead),
                                        16);
    }
    /* After the fetches of a row. */
    __device__ static void sent()
    {
        __pipeline_commit();
    }
    /* The oldest of STAGES rows is there. */
    __device__ static void wait()
    {
        __pipeline_wait_prior(STAGES - 1);
    }
    __device__ static int next(int stage)
    {
        return stage + 1 == STAGES ? 0 : stage + 1;
    }
    /* A row, elements beside it as `fill`. */
    __device__ static void read(osw_chunk<T> (&x)[C], int stage, int t,
                                int lead, int n, T fill)
    {
#pragma unroll
        for (int i = 0; i < C; i++) {
            x[i].raw = *room(stage, t, i);
            osw_chunk_trim(x[i], first(i, lead), n, fill);
        }
    }
    /* The same as floats. */
    __device__ static void read_floats(float (&x)[C][N], int stage, int t,
                                       int lead, int n, T fill)
    {
#pragma unroll
        for (int i = 0; i < C; i++) {
            osw_chunk<T> c;

            c.raw = *room(stage, t, i);
            osw_chunk_trim(c, first(i, lead), n, fill);
            osw_chunk_to_floats(c, x[i]);
        }
    }
    /* Of rows in whole chunks, lead 0: what is beside them stays zero. */
    __device__ static void clear_beside(int n)
    {
        for (int stage = 0; stage < STAGES; stage++)
#pragma unroll
            for (int i = 0; i < C; i++)
                if (first(i, 0) >= n)
                    *room(stage, 0, i) = make_uint4(0, 0, 0, 0);
    }
    __device__ static void read_whole(float (&x)[C][N], int stage)
    {
#pragma unroll
        for (int i = 0; i < C; i++) {
            osw_chunk<T> c;

            c.raw = *room(stage, 0, i);
            osw_chunk_to_floats(c, x[i]);
        }
    }
    /* Of a block, for rows of so many chunks. */
    static int threads(int64_t n_slots)
    {
        int64_t n = (n_slots + 32 * C - 1) / (32 * C) * 32;

        return (int)(FITS && n < BLOCK ? n : BLOCK);
    }
};

/* --- host --- */

enum { OSW_STREAM_SLOTS = 4096 }; /* of a row, at most */

/* Blocks of a kernel, at most, by their warps; 0: not asked for yet. */
struct osw_stream_most {
    int64_t blocks[33];
    size_t allowed; /* shared memory of a block */
};

/* f.run<GROUP, C, FITS>(n_slots), with a group that fits unless rows nearly
 * fill one of GROUP threads, which is faster then.
 */
template <int GROUP, int C, class F>
static inline int osw_stream_fit(int64_t n_slots, F f)
{
    return n_slots * 8 >= (int64_t)GROUP * C * 7
               ? f.template run<GROUP, C, 0>(n_slots)
               : f.template run<GROUP, C, 1>(n_slots);
}

/* Call f with the smallest group whose threads have room for a row of so many
 * chunks: f.run<GROUP, C, FITS>(n_slots).  MOST: chunks of a thread at most, 4,
 * 8 or 16, where a group is a warp, up to 32 * MOST chunks, so that none waits
 * for another; WIDE: the same of rows of up to 2048 chunks.  n_slots: at most
 * OSW_STREAM_SLOTS.
 */
template <int MOST, int WIDE, class F>
static inline int osw_stream_by_length(int64_t n_slots, F f)
{
    enum { EIGHT = WIDE < 8 ? 4 : 8 };

    if (n_slots <= 8)
        return f.template run<8, 1, 0>(n_slots);
    if (n_slots <= 16)
        return f.template run<8, 2, 0>(n_slots);
    if (n_slots <= 32)
        return f.template run<8, 4, 0>(n_slots);
    if (n_slots <= 64)
        return f.template run<16, 4, 0>(n_slots);
    if (n_slots <= 96)
        return f.template run<32, 3, 0>(n_slots);
    if (n_slots <= 128)
        return f.template run<32, 4, 0>(n_slots);
    if (MOST > 4 && n_slots <= 192)
        return f.template run<32, (MOST < 8 ? 4 : 6), 0>(n_slots);
    if (n_slots <= 256)
        return f.template run<(MOST < 8 ? 128 : 32), (MOST < 8 ? 2 : 8), 0>(
            n_slots);
    if (MOST == 16 && n_slots <= 512)
        return f.template run<32, (MOST < 16 ? 4 : 16), 0>(n_slots);
    if (n_slots <= 512)
        return osw_stream_fit<128, 4>(n_slots, f);
    if (n_slots <= 1024)
        return osw_stream_fit<1024 / EIGHT, EIGHT>(n_slots, f);
    if (n_slots > 2048)
        return f.template run<512, 8, 1>(n_slots);
    if constexpr (WIDE > 8)
        return f.template run<2048 / WIDE, WIDE, 0>(n_slots);
    else
        return osw_stream_fit<2048 / WIDE, WIDE>(n_slots, f);
}

/* Launch a kernel of such groups over n_rows rows of n_slots chunks.  *kept: a
 * static variable of this kernel, in a static function (of others there is one
 * per process, whatever the library).  OSW_UNSUPPORTED where the device has not
 * the shared memory.
 */
template <class S, class... P, class... A>
static inline int
osw_stream_launch(const osw_call *call, S, void (*kernel)(P...),
                  osw_per_device<struct osw_stream_most> *kept, int64_t n_rows,
                  int64_t n_slots, A... args)
{
    struct osw_stream_most *most = &kept->here();
    int64_t blocks = (n_rows + S::ROWS - 1) / S::ROWS, n_most;
    int threads = S::threads(n_slots);
    size_t bytes =
        (size_t)S::BYTES / S::BLOCK * (S::PACKED ? threads : (int)S::BLOCK);

    if ((int64_t)bytes > osw_launch_room())
        return OSW_UNSUPPORTED;
    osw_launch_allow(
        kernel,
        (size_t)(S::BYTES < osw_launch_room() ? S::BYTES : osw_launch_room()),
        &most->allowed);
    n_most = most->blocks[threads / 32];
    if (n_most == 0)
        n_most = most->blocks[threads / 32] =
            OSW_STREAM_WAVES * osw_launch_resident(kernel, threads, bytes);
    if (blocks > n_most) { /* as many rows for each */
        int64_t each = (blocks + n_most - 1) / n_most;

        blocks = (blocks + each - 1) / each;
    }
    return osw_launch(call, kernel, dim3((unsigned)blocks),
                      dim3((unsigned)threads), bytes, args...);
}

#endif /* OSW_LIBRARY_STREAM_CUH */
