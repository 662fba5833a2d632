/* worker/sandbox/heap.h - what memory from malloc() holds before it is written
 *
 * New pages are zero, which hides that op code reads memory that it never
 * wrote.
 *
 * Upstream: loop.c, calls.c.
 */
#ifndef OSW_WORKER_SANDBOX_HEAP_H
#define OSW_WORKER_SANDBOX_HEAP_H

/* Use memory once and give it back, so that each float of the first blocks is
 * NaN: those that malloc() keeps by size are not filled later.
 */
void osw_heap_use(void);

/* From now on malloc() fills what it returns with osw_heap_poison(pattern);
 * calloc() and mmap() still give zeros.
 */
void osw_heap_fill(unsigned char pattern);

/* From now on it returns memory as it is. */
void osw_heap_leave(void);

#endif /* OSW_WORKER_SANDBOX_HEAP_H */
