/* results/journal/digest.c - short digests in place of texts */
#include "results/journal/digest.h"

#include <endian.h>
#include <string.h>

struct sip {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* Little-endian, of n <= 8 bytes. */
static uint64_t load(const uint8_t *p, size_t n)
{
    uint64_t x = 0;

    memcpy(&x, p, n);
    return le64toh(x);
}

static void rounds(struct sip *s, int n)
{
    for (int i = 0; i < n; i++) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotate(s->v1, 13) ^ s->v0;
        s->v3 = rotate(s->v3, 16) ^ s->v2;
        s->v0 = rotate(s->v0, 32);
        s->v2 += s->v1;
        s->v0 += s->v3;
        s->v1 = rotate(s->v1, 17) ^ s->v2;
        s->v3 = rotate(s->v3, 21) ^ s->v0;
        s->v2 = rotate(s->v2, 32);
    }
}

static void absorb(struct sip *s, uint64_t word)
{
    s->v3 ^= word;
    rounds(s, 2);
    s->v0 ^= word;
}

struct osw_digest osw_digest_of(const uint8_t key[OSW_DIGEST_KEY_BYTES],
                                const void *data, size_t n)
{
    uint64_t k0 = load(key, 8), k1 = load(key + 8, 8), low, high;
    const uint8_t *p = data;
    struct sip s = {k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du ^ 0xee,
                    k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u};
    size_t at = 0;

    for (; n - at >= 8; at += 8)
        absorb(&s, load(p + at, 8));
    absorb(&s, load(p + at, n - at) | (uint64_t)n << 56);
    s.v2 ^= 0xee;
    rounds(&s, 4);
    low = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
    s.v1 ^= 0xdd;
    rounds(&s, 4);
    high = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
    return (struct osw_digest){
        {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high}};
}
