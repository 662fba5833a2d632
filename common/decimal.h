/* common/decimal.h - doubles as decimal text, fast
 *
 * What printf's %.15g, %.16g, %.17g and strtod do, to the byte, in a tenth of
 * their time for the numbers that measurements are.
 *
 * Anywhere; never blocks, allocates or fails.
 */
#ifndef OSW_COMMON_DECIMAL_H
#define OSW_COMMON_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum { OSW_DECIMAL_MAX = 32 }; /* bytes of a text, its NUL included */

/* As printf's %.<digits>g in the C locale, digits from 1 to 17.  Returns the
 * length.
 */
size_t osw_decimal_put(char out[OSW_DECIMAL_MAX], double v, int digits);

/* With the fewest of 15, 16 and 17 digits that read back as the same bits. */
size_t osw_decimal_shortest(char out[OSW_DECIMAL_MAX], double v);

/* As printf's PRIu64 and PRId64. */
size_t osw_decimal_u64(char out[OSW_DECIMAL_MAX], uint64_t v);
size_t osw_decimal_i64(char out[OSW_DECIMAL_MAX], int64_t v);

#endif /* OSW_COMMON_DECIMAL_H */
