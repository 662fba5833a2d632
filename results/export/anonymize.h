/* results/export/anonymize.h - an open file without names of hosts and users
 *
 * Replaced, in every text that a report is made of:
 *   names of hosts      host1, host2, ...  also in reasons and output
 *   names of users      user1, ...  those that stand after /home/, /Users/
 *   paths               PATH, or PATH/mm_fast.cu: the name of a file of a known
 *                       kind stays; relative ones only in prose
 *   UUIDs               uuid1, ...  of devices, of runs
 *   IPv4 addresses      ADDRESS
 * Names of ops, implementations, cases and devices stay.  What op code printed
 * may hold more names, which cannot be recognised.
 */
#ifndef OSW_RESULTS_ANONYMIZE_H
#define OSW_RESULTS_ANONYMIZE_H

#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "results/file/file.h"

struct osw_anonymized {
    uint64_t hosts, users, paths, uuids, addresses; /* replacements */
    uint64_t texts;                                 /* that were changed */
};

/* Returns 0, or -1 with err set (the file is of no use then). */
int osw_anonymize(osw_file_t *file, struct osw_anonymized *out,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Print a line that says what was replaced. */
void osw_anonymized_print(const struct osw_anonymized *n, FILE *out);

#endif /* OSW_RESULTS_ANONYMIZE_H */
