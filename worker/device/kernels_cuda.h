/* worker/device/kernels_cuda.h - small kernels of the CUDA device
 *
 * Launchers with plain parameters, so that device_cuda.c stays C.  Errors of
 * a launch are left for cudaGetLastError().
 */
#ifndef OSW_WORKER_DEVICE_KERNELS_CUDA_H
#define OSW_WORKER_DEVICE_KERNELS_CUDA_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "worker/edits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device memory that hashing works in; zeroed before first use. */
struct osw_cuda_hash {
    unsigned long long sum;     /* of all hashes of a call so far */
    unsigned long long partial; /* of the one being made */
    unsigned int done;          /* blocks of it */
};

/* sum += osw_hash_bytes(data, bytes, seed), from 0 if it is the `first` one:
 * see worker/hash.h.  The sum goes to *seen too, mapped memory of the host.
 */
void osw_cuda_hash(cudaStream_t stream, const void *data, uint64_t bytes,
                   uint64_t seed, int first, struct osw_cuda_hash *state,
                   unsigned long long *seen);

/* Device memory: the edits of timed calls, and how far they are. */
struct osw_cuda_edits {
    struct osw_edits edits;
    unsigned char *base; /* of the zone, on the device */
    struct osw_edits_undo undo;
    uint64_t next; /* call */
};

/* Undo the last call's edits, and make those of call number `call`, below 0: of
 * the next one.  One thread: some microseconds.  `whole`: state->edits.whole.
 */
void osw_cuda_edit(cudaStream_t stream, struct osw_cuda_edits *state,
                   int64_t call, bool whole);
void osw_cuda_edit_end(cudaStream_t stream, struct osw_cuda_edits *state,
                       bool whole);

/* Read data[0..bytes): the cache then holds clean lines of it. */
void osw_cuda_read(cudaStream_t stream, const void *data, uint64_t bytes,
                   unsigned int *sink);

/* Copy by a kernel: for a few KiB between the device and mapped memory of the
 * host quicker than the copy engines, which the stream has to wait for.  Both
 * are aligned to 16.
 */
void osw_cuda_move(cudaStream_t stream, void *to, const void *from,
                   uint64_t bytes);

/* What a call made: its hash, as above, and a copy of it, and of more around
 * it, as below.
 */
struct osw_cuda_made {
    const void *data;
    uint64_t bytes, seed;
    int first;
    unsigned long long *seen;
    void *to;
    const void *from;
    uint64_t n_copied;
};

/* Both in one launch. */
void osw_cuda_show(cudaStream_t stream, const struct osw_cuda_made *made,
                   struct osw_cuda_hash *state);

/* Both, and then another copy over what was hashed and copied, in one launch,
 * which reads that copy's source first.  Neither copies more than
 * OSW_CUDA_TURN_BYTES.
 */
enum { OSW_CUDA_TURN_BYTES = 64 * 1024 };
void osw_cuda_turn(cudaStream_t stream, const struct osw_cuda_made *made,
                   struct osw_cuda_hash *state, void *to, const void *from,
                   uint64_t bytes);

/* Nothing, for floors. */
void osw_cuda_nothing(cudaStream_t stream);

/* Hold the stream until *gate >= ticket, most_ns at most; then *late = ticket.
 * Both lie in mapped memory of the host.
 */
void osw_cuda_hold(cudaStream_t stream, const unsigned int *gate,
                   unsigned int ticket, uint64_t most_ns, unsigned int *late);

#ifdef __cplusplus
}
#endif

#endif /* OSW_WORKER_DEVICE_KERNELS_CUDA_H */
