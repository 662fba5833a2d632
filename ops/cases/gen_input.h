/* ops/cases/gen_input.h - the cases of an op folder, expanded
 *
 * gen_input.json lists cases as notation, with holes and tables of values, or
 * as calls of a trace file: see docs/OPS_REFERENCE.md.  Everything in it is
 * bounded.
 *
 * Upstream: op folders.  Downstream: suites.
 */
#ifndef OSW_OPS_GEN_INPUT_H
#define OSW_OPS_GEN_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/catalog/op.h"
#include "ops/notation/value.h"

enum { OSW_GEN_MAX_CASES = 1000000, OSW_GEN_MAX_HOLES = 16 };

struct osw_gen_case {
    const char *text; /* canonical case notation */
    const char *fill; /* resolved fills in order: see ops/inputs/fill_text.h */
    struct osw_case parsed;
    uint64_t count;      /* calls in the trace it is from; 0: from elsewhere */
    bool performance;    /* wanted for its time too */
    uint64_t digest;     /* of values that code drew; 0: none did */
    const char *why_not; /* not NULL: cannot be run, for this reason */
    bool broken;         /* it stands for all cases: their generator failed */
};

struct osw_gen_cases {
    size_t n;
    const struct osw_gen_case *at; /* [n] correctness first, as written */
};

/* Runs a generator that is code, where code may run; sandboxes are above this
 * room.  `asked` is for generators that take options; "": none.  One that is
 * divisible may be run several times at once, each asked for " 2/8" of the
 * whole too: what all of them say is put together.  *lines [*n] in the arena:
 * see ops/cases/gen_lines.h, ops/cases/opinfo.h.  Returns 0, or -1 with err
 * set: OSW_BAD_INPUT, worded for the generator's author.
 */
typedef int osw_gen_run_f(void *arg, osw_arena_t *arena, const char *path,
                          const char *asked, bool divisible, const char **lines,
                          size_t *n, struct osw_error *err);

/* From now on gen_input.py is run by this; NULL: not at all.  Once, before
 * several threads ask for cases.
 */
void osw_gen_input_set_runner(osw_gen_run_f *run, void *arg);

/* Have it run one; OSW_BAD_INPUT too where there is no runner. */
int osw_gen_input_run(osw_arena_t *arena, const char *path, const char *asked,
                      bool divisible, const char **lines, size_t *n,
                      struct osw_error *err) OSW_MUST_CHECK;

/* All cases of an op.  Each kind of generator is a row in gen_input.c; one
 * that runs code (gen_input.py) needs a runner, and gives no cases without:
 * osw_gen_input_missing() says so.  Where it fails, there is one case, with
 * why_not saying how.  Blocks on the file system.
 *
 * Returns 0, or -1 with err set and *out untouched:
 *   OSW_BAD_INPUT  "FILE: key 'correctness[1].case': column 12: expected ..."
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_gen_input_load(osw_arena_t *arena, const struct osw_op *op,
                       struct osw_gen_cases *out,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Why an op's cases cannot be expanded here; NULL when they can. */
const char *osw_gen_input_missing(const struct osw_op *op);

/* gen_input.json from text[0..n); `source` stands for the file in messages,
 * trace files are looked up in op->dir.
 */
int osw_gen_input_parse(osw_arena_t *arena, const struct osw_op *op,
                        const char *text, size_t n, const char *source,
                        struct osw_gen_cases *out,
                        struct osw_error *err) OSW_MUST_CHECK;

/* The canonical text of a case; NULL without memory. */
const char *osw_gen_input_text(osw_arena_t *arena, const struct osw_case *c);

/* One case of an op: its canonical text, its fills by the n rules, then the
 * op's.  count and performance are left 0.  *out borrows from `parsed`.
 */
int osw_gen_input_case(osw_arena_t *arena, const struct osw_op *op,
                       const struct osw_case *parsed,
                       const struct osw_fill_rule *rules, size_t n,
                       struct osw_gen_case *out,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_GEN_INPUT_H */
