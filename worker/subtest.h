/* worker/subtest.h - what is found of one file beyond verdicts
 *
 * Upstream: worker/judge/contract.  Downstream: `opsweep check`.
 */
#ifndef OSW_WORKER_SUBTEST_H
#define OSW_WORKER_SUBTEST_H

#include <stdbool.h>

/* Sub-tests of one file: X(NAME, its word). */
/* clang-format off */
#define OSW_SUBTEST_MAP(X)                                                     \
    X(SCHEMA,  "schema")  /* writes and aliases what the schema says */        \
    X(META,    "meta")    /* <op>_meta declares what runs make */              \
    X(SHAPES,  "shapes")  /* cases of other sizes leave no trace */            \
    X(CAPTURE, "capture") /* a call can be captured into a graph */            \
    X(PREPARE, "prepare") /* every <op>_prepare has its <op>_finish */
/* clang-format on */

enum osw_subtest_id {
#define X(NAME, word) OSW_SUBTEST_##NAME,
    OSW_SUBTEST_MAP(X)
#undef X
        OSW_N_SUBTESTS
};

const char *osw_subtest_name(enum osw_subtest_id id);

enum osw_subtest_state {
    OSW_SUBTEST_WAS_SKIPPED,
    OSW_SUBTEST_WAS_OK,
    OSW_SUBTEST_WAS_FAILED
};

struct osw_subtest {
    enum osw_subtest_state state;
    char text[640]; /* what was seen, how it fails, or why it was skipped */
};

/* What `opsweep check` wants to know of one file, beyond verdicts. */
struct osw_contract {
    bool loaded, has_prepare, has_finish, has_meta, has_work;
    bool supported; /* it ran the case */
    struct osw_subtest tests[OSW_N_SUBTESTS];
    char text[1024]; /* why it was not loaded, or did not run the case */
};

#endif /* OSW_WORKER_SUBTEST_H */
