/* mpi_runner/generate/ask/extract.h - the code in a model's answer
 *
 * Answers are untrusted text.  Code is the last closed block between fences
 * (``` or ~~~) that names the wanted function: models write drafts first.  An
 * answer without any fence is taken whole if it names the function.
 *
 * Pure; callable by a fuzzer.
 */
#ifndef OSW_MPI_RUNNER_EXTRACT_H
#define OSW_MPI_RUNNER_EXTRACT_H

#include <stddef.h>

#include "common/text.h"
#include "mpi_runner/generate/ask/attempt.h"

enum {
    OSW_EXTRACT_MAX_ANSWER = 4 * 1024 * 1024, /* bytes */
    OSW_EXTRACT_MAX_CODE = 256 * 1024,
};

/* Find the code that defines `symbol` in answer[n].  ANSWERED: *code and *size
 * are of it, borrowed from the answer; else EMPTY, NO_CODE, WRONG_SYMBOL,
 * TRUNCATED (an open block names the function, and no closed one does),
 * TOO_LARGE.
 */
enum osw_outcome osw_extract(const char *answer, size_t n, const char *symbol,
                             const char **code, size_t *size);

/* Append code[n] without what compilers ignore: comments, blanks where they
 * mean nothing.  `python`: by the rules of Python, else of C.  Of two sources
 * with the same result one need not be judged.
 */
void osw_extract_plain(const char *code, size_t n, bool python,
                       struct osw_text *out);

#endif /* OSW_MPI_RUNNER_EXTRACT_H */
