/* common/text.c - a string that grows */
#include "common/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void osw_text_free(struct osw_text *t)
{
    free(t->data);
    *t = (struct osw_text)OSW_TEXT_INIT;
}

void osw_text_reset(struct osw_text *t)
{
    t->used = 0;
    t->failed = false;
    if (t->data)
        t->data[0] = '\0';
}

/* Room for n more bytes and the closing NUL. */
static bool reserve(struct osw_text *t, size_t n)
{
    size_t size = t->size ? t->size : 128;
    char *data;

    if (t->failed || n >= (size_t)-1 / 4 - t->used) {
        t->failed = true;
        return false;
    }
    while (size < t->used + n + 1)
        size *= 2;
    if (size == t->size)
        return true;
    data = realloc(t->data, size);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->size = size;
    return true;
}

void osw_text_add_n(struct osw_text *t, const char *s, size_t n)
{
    if (!reserve(t, n))
        return;
    if (n)
        memcpy(t->data + t->used, s, n);
    t->used += n;
    t->data[t->used] = '\0';
}

void osw_text_add(struct osw_text *t, const char *s)
{
    osw_text_add_n(t, s, strlen(s));
}

void osw_text_add_shell(struct osw_text *t, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=./,:@%";

    if (*word && strspn(word, plain) == strlen(word)) {
        osw_text_add(t, word);
        return;
    }
    osw_text_add(t, "'");
    for (; *word; word++)
        if (*word == '\'')
            osw_text_add(t, "'\\''");
        else
            osw_text_add_n(t, word, 1);
    osw_text_add(t, "'");
}

const char *osw_shell_word(const char *word, char out[OSW_SHELL_WORD])
{
    struct osw_text t = OSW_TEXT_INIT;
    bool fits;

    osw_text_add_shell(&t, word);
    fits = !t.failed && t.used < OSW_SHELL_WORD;
    if (fits)
        memcpy(out, t.data, t.used + 1);
    osw_text_free(&t);
    return fits ? out : word;
}

void osw_text_printf(struct osw_text *t, const char *fmt, ...)
{
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    if (n >= 0 && reserve(t, (size_t)n)) {
        vsnprintf(t->data + t->used, (size_t)n + 1, fmt, again);
        t->used += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

const char *osw_text_str(const struct osw_text *t)
{
    if (t->failed)
        return NULL;
    return t->data ? t->data : "";
}

const char *osw_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}
