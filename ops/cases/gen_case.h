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

enum { OSW_GEN_MAX_CASES = 1000000000 }; /* memory ends before */

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

/* Where the cases of a generator go, one after the other. */
struct osw_gen_sink {
    osw_arena_t *arena; /* of a case and all in it; */
    bool keep;          /* else it is reset before the next case */
    /* Returns 0, or -1 with err set: that ends the generator. */
    int (*take)(void *arg, const struct osw_gen_case *c, struct osw_error *err);
    /* (optional) So many cases will follow; returns as take(). */
    int (*expect)(void *arg, size_t n, struct osw_error *err);
    void *arg;
    size_t n; /* taken */
};

/* Before the memory of a case is taken from the sink's arena. */
void osw_gen_sink_begin(struct osw_gen_sink *sink);
int osw_gen_sink_put(struct osw_gen_sink *sink, const struct osw_gen_case *c,
                     struct osw_error *err) OSW_MUST_CHECK;

/* A sink that keeps all cases: begin, let a generator fill `sink`, and finish
 * whether that failed (rc) or not.  Finishing returns rc, or -1 with err set to
 * OSW_NO_MEMORY; *out and all in it live in the arena.
 */
struct osw_gen_list {
    struct osw_gen_sink sink;
    struct osw_gen_case *at; /* on the heap until all are there */
    size_t size;
};

void osw_gen_list_begin(struct osw_gen_list *list, osw_arena_t *arena);
int osw_gen_list_finish(struct osw_gen_list *list, int rc,
                        struct osw_gen_cases *out,
                        struct osw_error *err) OSW_MUST_CHECK;

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
