/* ops/cases/cell.c - the name of a cell that outlives a campaign */
#include "ops/cases/cell.h"

#include <inttypes.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static void add(SHA2_CTX *sha, const char *text)
{
    SHA256Update(sha, (const uint8_t *)text, strlen(text) + 1);
}

uint64_t osw_cell_key(const struct osw_cell_parts *parts)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    uint64_t key = 0;
    char world[24];
    SHA2_CTX sha;

    SHA256Init(&sha);
    add(&sha, "opsweep cell 1");
    add(&sha, parts->op);
    add(&sha, parts->impl);
    add(&sha, parts->case_text);
    add(&sha, parts->fill);
    add(&sha, parts->device);
    if (parts->world > 0) {
        snprintf(world, sizeof(world), "world %" PRIu32, parts->world);
        add(&sha, world);
    }
    SHA256Final(digest, &sha);
    for (int i = 0; i < 8; i++)
        key = key << 8 | digest[i];
    return key;
}

bool osw_cell_key_parse(const char *s, uint64_t *key)
{
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        s += 2;
    if (strlen(s) != 16 || strspn(s, "0123456789abcdefABCDEF") != 16)
        return false;
    *key = strtoull(s, NULL, 16);
    return true;
}
