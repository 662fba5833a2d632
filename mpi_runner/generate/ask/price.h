/* mpi_runner/generate/ask/price.h - what requests cost, and what may be spent
 *
 * Money is reserved before a request is sent, and settled by what the endpoint
 * says was used.  A request whose end is unknown keeps its reservation.  Pure.
 */
#ifndef OSW_MPI_RUNNER_PRICE_H
#define OSW_MPI_RUNNER_PRICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Of a million tokens, in any currency. */
struct osw_price {
    double in, out, cache_read, cache_write;
};

/* Tokens of a request; all 0: the endpoint did not say. */
struct osw_usage {
    uint64_t in, out, cache_read, cache_write; /* `in` without both others */
};

/* "3,15", "3,15,0.3" or "3,15,0.3,3.75": input, output, read from the cache
 * [as input], written to the cache [as input].  NULL: all 0.  Returns 0, or -1
 * with err set (OSW_BAD_INPUT).
 */
int osw_price_parse(const char *text, struct osw_price *out,
                    struct osw_error *err) OSW_MUST_CHECK;

/* The most that a request can cost: a token has at least one byte of text in
 * two, and is written to the cache where that is dearer.
 */
double osw_price_most(const struct osw_price *p, size_t prompt_bytes,
                      uint64_t max_tokens);

/* What it cost. */
double osw_price_of(const struct osw_price *p, const struct osw_usage *used);

bool osw_usage_known(const struct osw_usage *used);

#endif /* OSW_MPI_RUNNER_PRICE_H */
