/* worker/judge/words.h - Philox blocks of many elements at once (host) */
#ifndef OSW_WORKER_JUDGE_WORDS_H
#define OSW_WORKER_JUDGE_WORDS_H

#include <stdint.h>

enum { OSW_WORDS_BLOCK = 64 };

struct osw_words {
    uint32_t w[4][OSW_WORDS_BLOCK];
};

/* w[k][j]: word k of osw_philox_element(seed, tensor, rep, index[j]). */
void osw_words_make(uint64_t seed, uint32_t tensor, uint32_t rep,
                    const int64_t index[OSW_WORDS_BLOCK],
                    struct osw_words *out);

#endif /* OSW_WORKER_JUDGE_WORDS_H */
