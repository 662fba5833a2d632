/* common/cli/opt.c - options as rows: a name, a type, a field of a struct */
#include "common/cli/opt.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/decimal.h"
#include "common/suggest.h"

const struct osw_opt *osw_opt_find(const struct osw_opt *opts, const char *name)
{
    for (; opts->name; opts++)
        if (strcmp(opts->name, name) == 0 ||
            (opts->alias && strcmp(opts->alias, name) == 0))
            return opts;
    return NULL;
}

static int refuse(const struct osw_opt *opt, const char *expected,
                  const char *word, struct osw_error *err)
{
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--%s': expected %s, found '%s'", opt->name,
                    expected, word);
}

/* --- one setter per kind: write the field, or say what was expected --- */

static const char *set_flag(const struct osw_opt *opt, void *field,
                            const char *word)
{
    bool on = strcmp(word, "true") == 0;

    (void)opt;
    if (!on && strcmp(word, "false") != 0)
        return "true or false";
    *(bool *)field = on;
    return NULL;
}

static const char *set_str(const struct osw_opt *opt, void *field,
                           const char *word)
{
    (void)opt;
    *(const char **)field = word;
    return NULL;
}

/* "a whole number from 1 to 64"; the text is the thread's, until the next. */
static const char *what_range(const struct osw_opt *opt)
{
    static _Thread_local char text[80];
    char most[24] = "2^64 - 1";

    if (opt->most)
        snprintf(most, sizeof(most), "%" PRIu64, opt->most);
    snprintf(text, sizeof(text), "a whole number from %" PRIu64 " to %s",
             opt->least, most);
    return text;
}

static bool read_u64(const char *word, uint64_t *out)
{
    unsigned long long v;
    char *end;

    errno = 0;
    v = strtoull(word, &end, strncmp(word, "0x", 2) == 0 ? 16 : 10);
    if (*word < '0' || *word > '9' || *end || errno)
        return false;
    *out = v;
    return true;
}

static const char *set_u64(const struct osw_opt *opt, void *field,
                           const char *word)
{
    uint64_t v;

    if (!read_u64(word, &v) || v < opt->least || (opt->most && v > opt->most))
        return what_range(opt);
    *(uint64_t *)field = v;
    return NULL;
}

static const char *set_i64(const struct osw_opt *opt, void *field,
                           const char *word)
{
    const char *digits = word + (*word == '-');
    long long v;
    char *end;

    (void)opt;
    errno = 0;
    v = strtoll(word, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || errno)
        return "a whole number";
    *(int64_t *)field = v;
    return NULL;
}

/* By the word that --help has for the value: S, P. */
static const char *what_number(const struct osw_opt *opt)
{
    const char *unit = opt && opt->value ? opt->value : "";

    if (strcmp(unit, "S") == 0)
        return "a number of seconds, such as 90 or 0.5";
    if (strcmp(unit, "P") == 0)
        return "a number of percent, such as 5 or 0.5";
    return "a number";
}

/* "0.01 to 3600 seconds"; the text is the thread's, until the next. */
static const char *what_span(const struct osw_opt *opt)
{
    static _Thread_local char text[80];
    const char *unit = opt->value ? opt->value : "";
    int n = opt->nonzero ? snprintf(text, sizeof(text), "more than 0, at most ")
                         : snprintf(text, sizeof(text), "%g to ", opt->low);

    snprintf(text + n, sizeof(text) - (size_t)n, "%g%s", opt->high,
             strcmp(unit, "S") == 0   ? " seconds"
             : strcmp(unit, "P") == 0 ? " percent"
                                      : "");
    return text;
}

static const char *set_f64(const struct osw_opt *opt, void *field,
                           const char *word)
{
    char *end;
    double v = strtod(word, &end);

    if (end == word || *end || !isfinite(v) || strchr(" \t\n\v\f\r", *word))
        return what_number(opt);
    if (opt->high > 0 && !(v >= opt->low && v <= opt->high))
        return what_span(opt);
    *(double *)field = v;
    return NULL;
}

/* Number, then K, M, G, T (times 1024 each), then "", "B" or "iB". */
static const char *read_size(const char *word, uint64_t *out)
{
    static const char units[] = "KMGT";
    const char *wrong = "a size such as 4096, 512M or 1.5G (K, M, G, T)";
    const char *large = "a size below 2^64 bytes";
    double scale = 1.0, v;
    const char *unit;
    char *end;

    if (strspn(word, "0123456789") == strlen(word) && *word)
        return read_u64(word, out) ? NULL : large;
    if (*word < '0' || *word > '9' || strpbrk(word, "xXeEpP"))
        return wrong;
    v = strtod(word, &end);
    unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        scale = (double)(1024ull << (10 * (unsigned)(unit - units)));
        end++;
    }
    if (unit && *end == 'i')
        end++;
    if (*end == 'B' && (end[-1] == 'i' || unit))
        end++;
    if (*end || end[-1] == 'i')
        return wrong;
    if (!(v * scale < 0x1p64))
        return large;
    *out = (uint64_t)(v * scale);
    return NULL;
}

static const char *set_size(const struct osw_opt *opt, void *field,
                            const char *word)
{
    static _Thread_local char text[64];
    const char *expected;
    uint64_t v;

    expected = read_size(word, &v);
    if (!expected && opt->most && v > opt->most) {
        snprintf(text, sizeof(text), "a size of at most %" PRIu64 " bytes",
                 opt->most);
        expected = text;
    }
    if (!expected)
        *(uint64_t *)field = v;
    return expected;
}

static const char *add_word(const struct osw_opt *opt, void *field,
                            const char *word)
{
    struct osw_list *list = field;

    (void)opt;
    if (list->n == OSW_OPT_MAX_LIST)
        return "at most 64 of them";
    list->items[list->n++] = word;
    return NULL;
}

/* --- options that take one of some words --- */

const char *osw_opt_word(const struct osw_opt *opt, size_t i)
{
    if (opt->words)
        return opt->words(i);
    return opt->choices ? opt->choices[i] : NULL;
}

int osw_opt_refuse_word(const struct osw_opt *opt, const char *word,
                        struct osw_error *err)
{
    const char *names[OSW_OPT_MAX_WORDS], *name;
    char what[64];
    size_t n = 0;

    while (n < OSW_OPT_MAX_WORDS && (name = osw_opt_word(opt, n)))
        names[n++] = name;
    snprintf(what, sizeof(what), "option '--%s'", opt->name);
    return osw_suggest_refuse(what, word, names, n, err);
}

int osw_opt_check_word(const struct osw_opt *opt, const char *word,
                       struct osw_error *err)
{
    const char *name;

    if (opt->open || !osw_opt_word(opt, 0))
        return 0;
    for (size_t i = 0; (name = osw_opt_word(opt, i)); i++)
        if (strcmp(name, word) == 0)
            return 0;
    return osw_opt_refuse_word(opt, word, err);
}

static const char *set_choice(const struct osw_opt *opt, void *field,
                              const char *word)
{
    int i = 0;

    while (opt->choices[i] && strcmp(opt->choices[i], word) != 0)
        i++;
    *(int *)field = i;
    return NULL;
}

static int set_field(const struct osw_opt *opt, void *field, const char *word,
                     struct osw_error *err)
{
    static const char *(*const setters[])(const struct osw_opt *, void *,
                                          const char *) = {
        [OSW_OPT_FLAG] = set_flag, [OSW_OPT_STR] = set_str,
        [OSW_OPT_U64] = set_u64,   [OSW_OPT_I64] = set_i64,
        [OSW_OPT_F64] = set_f64,   [OSW_OPT_SIZE] = set_size,
        [OSW_OPT_LIST] = add_word, [OSW_OPT_CHOICE] = set_choice,
    };
    const char *expected;

    if (osw_opt_check_word(opt, word, err) < 0)
        return -1;
    expected = setters[opt->kind](opt, field, word);
    return expected ? refuse(opt, expected, word, err) : 0;
}

int osw_opt_set(const struct osw_opt *opt, void *opts, const char *word,
                struct osw_error *err)
{
    return set_field(opt, (char *)opts + opt->offset, word, err);
}

static bool is_too_small(const struct osw_opt *opt, const char *word)
{
    union {
        uint64_t n;
        double x;
    } v = {0};

    return opt->nonzero && set_field(opt, &v, word, NULL) == 0 &&
           (opt->kind == OSW_OPT_F64 ? v.x <= 0 : v.n == 0);
}

int osw_opt_check_given(const struct osw_opt *opt, const char *word,
                        struct osw_error *err)
{
    bool any_word = opt->kind == OSW_OPT_STR || opt->kind == OSW_OPT_LIST;

    if (any_word && !*word && (opt->open || !osw_opt_word(opt, 0)))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--%s': needs a value, found ''", opt->name);
    return is_too_small(opt, word) ? refuse(opt, "more than 0", word, err) : 0;
}

int osw_opt_check_most(const struct osw_opt *opt, uint64_t v,
                       struct osw_error *err)
{
    return opt->most && v > opt->most
               ? osw_fail(err, OSW_BAD_INPUT,
                          "option '--%s': expected %s, found '%" PRIu64 "'",
                          opt->name, what_range(opt), v)
               : 0;
}

int osw_opt_size(const char *word, uint64_t *out, struct osw_error *err)
{
    const char *expected = read_size(word, out);

    if (expected)
        return osw_fail(err, OSW_BAD_INPUT, "expected %s, found '%s'", expected,
                        word);
    return 0;
}

static void print_size(uint64_t bytes, struct osw_text *out)
{
    static const char units[] = "\0KMGT";
    int unit = 0;

    while (unit < 4 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    osw_text_printf(out, "%" PRIu64 "%.1s", bytes, units + unit);
}

void osw_opt_print(const struct osw_opt *opt, const void *opts,
                   struct osw_text *out)
{
    const void *field = (const char *)opts + opt->offset;
    char number[OSW_DECIMAL_MAX];
    const char *s;

    switch (opt->kind) {
    case OSW_OPT_FLAG:
        osw_text_add(out, *(const bool *)field ? "true" : "");
        break;
    case OSW_OPT_STR:
        s = *(const char *const *)field;
        osw_text_add(out, s ? s : "");
        break;
    case OSW_OPT_U64:
        osw_text_printf(out, "%" PRIu64, *(const uint64_t *)field);
        break;
    case OSW_OPT_I64:
        osw_text_printf(out, "%" PRId64, *(const int64_t *)field);
        break;
    case OSW_OPT_F64:
        osw_text_add_n(out, number,
                       osw_decimal_shortest(number, *(const double *)field));
        break;
    case OSW_OPT_SIZE:
        print_size(*(const uint64_t *)field, out);
        break;
    case OSW_OPT_CHOICE:
        osw_text_add(out, opt->choices[*(const int *)field]);
        break;
    case OSW_OPT_LIST:
        for (size_t i = 0; i < ((const struct osw_list *)field)->n; i++)
            osw_text_printf(out, "%s%s", i ? " " : "",
                            ((const struct osw_list *)field)->items[i]);
        break;
    }
}
