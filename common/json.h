/* common/json.h - reading JSON; the only gate to jansson
 *
 * Upstream: campaign files, op.json, gen_input.json.  A document is a tree of
 * values that know their place, so that a wrong one is reported by file and
 * key: "op.json: key 'product.a': expected a string, found an integer".
 * Writing JSON is common/json_out.h.
 *
 * Everything below a root is borrowed, and valid until osw_json_free(root).
 * Failures are OSW_BAD_INPUT, OSW_SYSTEM (cannot read) or OSW_NO_MEMORY.
 */
#ifndef OSW_COMMON_JSON_H
#define OSW_COMMON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
    OSW_JSON_MAX_BYTES = 64 * 1024 * 1024,
    OSW_JSON_MAX_VALUES = 4 * 1024 * 1024,
    OSW_JSON_MAX_DEPTH = 32,
};

enum osw_json_kind {
    OSW_JSON_NULL,
    OSW_JSON_BOOL,
    OSW_JSON_INT,
    OSW_JSON_FLOAT,
    OSW_JSON_STR,
    OSW_JSON_LIST,
    OSW_JSON_OBJECT,
};

typedef struct osw_json osw_json_t;

/* Read a document whose root is an object or a list.  Duplicate keys, NUL in
 * strings, numbers out of range and anything after the root are errors.
 * A syntax error reads "FILE:LINE:COLUMN: what".  Returns the root, which the
 * caller owns, or NULL with err set.
 */
osw_json_t *osw_json_load_file(const char *path,
                               struct osw_error *err) OSW_MUST_CHECK;

/* The same from text [n]; `source` stands for the file in messages. */
osw_json_t *osw_json_parse(const char *text, size_t n, const char *source,
                           struct osw_error *err) OSW_MUST_CHECK;

void osw_json_free(osw_json_t *root); /* NULL is ignored */

/* Never fail.  A NULL value counts as JSON's null, so that absent keys and
 * null can be treated alike where that is wanted.
 */
enum osw_json_kind osw_json_kind(const osw_json_t *v);
const char *osw_json_kind_name(enum osw_json_kind kind); /* "an object" */

/* Items of a list, members of an object, 0 for anything else. */
size_t osw_json_size(const osw_json_t *v);
/* The i-th item or member, in file order; NULL after the last. */
const osw_json_t *osw_json_at(const osw_json_t *v, size_t i);
/* The key of a member, "" for anything else. */
const char *osw_json_key(const osw_json_t *v);
/* The member of that key; NULL when absent, or when v is no object. */
const osw_json_t *osw_json_get(const osw_json_t *v, const char *key);

/* The value as a C type.  0, or -1 with err set ("FILE: key 'a.b': expected
 * an integer, found a string") and *out untouched.  f64 takes integers too.
 * Of a NULL value they are silent and return 0: *out keeps the default, so
 * optional keys read as osw_json_i64(osw_json_get(o, "seed"), &seed, err).
 */
int osw_json_str(const osw_json_t *v, const char **out,
                 struct osw_error *err) OSW_MUST_CHECK;
int osw_json_i64(const osw_json_t *v, int64_t *out,
                 struct osw_error *err) OSW_MUST_CHECK;
int osw_json_u64(const osw_json_t *v, uint64_t *out,
                 struct osw_error *err) OSW_MUST_CHECK;
int osw_json_f64(const osw_json_t *v, double *out,
                 struct osw_error *err) OSW_MUST_CHECK;
int osw_json_bool(const osw_json_t *v, bool *out,
                  struct osw_error *err) OSW_MUST_CHECK;

/* -1 with err set unless v is of that kind; a NULL value passes. */
int osw_json_expect(const osw_json_t *v, enum osw_json_kind kind,
                    struct osw_error *err) OSW_MUST_CHECK;

/* The member of that key, or NULL with err "FILE: key 'a': missing". */
const osw_json_t *osw_json_need(const osw_json_t *v, const char *key,
                                struct osw_error *err) OSW_MUST_CHECK;

/* -1 with err set unless v is an object whose every key is among allowed
 * [up to a NULL]: "FILE: key 'a.tolerence': unknown key (did you mean
 * 'tolerance'?)", or "unknown key: expected one of rtol, atol".
 */
int osw_json_only_keys(const osw_json_t *v, const char *const *allowed,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Record "FILE: key 'a.b[2]': <text>" as OSW_BAD_INPUT; returns -1. */
int osw_json_fail(const osw_json_t *v, struct osw_error *err, const char *fmt,
                  ...) OSW_PRINTF(3, 4);

#endif /* OSW_COMMON_JSON_H */
