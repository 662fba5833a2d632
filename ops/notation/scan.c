/* ops/notation/scan.c - a cursor over a text, whose errors name the column */
#include "ops/notation/scan.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBER = 63, MAX_SHOWN = 24 };

/* Not <ctype.h>: what a name is must not hang on the locale. */
static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           is_digit(c);
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int byte_at(const struct osw_scan *s, size_t at)
{
    return at < s->n ? (unsigned char)s->text[at] : -1;
}

int osw_scan_peek(struct osw_scan *s)
{
    while (is_blank(byte_at(s, s->at)))
        s->at++;
    return byte_at(s, s->at);
}

bool osw_scan_take(struct osw_scan *s, char c)
{
    if (osw_scan_peek(s) != c)
        return false;
    s->at++;
    return true;
}

int osw_scan_expect(struct osw_scan *s, char c)
{
    if (osw_scan_take(s, c))
        return 0;
    return osw_scan_fail(s, s->at, "'%c'", c);
}

int osw_scan_end(struct osw_scan *s)
{
    if (osw_scan_peek(s) < 0)
        return 0;
    return osw_scan_fail(s, s->at, "nothing more");
}

size_t osw_scan_peek_word(struct osw_scan *s)
{
    size_t n = 0;

    if (is_digit(osw_scan_peek(s)))
        return 0;
    while (is_name(byte_at(s, s->at + n)))
        n++;
    return n;
}

size_t osw_scan_take_word(struct osw_scan *s, const char **word)
{
    size_t n = osw_scan_peek_word(s);

    *word = s->text + s->at;
    s->at += n;
    return n;
}

bool osw_scan_is_word(struct osw_scan *s, const char *word)
{
    size_t n = osw_scan_peek_word(s);

    return n == strlen(word) && memcmp(s->text + s->at, word, n) == 0;
}

/* Bytes of the number at `at`; *real tells a float from an integer.  0 when
 * there is none.
 */
static size_t measure_number(const struct osw_scan *s, size_t at, bool *real)
{
    size_t p = at + (byte_at(s, at) == '-'), digits = 0;

    *real = false;
    for (; is_digit(byte_at(s, p)); p++)
        digits++;
    if (byte_at(s, p) == '.') {
        *real = true;
        for (p++; is_digit(byte_at(s, p)); p++)
            digits++;
    }
    if (digits == 0)
        return 0;
    if (byte_at(s, p) == 'e' || byte_at(s, p) == 'E') {
        size_t q = p + 1;

        if (byte_at(s, q) == '-' || byte_at(s, q) == '+')
            q++;
        if (is_digit(byte_at(s, q))) {
            *real = true;
            for (p = q; is_digit(byte_at(s, p));)
                p++;
        }
    }
    return p - at;
}

int osw_scan_number(struct osw_scan *s, struct osw_value *out)
{
    struct osw_value v = {.kind = OSW_VALUE_INT};
    char digits[MAX_NUMBER + 1];
    size_t n, at;
    bool real;

    (void)osw_scan_peek(s);
    at = s->at;
    n = measure_number(s, at, &real);
    if (n == 0)
        return osw_scan_fail(s, at, "a number");
    if (n > MAX_NUMBER)
        return osw_scan_fail(s, at, "a number of at most %d characters",
                             MAX_NUMBER);
    memcpy(digits, s->text + at, n);
    digits[n] = '\0';
    errno = 0;
    if (real) {
        v.kind = OSW_VALUE_FLOAT;
        v.u.f = strtod(digits, NULL);
        if (!isfinite(v.u.f))
            return osw_scan_fail(s, at, "a number within float64");
    } else {
        v.u.i = strtoll(digits, NULL, 10);
        if (errno == ERANGE)
            return osw_scan_fail(s, at, "an integer within int64");
    }
    s->at += n;
    *out = v;
    return 0;
}

static int hex_digit(int c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The byte after the backslash at s->at, which is taken; -1 when bad. */
static int take_escape(struct osw_scan *s)
{
    static const char from[] = "\\'\"ntrabfv", to[] = "\\'\"\n\t\r\a\b\f\v";
    int c = byte_at(s, s->at + 1), hi, lo;
    const char *p = c > 0 ? strchr(from, c) : NULL;

    if (p) {
        s->at += 2;
        return (unsigned char)to[p - from];
    }
    if (c != 'x')
        return -1;
    hi = hex_digit(byte_at(s, s->at + 2));
    lo = hex_digit(byte_at(s, s->at + 3));
    if (hi < 0 || hi > 7 || lo < 0 || hi + lo == 0)
        return -1;
    s->at += 4;
    return hi * 16 + lo;
}

int osw_scan_string(struct osw_scan *s, struct osw_value *out)
{
    struct osw_value v = {.kind = OSW_VALUE_STRING};
    int quote = osw_scan_peek(s);
    size_t start = s->at, end, n = 0;
    char *bytes;

    if (quote != '\'' && quote != '"')
        return osw_scan_fail(s, start, "a quoted text");
    for (end = start + 1; byte_at(s, end) != quote; end++) {
        if (byte_at(s, end) == '\\')
            end++;
        if (byte_at(s, end) <= 0 || byte_at(s, end) == '\n')
            return osw_scan_fail(s, end, "%c at the end of the text", quote);
    }
    bytes = osw_arena_alloc(s->arena, end - start);
    if (!bytes)
        return osw_scan_no_memory(s);
    for (s->at = start + 1; s->at < end;) {
        int c =
            byte_at(s, s->at) == '\\' ? take_escape(s) : byte_at(s, s->at++);

        if (c < 0)
            return osw_scan_fail(s, s->at,
                                 "an escape of \\\\ \\' \\\" \\n \\t \\r or "
                                 "\\x01 to \\x7f");
        bytes[n++] = (char)c;
    }
    s->at = end + 1;
    v.n = (uint32_t)n;
    v.u.s = bytes;
    *out = v;
    return 0;
}

/* What stands at `at`, for people: a whole name or number, or one byte. */
static void describe(const struct osw_scan *s, size_t at, char *buf,
                     size_t size)
{
    int c = byte_at(s, at);
    size_t n = 0;
    bool real;

    if (c < 0) {
        snprintf(buf, size, "the end");
        return;
    }
    if (is_name(c) || c == '-')
        n = measure_number(s, at, &real);
    while (is_name(byte_at(s, at + n)))
        n++;
    if (n == 0 && c > ' ' && c < 0x7f)
        n = 1;
    if (n == 0)
        snprintf(buf, size, "byte 0x%02x", (unsigned)c);
    else
        snprintf(buf, size, "'%.*s'%s", (int)(n < MAX_SHOWN ? n : MAX_SHOWN),
                 s->text + at, n > MAX_SHOWN ? "..." : "");
}

int osw_scan_fail(struct osw_scan *s, size_t at, const char *fmt, ...)
{
    char want[200], found[MAX_SHOWN + 16];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(want, sizeof(want), fmt, ap);
    va_end(ap);
    describe(s, at, found, sizeof(found));
    return osw_fail(s->err, OSW_BAD_INPUT, "column %zu: expected %s, found %s",
                    at + 1, want, found);
}

int osw_scan_no_memory(struct osw_scan *s)
{
    return osw_fail(s->err, OSW_NO_MEMORY, "no memory for column %zu",
                    s->at + 1);
}
