/* common/utf8.h - characters of UTF-8, and which of them a terminal may get
 *
 * Texts of op code, compilers and foreign files are printed.  A control
 * character in them can steer a terminal, and one that sets the direction of
 * text (U+202E) can make a line look like another.
 *
 * Pure.
 */
#ifndef OSW_COMMON_UTF8_H
#define OSW_COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/text.h"

/* Bytes of the valid sequence at s, of at most n bytes; 0: none. */
size_t osw_utf8_length(const char *s, size_t n);

/* The code point of a valid sequence of that length. */
uint32_t osw_utf8_point(const char *s, size_t length);

/* Is it a control character, or one that sets the direction of text or ends a
 * line (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069)?
 */
bool osw_utf8_is_control(uint32_t point);

/* Append or print the text [n] as a terminal may get it: a space in place of
 * each control character of ASCII, U+FFFD of each other one and of each byte
 * that is no UTF-8.
 */
void osw_utf8_add_visible(struct osw_text *out, const char *s, size_t n);
void osw_utf8_put_visible(FILE *out, const char *s, size_t n);

/* Print "<intro><path>: <text>", the two so, as one line: the name of a file
 * may hold newlines.
 */
void osw_utf8_put_note(FILE *out, const char *intro, const char *path,
                       const char *text);

/* The same to `to` [size >= 1], ended by NUL, as far as whole characters fit.
 * Returns bytes before the NUL.  No memory is taken.
 */
size_t osw_utf8_copy_visible(char *to, size_t size, const char *s);

#endif /* OSW_COMMON_UTF8_H */
