/* common/formats/csv.c - fields of CSV, RFC 4180 */
#include "common/formats/csv.h"

#include <string.h>
#include <unistd.h>

#include "common/utf8.h"

bool osw_csv_is_terminal(FILE *out)
{
    int fd = fileno(out);

    return fd >= 0 && isatty(fd);
}

static void put(FILE *out, const char *s, size_t n, bool terminal)
{
    if (terminal)
        osw_utf8_put_visible(out, s, n);
    else
        fwrite(s, 1, n, out);
}

void osw_csv_put(FILE *out, const char *field, bool terminal)
{
    if (!strpbrk(field, ",\"\r\n")) {
        put(out, field, strlen(field), terminal);
        return;
    }
    putc('"', out);
    while (*field) {
        size_t n = strcspn(field, "\"");

        put(out, field, n, terminal);
        field += n;
        if (*field == '"')
            fputs("\"\"", out);
        field += *field == '"';
    }
    putc('"', out);
}
