/* results/export/anonymize.c - an open file without names of hosts and users */
#include "results/export/anonymize.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

enum { UUID_BYTES = 36 };

/* A word and its number among those of its kind. */
struct word {
    char *text; /* owned */
    unsigned number;
    bool user;
};

struct anonymizer {
    struct word *words; /* sorted by text once all are known */
    size_t n_words, size_words;
    unsigned n_hosts, n_users;
    char (*uuids)[UUID_BYTES + 1]; /* in order of arrival */
    size_t n_uuids, size_uuids;
    struct osw_text out;
    struct osw_anonymized n;
    bool failed;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_-.", c));
}

static bool is_path(char c)
{
    return is_word(c) || (unsigned char)c >= 0x80 || (c && strchr("/~+@%", c));
}

static void *grow(void *list, size_t n, size_t *size, size_t item)
{
    void *p = list;

    if (n < *size)
        return list;
    p = realloc(list, (*size ? 2 * *size : 16) * item);
    if (p)
        *size = *size ? 2 * *size : 16;
    return p;
}

/* --- what is to go --- */

static bool known(const struct anonymizer *a, const char *s, size_t n)
{
    for (size_t i = 0; i < a->n_words; i++)
        if (strncmp(a->words[i].text, s, n) == 0 && !a->words[i].text[n])
            return true;
    return false;
}

static void learn(struct anonymizer *a, const char *s, size_t n, bool user,
                  unsigned number)
{
    struct word *words;

    if (n < 2 || known(a, s, n))
        return;
    words = grow(a->words, a->n_words, &a->size_words, sizeof(*words));
    if (words)
        a->words = words;
    if (!words || !(words[a->n_words].text = strndup(s, n))) {
        a->failed = true;
        return;
    }
    words[a->n_words].number = number;
    words[a->n_words++].user = user;
}

/* A host by its whole name and by what stands before the first dot. */
static void learn_host(struct anonymizer *a, const char *name)
{
    size_t n = strlen(name);
    size_t first = strcspn(name, ".");

    if (n == 0 || known(a, name, n))
        return;
    a->n_hosts++;
    learn(a, name, n, false, a->n_hosts);
    learn(a, name, first, false, a->n_hosts);
}

static void learn_users(struct anonymizer *a, const char *text)
{
    static const char *const homes[] = {"/home/", "/Users/"};

    for (size_t h = 0; h < sizeof(homes) / sizeof(homes[0]); h++)
        for (const char *s = text; (s = strstr(s, homes[h]));) {
            size_t n = 0;

            s += strlen(homes[h]);
            while (is_word(s[n]))
                n++;
            if (n >= 2 && !known(a, s, n))
                learn(a, s, n, true, ++a->n_users);
        }
}

static const char *collect(void *arg, enum osw_file_words kind,
                           const char *text)
{
    struct anonymizer *a = arg;

    if (kind == OSW_FILE_HOST)
        learn_host(a, text);
    else
        learn_users(a, text);
    return a->failed ? NULL : text;
}

static int by_text(const void *x, const void *y)
{
    return strcmp(((const struct word *)x)->text,
                  ((const struct word *)y)->text);
}

/* --- replacing; each returns the bytes it replaced, 0 for none --- */

static size_t put_uuid(struct anonymizer *a, const char *s)
{
    char uuid[UUID_BYTES + 1] = "";
    size_t i = 0;

    for (; i < UUID_BYTES; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? s[i] != '-' : !isxdigit((unsigned char)s[i]))
            return 0;
        uuid[i] = (char)tolower((unsigned char)s[i]);
    }
    if (isalnum((unsigned char)s[i]))
        return 0;
    for (i = 0; i < a->n_uuids && strcmp(a->uuids[i], uuid) != 0; i++)
        ;
    if (i == a->n_uuids) {
        void *p = grow(a->uuids, i, &a->size_uuids, sizeof(*a->uuids));

        if (!p) {
            a->failed = true;
            return 0;
        }
        a->uuids = p;
        memcpy(a->uuids[a->n_uuids++], uuid, sizeof(uuid));
    }
    osw_text_printf(&a->out, "uuid%zu", i + 1);
    a->n.uuids++;
    return UUID_BYTES;
}

static size_t put_address(struct anonymizer *a, const char *s)
{
    size_t n = 0;

    for (int part = 0; part < 4; part++) {
        unsigned value = 0;
        size_t digits = 0;

        if (part && s[n++] != '.')
            return 0;
        for (; isdigit((unsigned char)s[n]) && digits < 4; n++, digits++)
            value = 10 * value + (unsigned)(s[n] - '0');
        if (digits == 0 || value > 255)
            return 0;
    }
    if (isalnum((unsigned char)s[n]) ||
        (s[n] == '.' && isdigit((unsigned char)s[n + 1])))
        return 0;
    osw_text_add(&a->out, "ADDRESS");
    a->n.addresses++;
    return n;
}

/* Is it the name of a file that a report may tell? */
static bool is_file(const char *s, size_t n)
{
    static const char *const kinds[] = {
        ".c",    ".h",  ".cu",  ".cuh",   ".py",  ".so", ".o",
        ".json", ".h5", ".txt", ".jsonl", ".ptx", ".sh", ".sbatch"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t k = strlen(kinds[i]);

        if (n > k && strncmp(s + n - k, kinds[i], k) == 0)
            return true;
    }
    return false;
}

/* Bytes of the path at s, which `before` precedes; 0: it is none. */
static size_t path_length(const char *s, char before, bool words)
{
    bool rooted = *s == '/' || (s[0] == '~' && s[1] == '/');
    size_t n = 0;

    if (rooted && (before == '\'' || before == '"')) {
        n = strcspn(s, before == '"' ? "\"\n" : "'\n");
        if (s[n] == before && n > 1)
            return n;
        n = 0;
    }
    while (is_path(s[n]))
        n++;
    while (n && strchr(".-", s[n - 1])) /* the end of a sentence */
        n--;
    if (n < 2 || !memchr(s, '/', n))
        return 0;
    if (rooted)
        return n;
    if (words && (strncmp(s, "./", 2) == 0 || strncmp(s, "../", 3) == 0 ||
                  is_file(s, n)))
        return n;
    return 0;
}

static size_t put_path(struct anonymizer *a, const char *s, char before,
                       bool words)
{
    size_t n = path_length(s, before, words);
    size_t name = n;

    if (n == 0)
        return 0;
    while (name > 0 && s[name - 1] != '/')
        name--;
    osw_text_add(&a->out, "PATH");
    if (is_file(s + name, n - name)) {
        osw_text_add(&a->out, "/");
        osw_text_add_n(&a->out, s + name, n - name);
    }
    a->n.paths++;
    return n;
}

/* The word at s, or what stands before its last dots, then without them. */
static size_t put_word(struct anonymizer *a, const char *s)
{
    size_t all = 0, n;

    while (is_word(s[all]))
        all++;
    while (all && strchr(".-", s[all - 1]))
        all--;
    for (n = all; n > 0;) {
        struct word *w = NULL, key;
        char text[256];

        if (n < sizeof(text)) {
            memcpy(text, s, n);
            text[n] = '\0';
            key.text = text;
            w = bsearch(&key, a->words, a->n_words, sizeof(*w), by_text);
        }
        if (w) {
            osw_text_printf(&a->out, "%s%u", w->user ? "user" : "host",
                            w->number);
            *(w->user ? &a->n.users : &a->n.hosts) += 1;
            return all;
        }
        while (n > 0 && s[--n] != '.')
            ;
    }
    return 0;
}

/* Handle the text at s; `before` is the byte before it. */
static size_t put_one(struct anonymizer *a, enum osw_file_words kind,
                      const char *s, char before)
{
    bool words = kind == OSW_FILE_PROSE;
    bool starts = !is_path(before);
    size_t n = 0;

    if (!isalnum((unsigned char)before))
        n = put_uuid(a, s);
    if (n == 0 && starts)
        n = put_path(a, s, before, words);
    if (n == 0 && !is_word(before))
        n = put_address(a, s);
    if (n == 0 && kind != OSW_FILE_NAME && !is_word(before) && a->n_words)
        n = put_word(a, s);
    return n;
}

static const char *replace(void *arg, enum osw_file_words kind,
                           const char *text)
{
    struct anonymizer *a = arg;
    const char *s = text, *slash = strrchr(text, '/');
    char before = '\0';

    osw_text_reset(&a->out);
    if (kind == OSW_FILE_PATH && slash) {
        s = slash + 1;
        a->n.paths++;
    }
    while (*s && !a->failed) {
        size_t n = put_one(a, kind, s, before);

        if (n == 0) {
            osw_text_add_n(&a->out, s, 1);
            /* -I/home/...: the path begins after the letter */
            n = s[0] == '-' && !is_path(before) && s[1] && s[2] == '/' ? 2 : 1;
            if (n == 2)
                osw_text_add_n(&a->out, s + 1, 1);
            before = n == 2 ? ' ' : *s;
        } else {
            before = s[n - 1];
        }
        s += n;
    }
    if (a->failed || !osw_text_str(&a->out))
        return NULL;
    if (strcmp(osw_text_str(&a->out), text) == 0)
        return text;
    a->n.texts++;
    return osw_text_str(&a->out);
}

int osw_anonymize(osw_file_t *file, struct osw_anonymized *out,
                  struct osw_error *err)
{
    struct anonymizer a = {.out = OSW_TEXT_INIT};
    int rc = osw_file_rewrite(file, collect, &a, err);

    if (rc == 0 && a.n_words)
        qsort(a.words, a.n_words, sizeof(*a.words), by_text);
    if (rc == 0)
        rc = osw_file_rewrite(file, replace, &a, err);
    if (rc == 0)
        *out = a.n;
    for (size_t i = 0; i < a.n_words; i++)
        free(a.words[i].text);
    free(a.words);
    free(a.uuids);
    osw_text_free(&a.out);
    return rc;
}

void osw_anonymized_print(const struct osw_anonymized *n, FILE *out)
{
    fprintf(out,
            "opsweep: anonymized: names of hosts: %" PRIu64
            ", of users: %" PRIu64 "; paths: %" PRIu64 "; UUIDs: %" PRIu64
            "; addresses: %" PRIu64 "; in texts: %" PRIu64
            "; what op code printed may tell more\n",
            n->hosts, n->users, n->paths, n->uuids, n->addresses, n->texts);
}
