/* worker/hash_mix.h - the step that all of hash.h's hashes are made of
 *
 * For the host and for kernels, so that both give the same bits.
 */
#ifndef OSW_WORKER_HASH_MIX_H
#define OSW_WORKER_HASH_MIX_H

#include <opsweep/elements.h>
#include <stdint.h>

/* What positions are apart. */
#define OSW_HASH_POSITION UINT64_C(0x9e3779b97f4a7c15)

/* A bijection: multiplication by odd constants can be undone. */
OSW_HD static inline uint64_t osw_hash_mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 29;
    return x * UINT64_C(0x94d049bb133111eb);
}

#endif /* OSW_WORKER_HASH_MIX_H */
