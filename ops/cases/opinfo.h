/* ops/cases/opinfo.h - tests from torch's own op database: suite "opinfo"
 *
 * worker/sandbox/python/opsweep_opinfo.py makes them, and says which in lines:
 *
 *     torch TAB 2.11.0, op_db of 640 entries, operators found on cuda
 *     tests TAB 4919 TAB 298         as BackendBench counts tests and ops
 *     left  TAB 79 TAB entries: why so many were left out
 *     op    TAB aten.add.Tensor      of the lines that follow
 *     case  TAB 400100000 TAB 0123456789abcdef TAB ((T([4], f32),), {})
 *     bad   TAB 400100001 TAB why it cannot be written down
 *
 * The number of a case says its dtype, its entry of op_db and its sample; the
 * digest is of the generated values.  Several shares of the whole, made side by
 * side, may follow each other: each has all of these lines, and what they count
 * is added.
 *
 * Upstream: a sandbox, so the text is untrusted.  Downstream:
 * ops/cases/suite.c.
 */
#ifndef OSW_OPS_OPINFO_H
#define OSW_OPS_OPINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"

/* Numbers of cases begin here: a gen_input.py has fewer. */
enum { OSW_OPINFO_FIRST = 100000000, OSW_OPINFO_MAX_LEFT = 64 };

struct osw_opinfo_case {
    const char *op; /* "aten.add.Tensor" */
    uint32_t number;
    uint64_t digest;
    const char *text; /* [n] notation; or, with bad set, why not */
    size_t n;
    bool bad;
};

struct osw_opinfo {
    const char *torch;             /* which, where */
    uint64_t peer_tests, peer_ops; /* of BackendBench, for the same */
    uint64_t n_ops;                /* operators */
    size_t n_left;
    struct osw_opinfo_left {
        uint64_t n;
        const char *why; /* "samples: several operators are called" */
    } left[OSW_OPINFO_MAX_LEFT];
    size_t n_cases;
    const struct osw_opinfo_case *cases; /* [n_cases] by operator, number; the
                                            same op is the same pointer */
};

/* Read text[0..n), borrowed.  *out and all in it live in the arena.
 * Returns 0, or -1 with err set: OSW_BAD_INPUT "opinfo: line 3: expected ...";
 * OSW_NO_MEMORY.
 */
int osw_opinfo_parse(osw_arena_t *arena, const char *text, size_t n,
                     struct osw_opinfo *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* What was counted, in lines for people; NULL without memory. */
const char *osw_opinfo_words(osw_arena_t *arena, const struct osw_opinfo *info);

#endif /* OSW_OPS_OPINFO_H */
