/* mpi_runner/generate/ask/extract.c - the code in a model's answer */
#include "mpi_runner/generate/ask/extract.h"

#include <ctype.h>
#include <string.h>

/* A piece of the answer. */
struct span {
    const char *at;
    size_t n;
};

/* A line that opens or closes a block: n characters c. */
struct fence {
    char c;
    size_t n; /* 0: the line is none */
    bool bare;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' ||
           c == '\v';
}

/* Does the text hold the name as a word? */
static bool names(struct span text, const char *symbol)
{
    size_t n = strlen(symbol);
    const char *at = text.at, *end = text.at + text.n;

    while ((at = memmem(at, (size_t)(end - at), symbol, n))) {
        if ((at == text.at || !is_word(at[-1])) &&
            (at + n == end || !is_word(at[n])))
            return true;
        at++;
    }
    return false;
}

static struct span next_line(struct span *rest)
{
    const char *end = memchr(rest->at, '\n', rest->n);
    struct span line = {rest->at, end ? (size_t)(end - rest->at) : rest->n};
    size_t used = line.n + (end ? 1 : 0);

    rest->at += used;
    rest->n -= used;
    return line;
}

static struct fence read_fence(struct span line)
{
    struct fence f = {.c = 0};
    size_t i = 0, start;

    while (i < line.n && i < 3 && line.at[i] == ' ')
        i++;
    if (i == line.n || (line.at[i] != '`' && line.at[i] != '~'))
        return f;
    f.c = line.at[i];
    start = i;
    while (i < line.n && line.at[i] == f.c)
        i++;
    if (i - start < 3)
        return f;
    f.n = i - start;
    f.bare = true;
    for (; i < line.n; i++) {
        if (line.at[i] == '`')
            return (struct fence){.c = 0}; /* code within a line */
        f.bare = f.bare && is_blank(line.at[i]);
    }
    return f;
}

/* What blocks there are. */
struct blocks {
    size_t n;           /* with a fence, the open one among them */
    struct span wanted; /* the last closed one that names the function */
    bool open;          /* the open one names it */
};

static struct blocks find_blocks(struct span rest, const char *symbol)
{
    struct blocks b = {.n = 0};
    struct fence inside = {.c = 0};
    struct span block = {NULL, 0};

    while (rest.n > 0) {
        struct span line = next_line(&rest);
        struct fence f = read_fence(line);

        if (!inside.n && f.n) {
            inside = f;
            block.at = rest.at;
            b.n++;
        } else if (inside.n && f.bare && f.c == inside.c && f.n >= inside.n) {
            block.n = (size_t)(line.at - block.at);
            if (names(block, symbol))
                b.wanted = block;
            inside.n = 0;
        }
    }
    block.n = inside.n ? (size_t)(rest.at - block.at) : 0;
    b.open = block.n > 0 && names(block, symbol);
    return b;
}

static bool is_empty(struct span s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_blank(s.at[i]))
            return false;
    return true;
}

enum osw_outcome osw_extract(const char *answer, size_t n, const char *symbol,
                             const char **code, size_t *size)
{
    struct span all = {answer, n};
    struct blocks b;

    if (n > OSW_EXTRACT_MAX_ANSWER)
        return OSW_OUTCOME_TOO_LARGE;
    if (is_empty(all))
        return OSW_OUTCOME_EMPTY;
    b = find_blocks(all, symbol);
    if (!b.wanted.at && b.open)
        return OSW_OUTCOME_TRUNCATED;
    if (!b.wanted.at && b.n > 0)
        return OSW_OUTCOME_WRONG_SYMBOL;
    if (!b.wanted.at && !names(all, symbol))
        return OSW_OUTCOME_NO_CODE;
    if (!b.wanted.at)
        b.wanted = all;
    if (b.wanted.n > OSW_EXTRACT_MAX_CODE)
        return OSW_OUTCOME_TOO_LARGE;
    if (memchr(b.wanted.at, '\0', b.wanted.n))
        return OSW_OUTCOME_NO_CODE;
    *code = b.wanted.at;
    *size = b.wanted.n;
    return OSW_OUTCOME_ANSWERED;
}

/* --- what compilers ignore --- */

/* Bytes of the string or character that begins at s[0]. */
static size_t quoted(const char *s, size_t n)
{
    size_t triple = n >= 3 && s[1] == s[0] && s[2] == s[0] ? 3 : 1, i = triple;

    for (; i < n; i++) {
        if (s[i] == '\\') {
            i++;
            continue;
        }
        if (triple == 1 && (s[i] == s[0] || s[i] == '\n'))
            return i + 1;
        if (triple == 3 && n - i >= 3 && s[i] == s[0] && s[i + 1] == s[0] &&
            s[i + 2] == s[0])
            return i + 3;
    }
    return n;
}

/* Bytes of the comment that begins at s[0]; 0: none does. */
static size_t comment(const char *s, size_t n, bool python)
{
    size_t i = 2;

    if (python ? s[0] == '#' : n >= 2 && s[0] == '/' && s[1] == '/') {
        const char *end = memchr(s, '\n', n);

        return end ? (size_t)(end - s) : n;
    }
    if (python || n < 2 || s[0] != '/' || s[1] != '*')
        return 0;
    while (i + 1 < n && !(s[i] == '*' && s[i + 1] == '/'))
        i++;
    return i + 1 < n ? i + 2 : n;
}

/* Blanks within a line are one; at its start they count in Python, as do ends
 * of lines in directives of C.
 */
void osw_extract_plain(const char *code, size_t n, bool python,
                       struct osw_text *out)
{
    bool start = true, gap = false; /* of a line; blanks were left out */
    size_t indent = 0;

    for (size_t i = 0; i < n;) {
        size_t skip = comment(code + i, n - i, python), take = 1;

        if (skip > 0) {
            i += skip;
            gap = true;
            continue;
        }
        if (code[i] == '\n') {
            if (!start)
                osw_text_add(out, "\n");
            start = true;
            gap = false;
            indent = 0;
            i++;
            continue;
        }
        if (is_blank(code[i])) {
            gap = true;
            indent += code[i] == '\t' ? 8 : 1;
            i++;
            continue;
        }
        if (code[i] == '"' || code[i] == '\'')
            take = quoted(code + i, n - i);
        if (start && python)
            osw_text_printf(out, "%*s", (int)(indent & 0xfff), "");
        else if (gap && !start)
            osw_text_add(out, " ");
        osw_text_add_n(out, code + i, take);
        start = gap = false;
        i += take;
    }
}
