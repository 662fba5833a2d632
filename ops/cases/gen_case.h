/* ops/cases/gen_case.h - one case of an op: its text and its fills
 *
 * Upstream: a case that was parsed.  Downstream: whatever lists cases.
 */
#ifndef OSW_OPS_GEN_CASE_H
#define OSW_OPS_GEN_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/catalog/op.h"
#include "ops/notation/value.h"

enum { OSW_GEN_MAX_CASES = 1000000 };

struct osw_gen_case {
    const char *text; /* canonical case notation */
    const char *fill; /* resolved fills in order: see ops/inputs/fill_text.h */
    struct osw_case parsed;
    uint64_t count;      /* calls in the trace it is from; 0: from elsewhere */
    bool performance;    /* wanted for its time too */
    uint64_t digest;     /* of values that code generated; 0: none */
    const char *why_not; /* not NULL: cannot be run, for this reason */
    bool broken;         /* it stands for all cases: their generator failed */
};

struct osw_gen_cases {
    size_t n;
    const struct osw_gen_case *at; /* [n] correctness first, as written */
};

/* The canonical text of a case; NULL without memory. */
const char *osw_gen_case_text(osw_arena_t *arena, const struct osw_case *c);

/* One case of an op: its canonical text, its fills by the n rules, then the
 * op's.  count and performance are left 0.  *out borrows from `parsed`.
 */
int osw_gen_case_make(osw_arena_t *arena, const struct osw_op *op,
                      const struct osw_case *parsed,
                      const struct osw_fill_rule *rules, size_t n,
                      struct osw_gen_case *out,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_GEN_CASE_H */
