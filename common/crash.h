/* common/crash.h - where this program crashed
 *
 * A process that ends by a fault of its own says in which functions it was, so
 * that a report of it can be acted on: addresses in the program are read by
 * `addr2line -e PROGRAM`.
 */
#ifndef OSW_COMMON_CRASH_H
#define OSW_COMMON_CRASH_H

/* From now on; the signal ends the process as before, or SIGALRM does 5 s later
 * where the words cannot be said.  Handlers that are there stay.  Once, before
 * there are threads; takes 0.15 ms.
 */
void osw_crash_tell(void);

#endif /* OSW_COMMON_CRASH_H */
