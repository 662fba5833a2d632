/* ops/library/kept.cuh - rows kept in shared memory, the next one on its way
 * while this one is written
 *
 * Slot i of a row is its i-th chunk of 16 bytes.  Slot i belongs to thread i %
 * THREADS of the block, which fetches it, reads it as often as it likes and
 * then gives its room to the next row: no thread ever waits for another but
 * for what is reduced over the row.  What has no room is read where it lies.
 */
#ifndef OSW_LIBRARY_KEPT_CUH
#define OSW_LIBRARY_KEPT_CUH

#include "chunks.cuh"

#include <cuda_pipeline_primitives.h>

/* Slots of a thread that are held in registers meanwhile, of all rows. */
#ifndef OSW_KEPT_HOLD
#define OSW_KEPT_HOLD 4
#endif
/* Bytes of shared memory for rows, of a block or several, at most. */
#ifndef OSW_KEPT_ROOM
#define OSW_KEPT_ROOM (216 * 1024)
#endif

/* A row as its slots, which begin at a line of memory: a warp reads and writes
 * whole lines, though those of the row begin anywhere.
 */
template <class T> struct osw_kept_row {
    enum { N = osw_chunk<T>::N };
    const T *p; /* its first element */
    int lead;   /* elements of the first slots that are before it */
    int n_slots;

    __device__ osw_kept_row() : p(NULL), lead(0), n_slots(0)
    {
    }
    __device__ osw_kept_row(const T *row, int64_t n, int before)
        : p(row), lead(before), n_slots((int)((n + before + N - 1) / N))
    {
    }
    __device__ osw_kept_row(const T *row, int64_t n)
        : osw_kept_row(row, n, (int)(((uintptr_t)row & 127) / sizeof(T)))
    {
    }
    /* Of the row: the element that a slot begins with. */
    __device__ int first(int slot) const
    {
        return slot * N - lead;
    }
    /* Is anything of the row in it? */
    __device__ int has(int slot) const
    {
        return slot < n_slots && first(slot) > -N;
    }
    __device__ const uint4 *at(int slot) const
    {
        return (const uint4 *)(p + first(slot));
    }
    __device__ void fetch(uint4 *room, int slot) const
    {
        if (has(slot))
            __pipeline_memcpy_async(room, at(slot), 16);
    }
};

/* All that this thread has fetched is there. */
__device__ static inline void osw_kept_wait(void)
{
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

/* A slot of a row, from its room or from where it lies; elements beside the
 * row become `fill`.
 */
template <class T>
__device__ static inline osw_chunk<T>
osw_kept_read(const osw_kept_row<T> &row, const uint4 *rooms, int keep,
              int slot, int n, T fill)
{
    osw_chunk<T> c;

    c.raw = slot < keep ? rooms[slot] : *row.at(slot);
    osw_chunk_trim(c, row.first(slot), n, fill);
    return c;
}

/* --- host --- */

/* The same on this device: less where it has less. */
static inline int64_t osw_kept_room(void)
{
    int64_t room = osw_launch_room();

    return room < OSW_KEPT_ROOM ? room : OSW_KEPT_ROOM;
}

/* Slots of a row [n], at most, wherever in a line it begins. */
static inline int64_t osw_kept_slots(int64_t n, int64_t element_bytes)
{
    return (n * element_bytes + 15) / 16 + 8;
}

/* How many of them have room in a block, of so many rows. */
static inline int osw_kept_most(int64_t n_slots, int rows)
{
    int64_t most = osw_kept_room() / (16 * rows);

    return (int)(n_slots < most ? n_slots : most);
}

#endif /* OSW_LIBRARY_KEPT_CUH */
