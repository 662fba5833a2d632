/* worker/sandbox/python_api.h - what is used of the interpreter
 *
 * Nothing links libpython: its stable functions are looked up in the running
 * process.  Unless stated otherwise, returned objects are new references that
 * the caller owns; NULL means an exception is set.  All functions need the
 * interpreter's lock.
 */
#ifndef OSW_WORKER_SANDBOX_PYTHON_API_H
#define OSW_WORKER_SANDBOX_PYTHON_API_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <opsweep/op.h>

typedef struct python_object osw_python_object;
struct osw_case_received;

/* All of it is in the stable ABI. */
/* clang-format off */
#define PYTHON_MAP(X)                                                          \
    X(osw_python_object *, Call, "PyObject_Call", (osw_python_object *, osw_python_object *, osw_python_object *))         \
    X(osw_python_object *, GetAttr, "PyObject_GetAttrString", (osw_python_object *, const char *))   \
    X(void, Keep, "Py_IncRef", (osw_python_object *))                                     \
    X(void, Drop, "Py_DecRef", (osw_python_object *))                                     \
    X(void, Fetch, "PyErr_Fetch", (osw_python_object **, osw_python_object **, osw_python_object **))           \
    X(void, Normalize, "PyErr_NormalizeException",                             \
      (osw_python_object **, osw_python_object **, osw_python_object **))                                       \
    X(void, Clear, "PyErr_Clear", (void))                                      \
    X(osw_python_object *, Int, "PyLong_FromLongLong", (long long))                       \
    X(long long, AsInt, "PyLong_AsLongLong", (osw_python_object *))                       \
    X(osw_python_object *, Float, "PyFloat_FromDouble", (double))                         \
    X(osw_python_object *, Bool, "PyBool_FromLong", (long))                               \
    X(osw_python_object *, Text, "PyUnicode_DecodeUTF8",                                  \
      (const char *, ssize_t, const char *))                                   \
    X(const char *, AsText, "PyUnicode_AsUTF8AndSize", (osw_python_object *, ssize_t *))  \
    X(osw_python_object *, Tuple, "PyTuple_New", (ssize_t))                               \
    X(int, SetItem, "PyTuple_SetItem", (osw_python_object *, ssize_t, osw_python_object *))          \
    X(osw_python_object *, Item, "PyTuple_GetItem", (osw_python_object *, ssize_t))                  \
    X(ssize_t, Size, "PyTuple_Size", (osw_python_object *))                               \
    X(osw_python_object *, List, "PyList_New", (ssize_t))                                 \
    X(int, SetListItem, "PyList_SetItem", (osw_python_object *, ssize_t, osw_python_object *))       \
    X(osw_python_object *, Dict, "PyDict_New", (void))                                    \
    X(ssize_t, DictSize, "PyDict_Size", (osw_python_object *))                            \
    X(int, SetKey, "PyDict_SetItemString", (osw_python_object *, const char *, osw_python_object *)) \
    X(osw_python_object *, Capsule, "PyCapsule_New",                                      \
      (void *, const char *, void (*)(osw_python_object *)))                              \
    X(int, IsCapsule, "PyCapsule_IsValid", (osw_python_object *, const char *))           \
    X(void *, CapsulePointer, "PyCapsule_GetPointer", (osw_python_object *, const char *)) \
    X(void *, Rest, "PyEval_SaveThread", (void))                               \
    X(void, Wake, "PyEval_RestoreThread", (void *))
/* clang-format on */

struct osw_python_api {
#define X(type, name, symbol, parameters) type(*name) parameters;
    PYTHON_MAP(X)
#undef X
    osw_python_object *none; /* borrowed for the process's life */
    osw_python_object *host; /* of opsweep_host.py; NULL: not in a python */
    void *thread;            /* while resting */
};

extern struct osw_python_api osw_py;

/* Fill in the functions; -1, with a message on stderr: this is no python. */
int osw_python_find_functions(void);

osw_python_object *osw_python_text(const char *s);

/* A tuple of n new references, which it adopts; NULL if one of them is. */
osw_python_object *osw_python_pack(ssize_t n, osw_python_object *const *items);

/* host.<name>(*items), adopting the items. */
osw_python_object *osw_python_ask(const char *name, ssize_t n,
                                  osw_python_object *const *items);
#define OSW_PYTHON_ASK(name, ...)                                              \
    osw_python_ask(name,                                                       \
                   sizeof((osw_python_object *[]){__VA_ARGS__}) /              \
                       sizeof(osw_python_object *),                            \
                   (osw_python_object *[]){__VA_ARGS__})

/* Release an answer that carries no value; false: it was NULL (an exception).
 */
bool osw_python_tell(osw_python_object *answer);

/* A new reference to it, or to None for NULL. */
osw_python_object *osw_python_or_none(osw_python_object *o);

/* Fetch and clear the pending exception: its message, and its kind as a number
 * of opsweep_host.py's explain(), never 0.
 */
int osw_python_explain(char *words, size_t size);

/* python_values.c: an argument as Python has it, and a tensor as torch or numpy
 * has it, over the same memory.
 */
osw_python_object *osw_python_value(const osw_arg *a);
osw_python_object *osw_python_tensor(const osw_tensor *t);

/* A tuple of the aliases (output.h) of tensors that the op may write: those
 * that are restored.  `base` is where the zone of the case begins.
 */
osw_python_object *osw_python_declared(const struct osw_case_received *job,
                                       const unsigned char *base);

/* Bytes from a tensor's first element to the end of its last one. */
int64_t osw_python_extent(const osw_tensor *t);

#endif /* OSW_WORKER_SANDBOX_PYTHON_API_H */
