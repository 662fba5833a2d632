/* ops/library/kept.cuh - rows kept in shared memory, the next one on its way
 * while this one is written
 *
 * Slot i of a row is its i-th chunk of 16 bytes.  Slot i belongs to thread i %
 * THREADS of the block, which fetches it, reads it as often as it likes and
 * then gives its room to the next row: no thread ever waits for another but
 * for what is reduced over the row.  So as many bytes are in flight as there
 * is shared memory.  What has no room is read where it lies.
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

/* A row as its slots: p starts between chunks. */
template <class T> struct osw_kept_row {
    const T *p; /* its first element */
    int lead;   /* elements of the first slot that are before it */
    int n_slots;

    __device__ osw_kept_row() : p(NULL), lead(0), n_slots(0)
    {
    }
    __device__ osw_kept_row(const T *row, int64_t n)
        : p(row), lead(osw_chunk_lead(row)),
          n_slots((int)((n + lead + osw_chunk<T>::N - 1) / osw_chunk<T>::N))
    {
    }
    /* Of the row: the element that a slot begins with. */
    __device__ int first(int slot) const
    {
        return slot * osw_chunk<T>::N - lead;
    }
    __device__ const uint4 *at(int slot) const
    {
        return (const uint4 *)(p + first(slot));
    }
};

__device__ static inline void osw_kept_fetch(uint4 *room, const uint4 *from)
{
    __pipeline_memcpy_async(room, from, 16);
}

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

/* Slots of each row that have room in a block. */
static inline int osw_kept_slots(int64_t n_slots, int kept)
{
    int64_t most = osw_kept_room() / (16 * kept);

    return (int)(n_slots < most ? n_slots : most);
}

#endif /* OSW_LIBRARY_KEPT_CUH */
