/* common/json.c - reading JSON; the only gate to jansson */
#include "common/json.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"
#include "common/suggest.h"
#include "common/text.h"

struct document {
    osw_arena_t *arena; /* all values, the document too */
    const char *source;
    size_t n_values;
};

struct osw_json {
    struct document *doc;
    const osw_json_t *parent; /* NULL for the root */
    const char *key;          /* in an object, else NULL */
    size_t index;             /* in a list */
    enum osw_json_kind kind;
    size_t n; /* items, members */
    union {
        osw_json_t *items; /* [n], in file order */
        const char *str;
        int64_t i;
        double f;
        bool b;
    } u;
};

static const char *const kind_names[] = {
    [OSW_JSON_NULL] = "null",        [OSW_JSON_BOOL] = "true or false",
    [OSW_JSON_INT] = "an integer",   [OSW_JSON_FLOAT] = "a number",
    [OSW_JSON_STR] = "a string",     [OSW_JSON_LIST] = "a list",
    [OSW_JSON_OBJECT] = "an object",
};

const char *osw_json_kind_name(enum osw_json_kind kind)
{
    return kind_names[kind];
}

/* --- building the tree ---------------------------------------------------- */

static int convert(const json_t *from, osw_json_t *to, int depth,
                   struct osw_error *err);

/* Place the next child of `to`, whose memory is there, and fill it. */
static int add_child(osw_json_t *to, const char *key, const json_t *value,
                     int depth, struct osw_error *err)
{
    osw_json_t *child = &to->u.items[to->n];

    child->doc = to->doc;
    child->parent = to;
    child->index = to->n++;
    if (key) {
        child->key = osw_arena_strdup(to->doc->arena, key);
        if (!child->key)
            return osw_fail(err, OSW_NO_MEMORY, "%s: no memory for a key",
                            to->doc->source);
    }
    return convert(value, child, depth + 1, err);
}

static int convert_children(const json_t *from, osw_json_t *to, int depth,
                            struct osw_error *err)
{
    bool object = json_is_object(from);
    size_t n = object ? json_object_size(from) : json_array_size(from);

    if (depth == OSW_JSON_MAX_DEPTH)
        return osw_json_fail(to, err, "nested deeper than %d",
                             OSW_JSON_MAX_DEPTH);
    to->doc->n_values += n;
    if (to->doc->n_values > OSW_JSON_MAX_VALUES)
        return osw_json_fail(to, err, "more than %d values in the file",
                             OSW_JSON_MAX_VALUES);
    to->u.items = osw_arena_array(to->doc->arena, n, sizeof(*to->u.items));
    if (!to->u.items)
        return osw_fail(err, OSW_NO_MEMORY, "%s: no memory for %zu values",
                        to->doc->source, n);
    if (object) {
        void *it = json_object_iter((json_t *)(uintptr_t)from);

        for (; it; it = json_object_iter_next((json_t *)(uintptr_t)from, it))
            if (add_child(to, json_object_iter_key(it),
                          json_object_iter_value(it), depth, err) < 0)
                return -1;
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        if (add_child(to, NULL, json_array_get(from, i), depth, err) < 0)
            return -1;
    return 0;
}

static int convert(const json_t *from, osw_json_t *to, int depth,
                   struct osw_error *err)
{
    static const enum osw_json_kind kinds[] = {
        [JSON_OBJECT] = OSW_JSON_OBJECT, [JSON_ARRAY] = OSW_JSON_LIST,
        [JSON_STRING] = OSW_JSON_STR,    [JSON_INTEGER] = OSW_JSON_INT,
        [JSON_REAL] = OSW_JSON_FLOAT,    [JSON_TRUE] = OSW_JSON_BOOL,
        [JSON_FALSE] = OSW_JSON_BOOL,    [JSON_NULL] = OSW_JSON_NULL,
    };

    to->kind = kinds[json_typeof(from)];
    switch (to->kind) {
    case OSW_JSON_NULL:
        return 0;
    case OSW_JSON_BOOL:
        to->u.b = json_is_true(from);
        return 0;
    case OSW_JSON_INT:
        to->u.i = json_integer_value(from);
        return 0;
    case OSW_JSON_FLOAT:
        to->u.f = json_real_value(from);
        return 0;
    case OSW_JSON_STR:
        to->u.str = osw_arena_strdup(to->doc->arena, json_string_value(from));
        if (!to->u.str)
            return osw_fail(err, OSW_NO_MEMORY, "%s: no memory for a string",
                            to->doc->source);
        return 0;
    default:
        return convert_children(from, to, depth, err);
    }
}

static osw_json_t *make_document(const json_t *from, const char *source,
                                 struct osw_error *err)
{
    osw_arena_t *arena = osw_arena_create();
    struct document *doc = NULL;
    osw_json_t *root = NULL;

    if (!arena)
        goto no_memory;
    doc = osw_arena_alloc(arena, sizeof(*doc));
    root = osw_arena_alloc(arena, sizeof(*root));
    if (!doc || !root)
        goto no_memory;
    doc->arena = arena;
    doc->source = osw_arena_strdup(arena, source);
    if (!doc->source)
        goto no_memory;
    root->doc = doc;
    if (convert(from, root, 0, err) < 0) {
        osw_arena_destroy(arena);
        return NULL;
    }
    return root;

no_memory:
    osw_arena_destroy(arena);
    osw_fail(err, OSW_NO_MEMORY, "%s: no memory for a document", source);
    return NULL;
}

osw_json_t *osw_json_parse(const char *text, size_t n, const char *source,
                           struct osw_error *err)
{
    osw_json_t *root;
    json_error_t e;
    json_t *tree;

    if (n > OSW_JSON_MAX_BYTES) {
        osw_fail(err, OSW_BAD_INPUT, "%s: %zu bytes, at most %d", source, n,
                 OSW_JSON_MAX_BYTES);
        return NULL;
    }
    tree = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);
    if (!tree) {
        bool memory = json_error_code(&e) == json_error_out_of_memory;

        osw_fail(err, memory ? OSW_NO_MEMORY : OSW_BAD_INPUT, "%s:%d:%d: %s",
                 source, e.line, e.column, e.text);
        return NULL;
    }
    root = make_document(tree, source, err);
    json_decref(tree);
    return root;
}

/* The whole file, at most one byte more than is allowed. */
static int read_file(const char *path, struct osw_text *t,
                     struct osw_error *err)
{
    FILE *f = fopen(path, "rbe");
    char chunk[16 * 1024];
    size_t n;
    int rc = 0;

    if (!f && (errno == ENOENT || errno == ENOTDIR))
        return osw_fail(err, OSW_BAD_INPUT, "no file '%s'", path);
    if (!f)
        return osw_fail(err, OSW_BAD_INPUT, "cannot open '%s': %s", path,
                        strerror(errno));
    errno = 0;
    while (t->used <= OSW_JSON_MAX_BYTES &&
           (n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        osw_text_add_n(t, chunk, n);
    if (ferror(f) && errno == EISDIR)
        rc = osw_fail(err, OSW_BAD_INPUT,
                      "'%s' is a folder, expected a JSON file", path);
    else if (ferror(f))
        rc = osw_fail_sys(err, errno, "cannot read '%s'", path);
    else if (t->failed)
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory to read '%s'", path);
    fclose(f);
    return rc;
}

/* Files that are taken for JSON by mistake. */
static int check_kind(const char *path, const struct osw_text *t,
                      struct osw_error *err)
{
    static const char hdf5[] = "\x89HDF";

    if (t->used == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is empty, expected a JSON file", path);
    if (t->used >= sizeof(hdf5) - 1 &&
        memcmp(t->data, hdf5, sizeof(hdf5) - 1) == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is an HDF5 file, expected a JSON file", path);
    return 0;
}

osw_json_t *osw_json_load_file(const char *path, struct osw_error *err)
{
    struct osw_text t = OSW_TEXT_INIT;
    osw_json_t *root = NULL;

    if (read_file(path, &t, err) == 0 && check_kind(path, &t, err) == 0)
        root = osw_json_parse(t.data, t.used, path, err);
    osw_text_free(&t);
    return root;
}

void osw_json_free(osw_json_t *root)
{
    if (root)
        osw_arena_destroy(root->doc->arena);
}

/* --- looking around ------------------------------------------------------- */

enum osw_json_kind osw_json_kind(const osw_json_t *v)
{
    return v ? v->kind : OSW_JSON_NULL;
}

size_t osw_json_size(const osw_json_t *v)
{
    return v ? v->n : 0;
}

const osw_json_t *osw_json_at(const osw_json_t *v, size_t i)
{
    return v && i < v->n ? &v->u.items[i] : NULL;
}

const char *osw_json_key(const osw_json_t *v)
{
    return v && v->key ? v->key : "";
}

const osw_json_t *osw_json_get(const osw_json_t *v, const char *key)
{
    if (osw_json_kind(v) != OSW_JSON_OBJECT)
        return NULL;
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->u.items[i].key, key) == 0)
            return &v->u.items[i];
    return NULL;
}

/* --- failing ----------------------------------------------------------------
 */

/* "a.b[2]"; the root adds nothing. */
static void add_path(const osw_json_t *v, struct osw_text *t)
{
    if (!v->parent)
        return;
    add_path(v->parent, t);
    if (v->key)
        osw_text_printf(t, "%s%s", t->used ? "." : "", v->key);
    else
        osw_text_printf(t, "[%zu]", v->index);
}

int osw_json_fail(const osw_json_t *v, struct osw_error *err, const char *fmt,
                  ...)
{
    struct osw_text path = OSW_TEXT_INIT;
    char text[sizeof(err->text)];
    const char *p;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    add_path(v, &path);
    p = osw_text_str(&path);
    if (p && *p)
        osw_fail(err, OSW_BAD_INPUT, "%s: key '%s': %s", v->doc->source, p,
                 text);
    else
        osw_fail(err, OSW_BAD_INPUT, "%s: %s", v->doc->source, text);
    osw_text_free(&path);
    return -1;
}

static int fail_kind(const osw_json_t *v, const char *expected,
                     struct osw_error *err)
{
    const char *found = kind_names[v->kind];

    if (v->kind == OSW_JSON_BOOL)
        found = v->u.b ? "true" : "false";
    return osw_json_fail(v, err, "expected %s, found %s", expected, found);
}

/* --- typed access --------------------------------------------------------- */

int osw_json_expect(const osw_json_t *v, enum osw_json_kind kind,
                    struct osw_error *err)
{
    return !v || v->kind == kind ? 0 : fail_kind(v, kind_names[kind], err);
}

int osw_json_str(const osw_json_t *v, const char **out, struct osw_error *err)
{
    if (osw_json_expect(v, OSW_JSON_STR, err) < 0)
        return -1;
    if (v)
        *out = v->u.str;
    return 0;
}

int osw_json_i64(const osw_json_t *v, int64_t *out, struct osw_error *err)
{
    if (osw_json_expect(v, OSW_JSON_INT, err) < 0)
        return -1;
    if (v)
        *out = v->u.i;
    return 0;
}

int osw_json_u64(const osw_json_t *v, uint64_t *out, struct osw_error *err)
{
    if (osw_json_expect(v, OSW_JSON_INT, err) < 0)
        return -1;
    if (v && v->u.i < 0)
        return osw_json_fail(v, err, "expected an integer >= 0, found %lld",
                             (long long)v->u.i);
    if (v)
        *out = (uint64_t)v->u.i;
    return 0;
}

int osw_json_f64(const osw_json_t *v, double *out, struct osw_error *err)
{
    if (v && v->kind == OSW_JSON_INT) {
        *out = (double)v->u.i;
        return 0;
    }
    if (osw_json_expect(v, OSW_JSON_FLOAT, err) < 0)
        return -1;
    if (v)
        *out = v->u.f;
    return 0;
}

int osw_json_bool(const osw_json_t *v, bool *out, struct osw_error *err)
{
    if (osw_json_expect(v, OSW_JSON_BOOL, err) < 0)
        return -1;
    if (v)
        *out = v->u.b;
    return 0;
}

const osw_json_t *osw_json_need(const osw_json_t *v, const char *key,
                                struct osw_error *err)
{
    const osw_json_t *member = osw_json_get(v, key);
    struct osw_text path = OSW_TEXT_INIT;
    const char *p;

    if (member || osw_json_expect(v, OSW_JSON_OBJECT, err) < 0)
        return member;
    add_path(v, &path);
    osw_text_printf(&path, "%s%s", path.used ? "." : "", key);
    p = osw_text_str(&path);
    osw_fail(err, OSW_BAD_INPUT, "%s: key '%s': missing", v->doc->source,
             p ? p : key);
    osw_text_free(&path);
    return NULL;
}

static bool among(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

/* Where no key is similar, all are named, unless they are too many to read. */
static int unknown_key(const osw_json_t *member, const char *const *allowed,
                       size_t n, struct osw_error *err)
{
    enum { MOST = 24 };
    const char *near = osw_suggest(member->key, allowed, n);
    struct osw_text all = OSW_TEXT_INIT;
    const char *text;

    for (size_t i = 0; !near && i < n && n <= MOST; i++)
        osw_text_printf(&all, "%s%s", i ? ", " : ": expected one of ",
                        allowed[i]);
    text = osw_text_str(&all);
    if (near)
        osw_json_fail(member, err, "unknown key (did you mean '%s'?)", near);
    else
        osw_json_fail(member, err, "unknown key%s", text ? text : "");
    osw_text_free(&all);
    return -1;
}

int osw_json_only_keys(const osw_json_t *v, const char *const *allowed,
                       struct osw_error *err)
{
    size_t n = 0;

    if (osw_json_expect(v, OSW_JSON_OBJECT, err) < 0)
        return -1;
    while (allowed[n])
        n++;
    for (size_t i = 0; i < osw_json_size(v); i++) {
        const osw_json_t *member = &v->u.items[i];

        if (!among(allowed, member->key))
            return unknown_key(member, allowed, n, err);
    }
    return 0;
}
