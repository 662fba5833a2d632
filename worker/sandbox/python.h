/* worker/sandbox/python.h - the sandbox inside a python
 *
 * Upstream: worker/sandbox/python/opsweep_host.py, through ctypes.PyDLL.
 */
#ifndef OSW_WORKER_SANDBOX_PYTHON_H
#define OSW_WORKER_SANDBOX_PYTHON_H

/* osw_isolate_begin(), and osw_isolate_end() with caches, which returns 0 or
 * -1: before anything of the op is loaded.
 */
__attribute__((visibility("default"))) void
osw_python_isolate(const char *device);
__attribute__((visibility("default"))) int
osw_python_isolate_file(const char *device);

/* osw_isolation_close(), of a process that forks sandboxes and has no op. */
__attribute__((visibility("default"))) void osw_python_close(void);

/* Serve the judge until it closes the socket, with the interpreter's lock
 * held on entry.  `host` is the object whose methods python.c calls, `none`
 * Python's None; both are borrowed.  Returns an exit status.
 */
__attribute__((visibility("default"))) int
osw_python_loop(void *host, void *none, const char *device);

#endif /* OSW_WORKER_SANDBOX_PYTHON_H */
