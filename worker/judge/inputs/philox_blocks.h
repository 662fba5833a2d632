/* worker/judge/inputs/philox_blocks.h - Philox blocks of many elements at once
 * (host) */
#ifndef OSW_WORKER_JUDGE_PHILOX_BLOCKS_H
#define OSW_WORKER_JUDGE_PHILOX_BLOCKS_H

#include <stdint.h>

enum { OSW_PHILOX_BLOCKS_BLOCK = 64 };

struct osw_philox_blocks {
    uint32_t w[4][OSW_PHILOX_BLOCKS_BLOCK];
};

/* w[k][j]: word k of osw_philox_element(seed, tensor, rep, index[j]). */
void osw_philox_blocks_make(uint64_t seed, uint32_t tensor, uint32_t rep,
                            const int64_t index[OSW_PHILOX_BLOCKS_BLOCK],
                            struct osw_philox_blocks *out);

#endif /* OSW_WORKER_JUDGE_PHILOX_BLOCKS_H */
