/* results/file/footer.h - a checksum at the end of a file
 *
 * HDF5 checks much of a file, but not its texts, and may crash over damaged
 * ones.  So 24 bytes follow what HDF5 wrote: magic "OSWFOOT1", the number of
 * bytes in front of it (u64), their CRC-32C and that of the footer before it
 * (u32 each).  HDF5 passes over them, and cuts them off when it changes the
 * file.
 */
#ifndef OSW_RESULTS_FOOTER_H
#define OSW_RESULTS_FOOTER_H

#include "common/error.h"

enum { OSW_FOOTER_BYTES = 24 };

/* Append a footer to the file of fd, open for reading and writing.
 * Returns 0, or -1 with errno set.
 */
int osw_footer_append(int fd) OSW_MUST_CHECK;

/* Check the file of fd; `path` is for messages.  Returns 0 when it is as
 * it was written, 1 when it has no footer, or -1 with err set: OSW_BAD_INPUT
 * (damaged, truncated), OSW_SYSTEM, OSW_NO_MEMORY.  A footer of which neither
 * magic nor number of bytes can be recognised is none.
 */
int osw_footer_check(int fd, const char *path,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_FOOTER_H */
