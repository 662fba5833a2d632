/* worker/sandbox/heap.c - what memory from malloc() holds before it is written
 */
#include "worker/sandbox/heap.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "worker/protocol.h"

static void *used_block(size_t bytes)
{
    void *volatile block = malloc(bytes); /* or the compiler drops the writes */

    if (block)
        memset(block, 0xFF, bytes);
    return block;
}

/* Small blocks are kept by size, a few of each; the rest is one piece, below
 * the size that free() gives back.
 */
void osw_heap_use(void)
{
    enum { LEAST = 24, STEP = 16, MOST = 1032, OF_EACH = 7, REST = 100 << 10 };
    void *blocks[OF_EACH];

    for (size_t bytes = LEAST; bytes <= MOST; bytes += STEP) {
        for (size_t i = 0; i < OF_EACH; i++)
            blocks[i] = used_block(bytes);
        for (size_t i = 0; i < OF_EACH; i++)
            free(blocks[i]);
    }
    free(used_block(REST));
}

/* The C library fills new blocks with the complement of what it is told. */
void osw_heap_fill(unsigned char pattern)
{
    (void)mallopt(M_PERTURB, osw_heap_poison(pattern) ^ 0xFF);
}

void osw_heap_leave(void)
{
    (void)mallopt(M_PERTURB, 0);
}
