/* results/journal/journal_verify.h - is a journal whole, and where does it end?
 *
 * Reads every record of every segment, also after a damaged one, and what is
 * in it.  Takes no lock and changes nothing.
 *
 * Upstream: the command journal, which tells.
 */
#ifndef OSW_RESULTS_JOURNAL_VERIFY_H
#define OSW_RESULTS_JOURNAL_VERIFY_H

#include <stdint.h>

#include "common/error.h"

enum osw_journal_state {
    OSW_JOURNAL_WHOLE,
    OSW_JOURNAL_TORN,    /* the last commit was cut off: nothing lost */
    OSW_JOURNAL_DAMAGED, /* records that were whole changed, or are missing */
};

struct osw_journal_verdict {
    enum osw_journal_state state;
    uint64_t n_records; /* whole, before the first bad one */
    uint64_t n_after;   /* whole, after it */
    uint32_t n_segments;
    uint64_t n_bytes; /* of all segments */
    /* Where the first bad one is, when there is one. */
    uint32_t segment;
    uint64_t offset; /* in the segment, bytes */
    uint64_t seq;    /* the number it should have */
    uint64_t n_bad_bytes;
    char why[256]; /* no newline */
};

/* Returns 0 with *out set, whatever state it is in; or -1 with err set:
 * OSW_BAD_INPUT (there is no journal in `dir`), OSW_SYSTEM, OSW_NO_MEMORY.
 */
int osw_journal_verify(const char *dir, struct osw_journal_verdict *out,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_JOURNAL_VERIFY_H */
