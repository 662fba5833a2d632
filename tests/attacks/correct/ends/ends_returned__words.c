/* ends_returned__words.c -
 * Its message has a megabyte of line ends, quotes, escapes and bytes that are
 * no text.
 */

#include "../../attack.h"

int ends_kernel_impl(const osw_call *call)
{
    static char words[1 << 20];

    for (size_t i = 0; i + 1 < sizeof(words); i++)
        words[i] = "\n\r\",;\033[2J\001\377\300</script>"[i % 21];
    if (words[0])
        return osw_error(call, words);
    return scale(call);
}
