/* worker/judge/process/breaker.c - implementations that are no longer judged
 * after too many crashes or timeouts */
#include "worker/judge/process/breaker.h"

#include <string.h>

#include "worker/hash.h"

bool osw_breaker_counts(enum osw_state state)
{
    return state == OSW_STATE_CRASH || state == OSW_STATE_EXITED ||
           state == OSW_STATE_TIMEOUT || state == OSW_STATE_CUDA;
}

/* Its place, or the one that it would have; NULL: the table is full. */
static const struct osw_breaker_file *find(const struct osw_breaker *b,
                                           const char *path, uint64_t *key)
{
    *key = osw_hash_bytes(path, strlen(path), 1) | 1;
    for (uint64_t i = 0; i < OSW_BREAKER_FILES; i++) {
        const struct osw_breaker_file *f =
            &b->files[(*key / 2 + i) % OSW_BREAKER_FILES];

        if (f->key == *key || f->key == 0)
            return f;
    }
    return NULL;
}

void osw_breaker_strike(struct osw_breaker *b, const char *path)
{
    uint64_t key;
    const struct osw_breaker_file *f = find(b, path, &key);

    if (f)
        b->files[f - b->files] = (struct osw_breaker_file){key, f->n + 1};
}

bool osw_breaker_is_open(const struct osw_breaker *b, const char *path)
{
    uint64_t key;
    const struct osw_breaker_file *f = find(b, path, &key);

    return f && f->key == key && f->n >= OSW_BREAKER_LIMIT;
}
