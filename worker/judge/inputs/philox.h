/* worker/judge/inputs/philox.h - Philox4x32-10, random words by counter
 *
 * J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
 * A word is a function of key and counter only, so any element can be made by
 * itself, anywhere, in any order.  Plain C, for host and device.
 */
#ifndef OSW_WORKER_JUDGE_PHILOX_H
#define OSW_WORKER_JUDGE_PHILOX_H

#include <stdint.h>

#include <opsweep/elements.h> /* OSW_HD */

#define OSW_PHILOX_M0 0xD2511F53u
#define OSW_PHILOX_M1 0xCD9E8D57u
#define OSW_PHILOX_W0 0x9E3779B9u
#define OSW_PHILOX_W1 0xBB67AE85u

enum { OSW_PHILOX_ROUNDS = 10 };

struct osw_philox {
    uint32_t w[4];
};

/* The keys of all rounds, worked out once. */
struct osw_philox_keys {
    uint32_t k[OSW_PHILOX_ROUNDS][2];
};

OSW_HD static inline struct osw_philox_keys osw_philox_keys(uint64_t seed)
{
    struct osw_philox_keys keys;

    for (uint32_t r = 0; r < OSW_PHILOX_ROUNDS; r++) {
        keys.k[r][0] = (uint32_t)seed + r * OSW_PHILOX_W0;
        keys.k[r][1] = (uint32_t)(seed >> 32) + r * OSW_PHILOX_W1;
    }
    return keys;
}

/* All rounds, of which M0 * c0 is there already. */
OSW_HD static inline struct osw_philox
osw_philox_rounds_from(uint64_t p0, uint32_t c1, uint32_t c2, uint32_t c3,
                       const struct osw_philox_keys *keys)
{
    struct osw_philox out;
    uint32_t c0;

    for (int r = 0;; r++) {
        uint64_t p1 = (uint64_t)OSW_PHILOX_M1 * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ keys->k[r][0];
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ keys->k[r][1];
        c3 = (uint32_t)p0;
        if (r == OSW_PHILOX_ROUNDS - 1)
            break;
        p0 = (uint64_t)OSW_PHILOX_M0 * c0;
    }
    out.w[0] = c0;
    out.w[1] = c1;
    out.w[2] = c2;
    out.w[3] = c3;
    return out;
}

OSW_HD static inline struct osw_philox
osw_philox_rounds(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3,
                  const struct osw_philox_keys *keys)
{
    return osw_philox_rounds_from((uint64_t)OSW_PHILOX_M0 * c0, c1, c2, c3,
                                  keys);
}

/* The block of one counter under one key. */
OSW_HD static inline struct osw_philox
osw_philox_block(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3,
                 uint32_t k0, uint32_t k1)
{
    struct osw_philox_keys keys = osw_philox_keys((uint64_t)k1 << 32 | k0);

    return osw_philox_rounds(c0, c1, c2, c3, &keys);
}

/* The block of element `index` of a tensor: one block each, always. */
OSW_HD static inline struct osw_philox
osw_philox_element(uint64_t seed, uint32_t tensor, uint32_t rep, uint64_t index)
{
    return osw_philox_block((uint32_t)index, (uint32_t)(index >> 32), tensor,
                            rep, (uint32_t)seed, (uint32_t)(seed >> 32));
}

#endif /* OSW_WORKER_JUDGE_PHILOX_H */
