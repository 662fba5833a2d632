/* mpi_runner/campaign/campaign_read.c - a campaign's JSON as options */
#include "mpi_runner/campaign/campaign_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

const struct osw_opt osw_campaign_fields[] = {OSW_CAMPAIGN_OPTV, {0}};

/* Options of commands that are no part of a campaign. */
static const char *const command_line[] = {
    "force",   "resume",   "resume_if_there", "shard", "retry_lost",
    "fail_on", "series",   "metrics_file",    "json",  "heartbeat",
    "silence", "no_twins", "grace",           "prove",
};

enum { N_FIELDS = N_ELEM(osw_campaign_fields) - 1, MAX_KEY = 32 };

/* Options of `opsweep generate`, which reads them itself. */
static const char generate_key[] = "generate";

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the campaign");
}

/* The key of an option: "max-bytes" is "max_bytes". */
static void make_key(const char *name, char *key)
{
    size_t i;

    for (i = 0; name[i] && i < MAX_KEY - 1; i++)
        key[i] = name[i] == '-' ? '_' : name[i];
    key[i] = '\0';
}

static const struct osw_opt *find_field(const char *key)
{
    char name[MAX_KEY];

    for (size_t i = 0; i < N_FIELDS; i++) {
        make_key(osw_campaign_fields[i].name, name);
        if (strcmp(name, key) == 0)
            return &osw_campaign_fields[i];
        make_key(osw_campaign_fields[i].alias ? osw_campaign_fields[i].alias
                                              : "",
                 name);
        if (name[0] && strcmp(name, key) == 0)
            return &osw_campaign_fields[i];
    }
    return NULL;
}

static bool is_of_command_line(const char *key)
{
    for (size_t i = 0; i < N_ELEM(command_line); i++)
        if (strcmp(command_line[i], key) == 0)
            return true;
    return false;
}

static int check_keys(const osw_json_t *doc, struct osw_error *err)
{
    char keys[2 * N_FIELDS][MAX_KEY];
    const char *allowed[2 * N_FIELDS + 2];
    size_t n = 0;

    for (size_t i = 0; i < osw_json_size(doc); i++)
        if (is_of_command_line(osw_json_key(osw_json_at(doc, i))))
            return osw_json_fail(osw_json_at(doc, i), err,
                                 "an option of the command line only");
    for (size_t i = 0; i < N_FIELDS; i++) {
        make_key(osw_campaign_fields[i].name, keys[n]);
        allowed[n] = keys[n];
        n++;
        if (!osw_campaign_fields[i].alias)
            continue;
        make_key(osw_campaign_fields[i].alias, keys[n]);
        allowed[n] = keys[n];
        n++;
    }
    allowed[n++] = generate_key;
    allowed[n] = NULL;
    return osw_json_only_keys(doc, allowed, err) < 0
               ? -1
               : osw_json_expect(osw_json_get(doc, generate_key),
                                 OSW_JSON_OBJECT, err);
}

/* An empty one in a list would be as if the list were empty. */
static int read_item(const osw_json_t *item, const char **word,
                     struct osw_error *err)
{
    if (osw_json_expect(item, OSW_JSON_STR, err) < 0 ||
        osw_json_str(item, word, err) < 0)
        return -1;
    return **word ? 0 : osw_json_fail(item, err, "expected a word, found ''");
}

/* A string; for an option of several words (A,B) also a list of them, joined by
 * commas.
 */
static int read_words(osw_arena_t *arena, const osw_json_t *v,
                      const struct osw_opt *field, const char **out,
                      struct osw_error *err)
{
    bool several = field->value && strchr(field->value, ',');
    size_t n = osw_json_kind(v) == OSW_JSON_LIST ? osw_json_size(v) : 0;
    const char *word = "";
    struct osw_text joined = OSW_TEXT_INIT;

    if (osw_json_kind(v) != OSW_JSON_LIST || !several) {
        if (osw_json_expect(v, OSW_JSON_STR, err) < 0 ||
            osw_json_str(v, &word, err) < 0)
            return -1;
        n = 0;
        osw_text_add(&joined, word);
    }
    for (size_t i = 0; i < n; i++) {
        const osw_json_t *item = osw_json_at(v, i);

        if (read_item(item, &word, err) < 0) {
            osw_text_free(&joined);
            return -1;
        }
        osw_text_printf(&joined, "%s%s", i ? "," : "", word);
    }
    *out = osw_text_str(&joined)
               ? osw_arena_strdup(arena, osw_text_str(&joined))
               : NULL;
    osw_text_free(&joined);
    return *out ? 0 : no_memory(err);
}

static int read_list(osw_arena_t *arena, const osw_json_t *v,
                     struct osw_list *out, struct osw_error *err)
{
    bool single = osw_json_kind(v) == OSW_JSON_STR;
    struct osw_list list = {.n = single ? 1 : osw_json_size(v)};

    if (!single && osw_json_expect(v, OSW_JSON_LIST, err) < 0)
        return -1;
    if (list.n > OSW_OPT_MAX_LIST)
        return osw_json_fail(v, err, "expected at most %d, found %zu",
                             OSW_OPT_MAX_LIST, list.n);
    for (size_t i = 0; i < list.n; i++) {
        const osw_json_t *item = single ? v : osw_json_at(v, i);
        const char *word = "";

        if (read_item(item, &word, err) < 0)
            return -1;
        list.items[i] = osw_arena_strdup(arena, word);
        if (!list.items[i])
            return no_memory(err);
    }
    *out = list;
    return 0;
}

/* A word for the option, as it would stand on the command line. */
static int read_as_option(const osw_json_t *v, const struct osw_opt *field,
                          struct osw_campaign_opts *opts, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *word = "";

    if (osw_json_expect(v, OSW_JSON_STR, err) < 0 ||
        osw_json_str(v, &word, err) < 0)
        return -1;
    if (osw_opt_set(field, opts, word, &why) < 0)
        return osw_json_fail(v, err, "%s", why.text);
    return 0;
}

/* One of an option's words, if it has some. */
static int check_word(const osw_json_t *v, const struct osw_opt *field,
                      const char *word, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;

    return osw_opt_check_word(field, word, &why) < 0
               ? osw_json_fail(v, err, "%s", why.text)
               : 0;
}

/* 0 is as if the key were not there. */
static int read_number(const osw_json_t *v, const struct osw_opt *field,
                       uint64_t *out, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;

    if (osw_json_expect(v, OSW_JSON_INT, err) < 0 ||
        osw_json_u64(v, out, err) < 0)
        return -1;
    return osw_opt_check_most(field, *out, &why) < 0
               ? osw_json_fail(v, err, "%s", why.text)
               : 0;
}

static int read_field(osw_arena_t *arena, const osw_json_t *v,
                      const struct osw_opt *field,
                      struct osw_campaign_opts *opts, struct osw_error *err)
{
    void *at = (char *)opts + field->offset;

    switch (field->kind) {
    case OSW_OPT_FLAG:
        return osw_json_expect(v, OSW_JSON_BOOL, err) < 0
                   ? -1
                   : osw_json_bool(v, at, err);
    case OSW_OPT_STR:
        return read_words(arena, v, field, at, err) < 0
                   ? -1
                   : check_word(v, field, *(const char *const *)at, err);
    case OSW_OPT_U64: /* as a word beyond what integers of JSON hold here */
        if (osw_json_kind(v) == OSW_JSON_STR)
            return read_as_option(v, field, opts, err);
        return read_number(v, field, at, err);
    case OSW_OPT_I64:
        return osw_json_expect(v, OSW_JSON_INT, err) < 0
                   ? -1
                   : osw_json_i64(v, at, err);
    case OSW_OPT_F64:
        return osw_json_f64(v, at, err);
    case OSW_OPT_SIZE:
        if (osw_json_kind(v) == OSW_JSON_INT)
            return osw_json_u64(v, at, err);
        return osw_json_kind(v) == OSW_JSON_STR
                   ? read_as_option(v, field, opts, err)
                   : osw_json_fail(v, err,
                                   "expected an integer or a size such as "
                                   "\"1.5G\", found %s",
                                   osw_json_kind_name(osw_json_kind(v)));
    case OSW_OPT_CHOICE:
        return read_as_option(v, field, opts, err);
    case OSW_OPT_LIST:
        return read_list(arena, v, at, err);
    }
    return osw_fail(err, OSW_INTERNAL, "option '%s' of no known kind",
                    field->name);
}

/* Has a key before the i-th the same option, under its other name? */
static int check_once(const osw_json_t *doc, size_t i,
                      const struct osw_opt *field, struct osw_error *err)
{
    for (size_t k = 0; k < i; k++) {
        const char *key = osw_json_key(osw_json_at(doc, k));

        if (find_field(key) == field)
            return osw_json_fail(osw_json_at(doc, i), err,
                                 "expected one name of the option, found '%s' "
                                 "too",
                                 key);
    }
    return 0;
}

static int read_document(osw_arena_t *arena, const osw_json_t *doc,
                         const struct osw_args *args,
                         struct osw_campaign_opts *opts, struct osw_error *err)
{
    struct osw_campaign_opts read = *opts, ignored;

    if (osw_json_expect(doc, OSW_JSON_OBJECT, err) < 0 ||
        check_keys(doc, err) < 0)
        return -1;
    for (size_t i = 0; i < osw_json_size(doc); i++) {
        const osw_json_t *v = osw_json_at(doc, i);
        const struct osw_opt *field = find_field(osw_json_key(v));
        bool given = field && args && osw_args_given(args, field->name);

        if (!field)
            continue; /* generate_key */
        if (osw_json_kind(v) == OSW_JSON_NULL)
            return osw_json_fail(v, err, "expected a value, found null");
        if (check_once(doc, i, field, err) < 0)
            return -1;
        /* What the command line overrides is checked all the same. */
        if (read_field(arena, v, field, given ? &ignored : &read, err) < 0)
            return -1;
    }
    *opts = read;
    return 0;
}

/* Integers of JSON end at 2^63 - 1 here; a seed may be larger. */
static int no_document(const struct osw_error *why, struct osw_error *err)
{
    bool big = strstr(why->text, "too big integer") != NULL;

    return osw_fail(err, why->status, "%s%s", why->text,
                    big ? "; a seed above 9223372036854775807 is written in "
                          "quotes"
                        : "");
}

int osw_campaign_read(osw_arena_t *arena, const char *source, const char *text,
                      size_t n, const struct osw_args *args,
                      struct osw_campaign_opts *opts, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    osw_json_t *doc = osw_json_parse(text, n, source, &why);
    int rc = doc ? read_document(arena, doc, args, opts, err)
                 : no_document(&why, err);

    osw_json_free(doc);
    return rc;
}

int osw_campaign_read_file(osw_arena_t *arena, const struct osw_args *args,
                           struct osw_campaign_opts *opts,
                           struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    osw_json_t *doc;
    int rc;

    if (!args || args->n_operands == 0)
        return 0;
    if (access(args->operands[0], F_OK) < 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "no file '%s': expected a campaign's JSON",
                        args->operands[0]);
    doc = osw_json_load_file(args->operands[0], &why);
    rc = doc ? read_document(arena, doc, args, opts, err)
             : no_document(&why, err);
    osw_json_free(doc);
    return rc;
}
