/* common/kernel_number.h - a number in a file of the kernel's
 *
 * Files such as /proc/vmstat: lines of a word and a number.
 */
#ifndef OSW_COMMON_KERNEL_NUMBER_H
#define OSW_COMMON_KERNEL_NUMBER_H

/* The number after a word at the start of a line; `otherwise` where the file
 * or such a line is missing.
 */
unsigned long long osw_kernel_number(const char *path, const char *word,
                                     unsigned long long otherwise);

#endif /* OSW_COMMON_KERNEL_NUMBER_H */
