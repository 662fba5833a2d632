/* common/json_out.h - writing JSON, member by member, into a text
 *
 * Downstream: report --format json, provenance in result files.  Order is the
 * order of calls.  Numbers are printed so that they read back the same; NaN
 * and infinities, which JSON lacks, become null.  Bytes that are no UTF-8
 * become U+FFFD.  Memory failure shows at osw_text_str() of the text.
 *
 *     struct osw_text t = OSW_TEXT_INIT;
 *     struct osw_json_out o = osw_json_out(&t);
 *     osw_json_out_object(&o, NULL);
 *     osw_json_out_str(&o, "op", "aten.mm.default");
 *     osw_json_out_list(&o, "shape");
 *     osw_json_out_i64(&o, NULL, 512);
 *     osw_json_out_end(&o);
 *     osw_json_out_end(&o);
 *
 * `key` names a member of an object; NULL for list items and the root.
 */
#ifndef OSW_COMMON_JSON_OUT_H
#define OSW_COMMON_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/json.h"
#include "common/text.h"

enum { OSW_JSON_OUT_MAX_DEPTH = 16 };

struct osw_json_out {
    struct osw_text *text; /* borrowed */
    int depth;
    char close[OSW_JSON_OUT_MAX_DEPTH]; /* what ends each open value */
    bool filled;                        /* the open value has members */
};

struct osw_json_out osw_json_out(struct osw_text *text);

void osw_json_out_object(struct osw_json_out *o, const char *key);
void osw_json_out_list(struct osw_json_out *o, const char *key);
void osw_json_out_end(struct osw_json_out *o); /* of the last object or list */

void osw_json_out_str(struct osw_json_out *o, const char *key, const char *v);
void osw_json_out_i64(struct osw_json_out *o, const char *key, int64_t v);
void osw_json_out_u64(struct osw_json_out *o, const char *key, uint64_t v);
void osw_json_out_f64(struct osw_json_out *o, const char *key, double v);
void osw_json_out_bool(struct osw_json_out *o, const char *key, bool v);
void osw_json_out_null(struct osw_json_out *o, const char *key);

/* A value that was read, with all that is in it.  0, or -1 with err set: too
 * deep, the value's own failure.
 */
int osw_json_out_value(struct osw_json_out *o, const char *key,
                       const osw_json_t *v,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_COMMON_JSON_OUT_H */
