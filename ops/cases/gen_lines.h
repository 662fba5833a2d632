/* ops/cases/gen_lines.h - what a generator that runs code said of its cases
 *
 * gen_input.py exists only by being run, in a sandbox, which returns a line
 * per case: bounded text, untrusted.
 *
 *     case TAB 0 TAB 0123456789abcdef TAB 1 TAB ((T([4], f32),), {})
 *     bad  TAB 1 TAB words: why this one is no case
 *
 * The second field is 1 for a performance case, the third a digest of the
 * generated values.  The fourth has a digit for each tensor, in the order of
 * the text: 1 if its elements are independent of each other and of other
 * tensors; what is missing is 0.  The n-th line is case n of the generator.
 */
#ifndef OSW_OPS_GEN_LINES_H
#define OSW_OPS_GEN_LINES_H

#include "ops/cases/gen_case.h"

/* Fewer than OSW_OPINFO_FIRST: numbers of cases do not meet. */
enum { OSW_GEN_MAX_LINES = 10000000 };

/* Read text[0..n), line by line into the sink; tensors are filled by
 * drawn(line) or independent(line).  What is no case of the op becomes one with
 * why_not set.
 *
 * Returns 0, or -1 with err set, the lines before having been taken:
 *   OSW_BAD_INPUT  "line 3: expected ..."
 *   OSW_NO_MEMORY
 */
int osw_gen_lines_parse(const struct osw_op *op, const char *text, size_t n,
                        struct osw_gen_sink *sink,
                        struct osw_error *err) OSW_MUST_CHECK;

/* The case that notation[0..n) is, its tensors filled by drawn(index), or
 * independent(index) where `flags`, if not NULL, has a 1; what is no case of
 * the op becomes one with why_not set.  *out was zeroed, or has
 * performance and digest set.  Returns 0, or -1 with err set: OSW_NO_MEMORY.
 */
int osw_gen_lines_case(osw_arena_t *arena, const struct osw_op *op,
                       size_t index, const char *flags, const char *notation,
                       size_t n, struct osw_gen_case *out,
                       struct osw_error *err) OSW_MUST_CHECK;

/* A single case that cannot be run, for that reason; `name` stands for it. */
int osw_gen_lines_refuse(osw_arena_t *arena, const char *name, const char *why,
                         struct osw_gen_case *out,
                         struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_GEN_LINES_H */
