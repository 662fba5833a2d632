/* common/utf8.c - characters of UTF-8, and which of them a terminal may get */
#include "common/utf8.h"

#include <string.h>

size_t osw_utf8_length(const char *s, size_t n)
{
    const unsigned char *p = (const unsigned char *)s;
    unsigned lo = 0x80, hi = 0xbf;
    size_t len;

    if (n == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] == 0xe0)
        lo = 0xa0; /* overlong */
    else if (p[0] == 0xed)
        hi = 0x9f; /* surrogates */
    else if (p[0] == 0xf0)
        lo = 0x90; /* overlong */
    else if (p[0] == 0xf4)
        hi = 0x8f; /* beyond U+10FFFF */
    if (n < len || p[1] < lo || p[1] > hi)
        return 0;
    for (size_t i = 2; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

uint32_t osw_utf8_point(const char *s, size_t length)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t point = (unsigned char)s[0] & first[length];

    for (size_t i = 1; i < length; i++)
        point = point << 6 | ((unsigned char)s[i] & 0x3f);
    return point;
}

bool osw_utf8_is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
           point == 0x200e || point == 0x200f ||
           (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069);
}

/* The next character of the text [*n], which moves past it, as a terminal may
 * get it.
 */
static struct shown {
    const char *s;
    size_t n;
} next(const char **s, size_t *n)
{
    size_t length = osw_utf8_length(*s, *n);
    struct shown shown = {*s, length};

    if (length == 0)
        shown = (struct shown){"\xef\xbf\xbd", 3};
    else if (osw_utf8_is_control(osw_utf8_point(*s, length)))
        shown = length == 1 ? (struct shown){" ", 1}
                            : (struct shown){"\xef\xbf\xbd", 3};
    length = length ? length : 1;
    *s += length;
    *n -= length;
    return shown;
}

void osw_utf8_add_visible(struct osw_text *out, const char *s, size_t n)
{
    while (n > 0) {
        struct shown c = next(&s, &n);

        osw_text_add_n(out, c.s, c.n);
    }
}

void osw_utf8_put_visible(FILE *out, const char *s, size_t n)
{
    while (n > 0) {
        struct shown c = next(&s, &n);

        fwrite(c.s, 1, c.n, out);
    }
}

void osw_utf8_put_note(FILE *out, const char *intro, const char *path,
                       const char *text)
{
    fputs(intro, out);
    osw_utf8_put_visible(out, path, strlen(path));
    fputs(": ", out);
    osw_utf8_put_visible(out, text, strlen(text));
    putc('\n', out);
}

size_t osw_utf8_copy_visible(char *to, size_t size, const char *s)
{
    size_t n = strlen(s), used = 0;

    while (n > 0) {
        struct shown c = next(&s, &n);

        if (c.n >= size - used)
            break;
        memcpy(to + used, c.s, c.n);
        used += c.n;
    }
    to[used] = '\0';
    return used;
}
