/* common/formats/csv.h - fields of CSV, RFC 4180
 *
 * Upstream: reports that write CSV.
 */
#ifndef OSW_COMMON_FORMATS_CSV_H
#define OSW_COMMON_FORMATS_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* Is the stream a terminal?  Then it gets no control character of a field. */
bool osw_csv_is_terminal(FILE *out);

/* Print a field, in quotes where it needs them. */
void osw_csv_put(FILE *out, const char *field, bool terminal);

#endif /* OSW_COMMON_FORMATS_CSV_H */
