/* common/kernel/control_group.h - the control groups that this process is in
 *
 * Both generations of Linux: of the first, each controller has groups of its
 * own; the second has one tree.
 */
#ifndef OSW_COMMON_KERNEL_CONTROL_GROUP_H
#define OSW_COMMON_KERNEL_CONTROL_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path of the own group, as /proc/self/cgroup has it, into path[size]: of
 * a controller ("memory"), or of the second generation (""); "/" becomes "".
 * False: there is none.  `root` goes before every path: "" but in tests.
 */
bool osw_control_group(const char *root, const char *controller, char *path,
                       size_t size);

/* Bytes of memory that this process may still take, at least 1: what the node
 * has available, or less where a group that it is in, or one around that, has a
 * limit.  Files that the kernel can drop count as free.  UINT64_MAX: not known.
 * Any thread.
 */
struct osw_memory_left {
    uint64_t node;  /* available on the node */
    uint64_t group; /* left in the groups; UINT64_MAX: no limit */
};

struct osw_memory_left osw_memory_left(const char *root);

/* The smaller one of both. */
uint64_t osw_memory_left_bytes(void);

#endif /* OSW_COMMON_KERNEL_CONTROL_GROUP_H */
