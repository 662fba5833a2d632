/* common/error.h - one way to fail, used by every room
 *
 * A function that can fail returns 0/-1 (or a pointer/NULL) and takes a
 * trailing `struct osw_error *err`.  The return value says THAT it failed;
 * err says what failed.  Verdicts on cells are no errors: see
 * ops/record/state.h.
 */
#ifndef OSW_COMMON_ERROR_H
#define OSW_COMMON_ERROR_H

#include <stddef.h>

/* Name, and exit code of a command that ends by it. */
/* clang-format off */
#define OSW_STATUS_MAP(X)                                                      \
    X(OK,            0) /* success */                                          \
    X(FAILED,        1) /* cells failed */                                     \
    X(BAD_INPUT,     2) /* invalid input */                                    \
    X(NOTHING,       3) /* nothing to judge */                                 \
    X(INCOMPLETE,    4) /* resumable */                                        \
    X(SYSTEM,        5) /* a system call failed */                             \
    X(NO_MEMORY,     5)                                                        \
    X(PROTOCOL,      5) /* a peer broke the protocol */                        \
    X(DEVICE,        5)                                                        \
    X(TIMEOUT,       5)                                                        \
    X(CHILD,         5) /* a child process died */                             \
    X(INTERNAL,      5)
/* clang-format on */

enum osw_status {
#define X(name, code) OSW_##name,
    OSW_STATUS_MAP(X)
#undef X
};

struct osw_error {
    enum osw_status status;
    char text[512]; /* one line; no newline, no final full stop */
};

/* clang-format off */
#define OSW_ERROR_INIT { .status = OSW_OK, .text = "" }
/* clang-format on */

#if defined(__GNUC__)
#define OSW_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define OSW_MUST_CHECK         __attribute__((warn_unused_result))
#else
#define OSW_PRINTF(fmt, first)
#define OSW_MUST_CHECK
#endif

/* Record a failure and return -1, so that `return osw_fail(...)` reads well.
 * The first failure wins: if err already holds one, it is kept, because the
 * first is the cause and the rest are consequences.  A cut text ends in "...".
 * err may be NULL.  errno is preserved.
 */
int osw_fail(struct osw_error *err, enum osw_status status, const char *fmt,
             ...) OSW_PRINTF(3, 4);

/* As osw_fail with OSW_SYSTEM, followed by ": " and the text of `errnum`. */
int osw_fail_sys(struct osw_error *err, int errnum, const char *fmt, ...)
    OSW_PRINTF(3, 4);

/* Put "subject: " in front of the recorded text; returns -1.  For the caller
 * that knows the file or key the failure belongs to.
 */
int osw_error_in(struct osw_error *err, const char *fmt, ...) OSW_PRINTF(2, 3);

/* 5 for values out of range. */
int osw_status_exit_code(enum osw_status status);

#endif /* OSW_COMMON_ERROR_H */
