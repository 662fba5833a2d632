/* ops/library/stream.cuh - rows in the registers of a group of threads, the
 * next ones on their way into shared memory
 *
 * Thread `lane` of a group of GROUP takes chunks lane, lane + GROUP, ...: C of
 * them, of each row.  It fetches them itself, STAGES rows ahead, into rooms of
 * its own; as soon as it has read a room, the next row is sent for.  So memory
 * is busy while rows are worked on, and no thread waits for another but for
 * what is reduced over the row.
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
template <class T, int GROUP, int C, int TENSORS> struct osw_stream {
    enum {
        N = osw_chunk<T>::N,
        BLOCK = GROUP < 128 ? 128 : GROUP,
        BLOCKS = BLOCK < 512 ? 512 / BLOCK : 1, /* at a time, at least */
        ROWS = BLOCK / GROUP,                   /* of a block */
        STAGE = 16 * BLOCK * C * TENSORS,
        STAGES = STAGE * 2 <= OSW_STREAM_ROOM ? 2 : 1, /* more are no faster */
        BYTES = STAGE * STAGES                         /* of shared memory */
    };

    /* This thread's rooms of tensor t, chunk i. */
    __device__ static uint4 *room(int stage, int t, int i)
    {
        return (uint4 *)osw_shared() +
               ((stage * TENSORS + t) * C + i) * (int)BLOCK + threadIdx.x;
    }
    __device__ static int lane()
    {
        return (int)threadIdx.x % GROUP;
    }
    /* Of a row that starts `lead` elements into its first chunk: the element
     * that chunk i begins with.
     */
    __device__ static int first(int i, int lead)
    {
        return (lane() + i * GROUP) * N - lead;
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
    /* Behind the fetches of a row. */
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
};

/* --- host --- */

enum { OSW_STREAM_SLOTS = 4096 }; /* of a row, at most */

/* Call f with the smallest group whose threads have room for a row of so many
 * chunks: f.run<GROUP, C>().  MOST: chunks of a thread at most, 4, 8 or 16,
 * where a group is a warp, up to 32 * MOST chunks, so that none waits for
 * another; WIDE: the same of longer rows.  n_slots: at most OSW_STREAM_SLOTS.
 */
template <int MOST, int WIDE, class F>
static inline int osw_stream_by_length(int64_t n_slots, F f)
{
    if (n_slots <= 8)
        return f.template run<8, 1>();
    if (n_slots <= 16)
        return f.template run<8, 2>();
    if (n_slots <= 32)
        return f.template run<8, 4>();
    if (n_slots <= 64)
        return f.template run<16, 4>();
    if (n_slots <= 96)
        return f.template run<32, 3>();
    if (n_slots <= 128)
        return f.template run<32, 4>();
    if (MOST > 4 && n_slots <= 192)
        return f.template run < 32, MOST < 8 ? 4 : 6 > ();
    if (n_slots <= 256)
        return f.template run<(MOST < 8 ? 128 : 32), (MOST < 8 ? 2 : 8)>();
    if (n_slots <= 512)
        return f.template run<(MOST < 16 ? 128 : 32), (MOST < 16 ? 4 : 16)>();
    if (n_slots <= 1024)
        return f.template run<1024 / (WIDE < 8 ? 4 : 8), (WIDE < 8 ? 4 : 8)>();
    if (n_slots <= 2048)
        return f.template run<2048 / WIDE, WIDE>();
    return f.template run<4096 / WIDE, WIDE>();
}

/* Launch a kernel of such groups over n_rows rows.  *most: a static variable of
 * this kernel, in a static function (of others there is one per process,
 * whatever the library).  OSW_UNSUPPORTED where the device has not the shared
 * memory.
 */
template <class S, class... P, class... A>
static inline int osw_stream_launch(const osw_call *call, S,
                                    void (*kernel)(P...), int64_t *most,
                                    int64_t n_rows, A... args)
{
    int64_t blocks = (n_rows + S::ROWS - 1) / S::ROWS;

    if (S::BYTES > osw_launch_room())
        return OSW_UNSUPPORTED;
    if (*most == 0) { /* asked for once */
        osw_launch_allow(kernel, S::BYTES);
        *most =
            OSW_STREAM_WAVES * osw_launch_resident(kernel, S::BLOCK, S::BYTES);
    }
    if (blocks > *most) { /* as many rows for each */
        int64_t each = (blocks + *most - 1) / *most;

        blocks = (blocks + each - 1) / each;
    }
    return osw_launch(call, kernel, dim3((unsigned)blocks), dim3(S::BLOCK),
                      S::BYTES, args...);
}

#endif /* OSW_LIBRARY_STREAM_CUH */
