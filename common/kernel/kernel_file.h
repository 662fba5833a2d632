/* common/kernel/kernel_file.h - small files of the kernel's
 *
 * Such as /proc/PID/stat, and /proc/vmstat: lines of a word and a number.
 */
#ifndef OSW_COMMON_KERNEL_KERNEL_FILE_H
#define OSW_COMMON_KERNEL_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Fields of /proc/PID/stat. */
enum {
    OSW_KERNEL_STAT_START = 22, /* ticks since the node is up */
    OSW_KERNEL_STAT_CORE = 39,  /* that it ran on last */
};

/* The file `name` of a process into text[size], cut to fit, with a NUL.  False,
 * and "": it is not there.
 */
bool osw_kernel_file(pid_t pid, const char *name, char *text, size_t size);

/* The number that is a field of /proc/PID/stat, from the fourth on, counted as
 * proc(5) does; -1: the process is not there.
 */
long long osw_kernel_stat(pid_t pid, int field);

/* The number after a word at the start of a line; `otherwise` where the file
 * or such a line is missing.
 */
unsigned long long osw_kernel_number(const char *path, const char *word,
                                     unsigned long long otherwise);

/* Unix time at which this process started; now, if that cannot be read. */
int64_t osw_kernel_start_unix_ns(void);

#endif /* OSW_COMMON_KERNEL_KERNEL_FILE_H */
