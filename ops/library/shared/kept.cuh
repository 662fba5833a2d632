/* shared/kept.cuh - rows kept in shared memory, the next one on its way
 * while this one is written
 *
 * Slots are chunks of 16 bytes, from the line of OSW_KEPT_LINE bytes on in
 * which the row begins.  Slot i belongs to thread i % THREADS of the block,
 * which fetches it, reads it as often as it likes and then gives its room to
 * the next row: no thread ever waits for another but for what is reduced over
 * the row.  What has no room is read where it lies.
 */
#ifndef OSW_LIBRARY_KEPT_CUH
#define OSW_LIBRARY_KEPT_CUH

#include "chunks.cuh"

#include <cuda_pipeline_primitives.h>

enum {
    OSW_KEPT_HOLD = 4, /* slots of a thread in registers, of all rows */
    OSW_KEPT_ROOM = 216 * 1024, /* bytes for rows, of a block or several */
    OSW_KEPT_LINE = 512         /* what a warp reads, or writes, at a time */
};

/* A row as its slots: those of a warp are a line of memory, though the row
 * begins anywhere.
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
        : osw_kept_row(row, n,
                       (int)((uintptr_t)row % OSW_KEPT_LINE / sizeof(T)))
    {
    }
    /* Slots from OSW_KEPT_LINE / 16 up to, not with, this one have nothing
     * beside the row, and room among `keep`.
     */
    __device__ int whole(int keep) const
    {
        return n_slots - 1 < keep ? n_slots - 1 : keep;
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
    return (n * element_bytes + 15) / 16 + OSW_KEPT_LINE / 16;
}

/* Blocks for n_rows, `most` or somewhat fewer: as many rows for each, so that
 * all end together.  Fewer still ask for all that memory can send.
 */
static inline unsigned osw_kept_blocks(int64_t n_rows, int64_t most)
{
    int64_t each = (n_rows + most - 1) / most;

    return (unsigned)((n_rows + each - 1) / each);
}

/* How many of them have room in a block, of so many rows. */
static inline int osw_kept_most(int64_t n_slots, int rows)
{
    int64_t most = osw_kept_room() / (16 * rows);

    return (int)(n_slots < most ? n_slots : most);
}

#endif /* OSW_LIBRARY_KEPT_CUH */
