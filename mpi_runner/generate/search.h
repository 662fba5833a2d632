/* mpi_runner/generate/search.h - what to ask a model for next
 *
 * A pure function of the attempts so far, so that a run that is resumed or
 * replayed makes the same choices.
 *
 * Upstream: drive.h.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_SEARCH_H
#define OSW_MPI_RUNNER_GENERATE_SEARCH_H

#include "mpi_runner/generate/ask/attempt.h"

enum osw_search {
    OSW_SEARCH_BEST_OF,
    OSW_SEARCH_REFINE,
    OSW_SEARCH_POPULATION,
};
extern const char *const osw_search_names[]; /* up to a NULL */

struct osw_search_rules {
    enum osw_search search;
    uint32_t n_attempts; /* of one op, at most */
    /* Of REFINE: attempts that start from nothing.  Of POPULATION: candidates
     * that are kept, and attempts of a generation.
     */
    uint32_t width;
    uint64_t seed; /* of POPULATION: of the choice of parents */
};

enum osw_search_what {
    OSW_SEARCH_ASK,
    OSW_SEARCH_WAIT, /* for what is under way */
    OSW_SEARCH_STOP,
};

struct osw_search_choice {
    enum osw_search_what what;
    uint32_t parent; /* of ASK: attempt to work on; 0: none */
    const char *why; /* of STOP: static */
};

/* Choose by the attempts of one op, [n] by number. */
struct osw_search_choice osw_search_next(const struct osw_search_rules *rules,
                                         const struct osw_attempt *attempts,
                                         size_t n);

/* The best of those that were judged; NULL: none was.  Of equals the first. */
const struct osw_attempt *osw_search_best(const struct osw_attempt *attempts,
                                          size_t n);

/* Those that meet in the last campaign: the best first, at most `room` of
 * those that pass at least one cell.  Returns how many.
 */
size_t osw_search_finalists(const struct osw_attempt *attempts, size_t n,
                            const struct osw_attempt **out, size_t room);

/* A random number of the seed's (splitmix64: Steele, Lea, Flood 2014): 0 makes
 * the seed of the last campaign, an attempt's chooses its parent.
 */
uint64_t osw_search_random(uint64_t seed, uint64_t number);

#endif /* OSW_MPI_RUNNER_GENERATE_SEARCH_H */
