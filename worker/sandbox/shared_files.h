/* worker/sandbox/shared_files.h - what looks like files of NCCL in /dev/shm
 *
 * NCCL's processes share memory by files that they name to each other, and a
 * sandbox writes no files outside of its scratch folder.  So opsweep-sandbox
 * has functions in place of the C library's by which such a file is memory
 * without a name.  Another process of the gang that opens it gets its
 * descriptor by sockets.h.  It is gone with the processes.
 *
 * Until osw_sockets_begin() the functions do what those of the C library do.
 */
#ifndef OSW_WORKER_SANDBOX_SHARED_FILES_H
#define OSW_WORKER_SANDBOX_SHARED_FILES_H

/* As the functions of the C library. */
int osw_shared_files_mkstemp(char *path);
int osw_shared_files_open(const char *path, int flags, ...);
int osw_shared_files_unlink(const char *path);

#endif /* OSW_WORKER_SANDBOX_SHARED_FILES_H */
