/* results/journal/crc32c.h - the checksum of journal records: CRC-32C
 * (Castagnoli)
 *
 * Reflected polynomial 0x82f63b78, as in iSCSI and ext4.  By SSE4.2 where the
 * processor has it, else by table; both give the same number.
 */
#ifndef OSW_RESULTS_CRC32C_H
#define OSW_RESULTS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC of `bytes` bytes, continuing `crc`; 0 starts a new one.  Any thread. */
uint32_t osw_crc32c(uint32_t crc, const void *data, size_t bytes);

/* The same by table, whatever the processor. */
uint32_t osw_crc32c_table(uint32_t crc, const void *data, size_t bytes);

#endif /* OSW_RESULTS_CRC32C_H */
