/* ops/record/state.h - the states a cell can end in, and how far each reaches
 *
 * One table holds number (it goes to disk: dense from 1, never reused), name,
 * group and scope.  Every planned cell ends in exactly one of them.
 */
#ifndef OSW_OPS_STATE_H
#define OSW_OPS_STATE_H

#include <stdbool.h>

enum osw_state_group {
    OSW_GROUP_PASS,
    OSW_GROUP_FAIL,       /* ran, and the result is wrong */
    OSW_GROUP_ERROR,      /* did not run to its end */
    OSW_GROUP_NOT_JUDGED, /* no verdict is possible; the reason says why */
    OSW_GROUP_INFRA,      /* not the op's fault: retried elsewhere first */
    OSW_GROUP_COUNT,
};

/* The largest thing a state is about.  The policy after a failure is a table
 * over scopes, so that a new state needs no new scheduling code.
 */
enum osw_scope {
    OSW_SCOPE_CELL,   /* this cell only */
    OSW_SCOPE_IMPL,   /* this implementation: its other cells end the same */
    OSW_SCOPE_OP,     /* the reference: every cell of the case or op */
    OSW_SCOPE_DEVICE, /* this GPU: quarantine it, retry elsewhere */
    OSW_SCOPE_NODE,   /* this node or rank: drop it, requeue its cells */
};

/* Numbers are in files and never used again; 28 was one that no cell ended in.
 */
/* clang-format off */
#define OSW_STATE_MAP(X)                                                       \
    X( 1, PASS,             "pass",             PASS,       CELL)              \
    X( 2, VALUE,            "value",            FAIL,       CELL)              \
    X( 3, PRECISION,        "precision",        FAIL,       CELL)              \
    X( 4, NAN,              "nan",              FAIL,       CELL)              \
    X( 5, SHAPE,            "shape",            FAIL,       CELL)              \
    X( 6, DTYPE,            "dtype",            FAIL,       CELL)              \
    X( 7, UNWRITTEN,        "unwritten",        FAIL,       CELL)              \
    X( 8, GUARD,            "guard",            FAIL,       CELL)              \
    X( 9, MUTATED,          "mutated",          FAIL,       CELL)              \
    X(10, ASYNC,            "async",            FAIL,       CELL)              \
    X(11, STALE,            "stale",            FAIL,       CELL)              \
    X(12, NONDETERMINISTIC, "nondeterministic", FAIL,       CELL)              \
    X(13, IMPLAUSIBLE,      "implausible",      FAIL,       CELL)              \
    X(14, RETURNED,         "returned",         ERROR,      CELL)              \
    X(15, CUDA,             "cuda",             ERROR,      CELL)              \
    X(16, CRASH,            "crash",            ERROR,      CELL)              \
    X(17, EXITED,           "exited",           ERROR,      CELL)              \
    X(18, TIMEOUT,          "timeout",          ERROR,      CELL)              \
    X(19, OOM,              "oom",              ERROR,      CELL)              \
    X(20, BUILD,            "build",            ERROR,      IMPL)              \
    X(21, LOAD,             "load",             ERROR,      IMPL)              \
    X(22, REFERENCE,        "reference",        ERROR,      OP)                \
    X(23, UNVERIFIED,       "unverified",       NOT_JUDGED, CELL)              \
    X(24, UNSUPPORTED,      "unsupported",      NOT_JUDGED, CELL)              \
    X(25, WEAK,             "weak",             NOT_JUDGED, CELL)              \
    X(26, SKIPPED,          "skipped",          NOT_JUDGED, CELL)              \
    X(27, DEVICE,           "device",           INFRA,      DEVICE)            \
    X(29, LOST,             "lost",             INFRA,      NODE)
/* clang-format on */

enum osw_state {
    OSW_STATE_NONE = 0, /* not ended yet; never in a file */
#define X(number, NAME, name, group, scope) OSW_STATE_##NAME = number,
    OSW_STATE_MAP(X)
#undef X
};

/* All numbers are below: of arrays that a state is an index of, and of sets
 * with a bit for each state (uint32_t).
 */
enum { OSW_STATE_COUNT = 32 };

/* Where in a cell's life something happened.  Numbers go to disk. */
/* clang-format off */
#define OSW_PHASE_MAP(X)                                                       \
    X(0, NONE,      "none")                                                    \
    X(1, PLAN,      "plan")                                                    \
    X(2, BUILD,     "build")                                                   \
    X(3, LOAD,      "load")                                                    \
    X(4, FILL,      "fill")                                                    \
    X(5, REFERENCE, "reference")                                               \
    X(6, PREPARE,   "prepare")                                                 \
    X(7, RUN,       "run")                                                     \
    X(8, VERIFY,    "verify")                                                  \
    X(9, TIME,      "time")                                                    \
    X(10, FINISH,   "finish")
/* clang-format on */

enum osw_phase {
#define X(number, NAME, name) OSW_PHASE_##NAME = number,
    OSW_PHASE_MAP(X)
#undef X
};

/* Names; "?" for a number that is not in the table. */
const char *osw_state_name(enum osw_state state);
const char *osw_state_group_name(enum osw_state_group group);
const char *osw_phase_name(enum osw_phase phase);

/* The table's other columns.  Precondition: osw_state_known(state). */
bool osw_state_known(int number);
enum osw_state_group osw_state_group(enum osw_state state);
enum osw_scope osw_state_scope(enum osw_state state);

/* Does a result of that state and phase stand for an op folder that could not
 * be read?  Its case then names a file and is none that could be run.
 */
bool osw_state_is_folder(int state, int phase);

/* Does a result of that state and reason mean that a worker had seen three
 * crashes or timeouts of the file?  Which cells end so depends on how cells are
 * spread over workers and sessions.
 */
bool osw_state_is_broken(int state, const char *reason);

/* The state of that name, or OSW_STATE_NONE. */
enum osw_state osw_state_find(const char *name);

/* The i-th state of the table in its order; OSW_STATE_NONE after the last. */
enum osw_state osw_state_at(int i);

#endif /* OSW_OPS_STATE_H */
