/* worker/sandbox/python_api.c - what is used of the interpreter */
#include "worker/sandbox/python_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct osw_python_api osw_py;

int osw_python_find_functions(void)
{
#define X(type, name, symbol, parameters)                                      \
    {                                                                          \
        void *found = dlsym(RTLD_DEFAULT, symbol);                             \
        if (!found) {                                                          \
            fprintf(stderr, "sandbox: this python has no %s\n", symbol);       \
            return -1;                                                         \
        }                                                                      \
        memcpy(&osw_py.name, &found, sizeof(found));                           \
    }
    PYTHON_MAP(X)
#undef X
    return 0;
}

osw_python_object *osw_python_text(const char *s)
{
    return osw_py.Text(s, (ssize_t)strlen(s), "replace");
}

osw_python_object *osw_python_pack(ssize_t n, osw_python_object *const *items)
{
    osw_python_object *tuple = osw_py.Tuple(n);
    bool whole = tuple != NULL;

    for (ssize_t i = 0; i < n; i++)
        if (!items[i])
            whole = false;
        else if (tuple)
            osw_py.SetItem(tuple, i, items[i]);
        else
            osw_py.Drop(items[i]);
    if (!whole && tuple)
        osw_py.Drop(tuple);
    return whole ? tuple : NULL;
}

osw_python_object *osw_python_ask(const char *name, ssize_t n,
                                  osw_python_object *const *items)
{
    osw_python_object *args = osw_python_pack(n, items), *method = NULL,
                      *answer = NULL;

    if (args)
        method = osw_py.GetAttr(osw_py.host, name);
    if (method)
        answer = osw_py.Call(method, args, NULL);
    if (method)
        osw_py.Drop(method);
    if (args)
        osw_py.Drop(args);
    return answer;
}
bool osw_python_tell(osw_python_object *answer)
{
    if (answer)
        osw_py.Drop(answer);
    return answer != NULL;
}

osw_python_object *osw_python_or_none(osw_python_object *o)
{
    o = o ? o : osw_py.none;
    osw_py.Keep(o);
    return o;
}

int osw_python_explain(char *words, size_t size)
{
    osw_python_object *what[3] = {NULL, NULL, NULL}, *answer;
    int code = OSW_ERROR;
    const char *s;

    osw_py.Fetch(&what[0], &what[1], &what[2]);
    osw_py.Normalize(&what[0], &what[1], &what[2]);
    answer = OSW_PYTHON_ASK("explain", osw_python_or_none(what[1]),
                            osw_python_or_none(what[2]));
    snprintf(words, size, "an exception that could not be shown");
    if (answer) {
        code = (int)osw_py.AsInt(osw_py.Item(answer, 0));
        s = osw_py.AsText(osw_py.Item(answer, 1), NULL);
        if (s)
            snprintf(words, size, "%s", s);
        osw_py.Drop(answer);
    }
    osw_py.Clear();
    for (int i = 0; i < 3; i++)
        if (what[i])
            osw_py.Drop(what[i]);
    return code ? code : OSW_ERROR;
}
