/* ops/cases/suite.h - suites: which cases a campaign asks for, as a table
 *
 * Upstream: catalog, gen_input.json, trace files.  Downstream: the plan.
 * To add a suite, write one function and one row in suite.c.
 */
#ifndef OSW_OPS_SUITE_H
#define OSW_OPS_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/cases/suite_list.h"
#include "ops/cases/suite_request.h"

struct osw_opinfo;          /* ops/cases/opinfo.h */
struct osw_suite_gathering; /* private to suite.c */

struct osw_suite {
    const char *name;
    const char *summary;
    bool needs_custom_root;
    bool needs_traces;
    bool slow;      /* to expand: by running much code */
    bool names_ops; /* that no catalog may have */
    /* Push the cases of the ops that the filter leaves; private to suite.c. */
    int (*expand)(struct osw_suite_gathering *g, struct osw_error *err);
};

/* Row by name, or NULL; osw_suite_at(i): NULL after the last. */
const struct osw_suite *osw_suite_find(const char *name);
const struct osw_suite *osw_suite_at(size_t i);

/* The cases of a suite (or the one given) in a fixed order: by op, then as
 * written.  Equal (op, case, fill) appear once, their counts added.  An op
 * whose op.json or gen_input.json is wrong is one case with why_not, as long as
 * the filter leaves others.  Blocks on the file system.  The caller frees *out
 * in any case, whose items' texts live in the arena.
 *
 * Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  unknown op in the filter; all ops that were asked for are
 *                  broken, or a trace file is: names file and line or key
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_suite_expand(osw_arena_t *arena, const struct osw_suite *suite,
                     const struct osw_suite_request *request,
                     struct osw_suite_list *out,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_SUITE_H */
