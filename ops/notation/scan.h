/* ops/notation/scan.h - a cursor over a text, whose errors name the column
 *
 * What the readers of notation, schemas and traces have in common.  Blanks
 * between tokens are skipped by every function that takes a token.
 */
#ifndef OSW_OPS_SCAN_H
#define OSW_OPS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/notation/value.h"

struct osw_scan {
    const char *text; /* borrowed, [n] bytes, no NUL needed */
    size_t n;
    size_t at;          /* the next byte */
    osw_arena_t *arena; /* what is made lives here */
    struct osw_error *err;
};

/* The next byte that is no blank, now at s->at; -1 at the end. */
int osw_scan_peek(struct osw_scan *s);

/* Take the character, or leave the cursor in front of it and say no. */
bool osw_scan_take(struct osw_scan *s, char c);

/* Take the character, or fail. */
int osw_scan_expect(struct osw_scan *s, char c) OSW_MUST_CHECK;

/* Fail unless nothing but blanks is left. */
int osw_scan_end(struct osw_scan *s) OSW_MUST_CHECK;

/* Length of the identifier [A-Za-z_][A-Za-z0-9_]* at the cursor, 0 if there
 * is none; peek_word leaves it there, with s->at at its start.
 */
size_t osw_scan_peek_word(struct osw_scan *s);
size_t osw_scan_take_word(struct osw_scan *s, const char **word);

/* True when the cursor stands before this very identifier. */
bool osw_scan_is_word(struct osw_scan *s, const char *word);

/* A decimal number: OSW_VALUE_INT, or OSW_VALUE_FLOAT with a point or an
 * exponent.  It must be finite and fit.
 */
int osw_scan_number(struct osw_scan *s, struct osw_value *out) OSW_MUST_CHECK;

/* A text in ' or ", with Python's escapes of single bytes up to \x7f. */
int osw_scan_string(struct osw_scan *s, struct osw_value *out) OSW_MUST_CHECK;

/* Record "column C: expected <fmt>, found <what is at `at`>"; returns -1. */
int osw_scan_fail(struct osw_scan *s, size_t at, const char *fmt, ...)
    OSW_PRINTF(3, 4);

/* Record that the arena has no memory; returns -1. */
int osw_scan_no_memory(struct osw_scan *s);

#endif /* OSW_OPS_SCAN_H */
