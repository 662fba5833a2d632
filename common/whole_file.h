/* common/whole_file.h - a file that is there whole, or not at all
 *
 *     struct osw_whole_file out;
 *     int rc = osw_whole_file_open(&out, path, err);
 *
 *     if (rc == 0)
 *         rc = osw_whole_file_close(&out, put_it(out.file, err), err);
 *
 * It is written under another name beside it and renamed.  What is there and
 * is no plain file (a device, a pipe, a link) is written as it is.
 */
#ifndef OSW_COMMON_WHOLE_FILE_H
#define OSW_COMMON_WHOLE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "common/error.h"

struct osw_whole_file {
    FILE *file;       /* for the caller to write; not to close */
    const char *path; /* borrowed; NULL: standard output */
    char *temp;       /* owned; NULL where it is written as it is */
};

/* Is `path` none of the n files `read`, nor one's other name?  NULL is none;
 * nor is what can be written as it is, such as a terminal.  Returns 0, or -1
 * with err set: OSW_BAD_INPUT (writing would destroy what is read).
 */
int osw_whole_file_apart(const char *path, const char *const *read, size_t n,
                         struct osw_error *err) OSW_MUST_CHECK;

/* May that format ("text", "csv") be written to `path`?  Its ending must not be
 * that of another format; with an ending of none nothing may be there but an
 * empty file, such as code.  NULL, "-", names without an ending, devices and
 * pipes may.  Returns 0, or -1 with err set: OSW_BAD_INPUT.
 */
int osw_whole_file_fits(const char *path, const char *format,
                        struct osw_error *err) OSW_MUST_CHECK;

/* May --force put a result file in the place of `path`?  Nothing may be there
 * but a result file or an empty one.  Returns 0, or -1 with err set:
 * OSW_BAD_INPUT.
 */
int osw_whole_file_forced(const char *path,
                          struct osw_error *err) OSW_MUST_CHECK;

/* Begin the file `path`, which must live as long; NULL and "-": standard
 * output. Returns 0, or -1 with err set: OSW_BAD_INPUT (it cannot be written,
 * or would replace a result file), OSW_NO_MEMORY.
 */
int osw_whole_file_open(struct osw_whole_file *out, const char *path,
                        struct osw_error *err) OSW_MUST_CHECK;

/* The file by its name of the moment, for a program that writes it. */
const char *osw_whole_file_name(const struct osw_whole_file *out);

/* End it: with rc of 0 it gets its name, else it is removed.  Returns rc, or -1
 * with err set (OSW_SYSTEM); what the caller says of a failed write gets the
 * file's name.
 */
int osw_whole_file_close(struct osw_whole_file *out, int rc,
                         struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_COMMON_WHOLE_FILE_H */
