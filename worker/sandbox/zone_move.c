/* worker/sandbox/zone_move.c - a zone of the host's memory lies elsewhere */
#include "worker/sandbox/zone_move.h"

#include <stddef.h>
#include <sys/mman.h>

/* What a whole table of pages maps: from and to addresses that are equal modulo
 * it, tables move instead of pages.
 */
enum { TABLE = 2 << 20 };

/* Addresses without memory, at `at` or (NULL) anywhere. */
static unsigned char *reserve(void *at, uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = mmap(at, bytes, PROT_NONE, flags | (at ? MAP_FIXED_NOREPLACE : 0),
                   -1, 0);

    if (p != MAP_FAILED && at && p != at) { /* a kernel before 4.17 */
        munmap(p, bytes);
        return NULL;
    }
    return p == MAP_FAILED ? NULL : p;
}

/* As many of them that are equal to `like` modulo TABLE. */
static void *reserve_like(const void *like, uint64_t bytes)
{
    unsigned char *p = reserve(NULL, bytes + TABLE);
    uint64_t skip = ((uintptr_t)like - (uintptr_t)p) % TABLE;

    if (!p)
        return NULL;
    if (skip > 0)
        munmap(p, skip);
    if (skip < TABLE)
        munmap(p + skip + bytes, TABLE - skip);
    return p + skip;
}

void osw_zone_move(struct osw_zone_move *move, void **base, uint64_t bytes)
{
    void *to = move->left ? move->left : reserve_like(*base, bytes), *p;

    move->left = NULL;
    if (!to)
        return;
    p = mremap(*base, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    if (p == MAP_FAILED) {
        munmap(to, bytes);
        return;
    }
    move->left = reserve(*base, bytes);
    *base = p;
}

void osw_zone_move_end(struct osw_zone_move *move, uint64_t bytes)
{
    if (move->left)
        munmap(move->left, bytes);
    move->left = NULL;
}
