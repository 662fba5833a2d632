/* ops/cases/gen_json.h - the cases that a gen_input.json lists
 *
 * It lists cases as notation, with holes and tables of values, or as calls of a
 * trace file: see docs/OPS_REFERENCE.md.  Everything in it is bounded.
 *
 * Upstream: op folders.  Downstream: gen_input.h.
 */
#ifndef OSW_OPS_GEN_JSON_H
#define OSW_OPS_GEN_JSON_H

#include "ops/cases/gen_case.h"

enum { OSW_GEN_MAX_HOLES = 16 };

/* gen_input.json from text[0..n), case by case into the sink; `source` stands
 * for the file in messages, trace files are looked up in op->dir.  What the
 * cases share is in the arena.  Returns 0, or -1 with err set; cases before the
 * one that is wrong were taken.
 */
int osw_gen_json_parse(osw_arena_t *arena, const struct osw_op *op,
                       const char *text, size_t n, const char *source,
                       struct osw_gen_sink *sink,
                       struct osw_error *err) OSW_MUST_CHECK;

/* The same of the file op->cases_json.  Blocks on the file system.
 * OSW_SYSTEM when it cannot be read.
 */
int osw_gen_json_load(osw_arena_t *arena, const struct osw_op *op,
                      struct osw_gen_sink *sink,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_GEN_JSON_H */
