/* results/journal/digest.h - short digests in place of texts
 *
 * SipHash-2-4 of 128 bits, cut to 96.  With a random key no text can be made
 * up that has the digest of another one; of 10^8 texts two have the same by
 * chance in one of 10^13 campaigns.
 *
 * Pure.  Upstream: dict.c.
 */
#ifndef OSW_RESULTS_DIGEST_H
#define OSW_RESULTS_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { OSW_DIGEST_KEY_BYTES = 16 };

struct osw_digest {
    uint32_t words[3];
};

struct osw_digest osw_digest_of(const uint8_t key[OSW_DIGEST_KEY_BYTES],
                                const void *data, size_t n);

#endif /* OSW_RESULTS_DIGEST_H */
