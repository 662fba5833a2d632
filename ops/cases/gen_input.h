/* ops/cases/gen_input.h - the cases of an op folder, expanded
 *
 * Upstream: op folders.  Downstream: gen_json.h, gen_lines.h; suites.
 */
#ifndef OSW_OPS_GEN_INPUT_H
#define OSW_OPS_GEN_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "ops/cases/gen_case.h"

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

/* The same, case by case into the sink: where there are many.  Where code
 * fails, that is OSW_BAD_INPUT too.  Before -1 some cases may have been taken.
 */
int osw_gen_input_each(const struct osw_op *op, struct osw_gen_sink *sink,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Which file of the op's folder says its cases, for messages. */
const char *osw_gen_input_file(const struct osw_op *op);

/* Why an op's cases cannot be expanded here; NULL when they can. */
const char *osw_gen_input_missing(const struct osw_op *op);

#endif /* OSW_OPS_GEN_INPUT_H */
