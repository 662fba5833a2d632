/* tests/fuzz/fuzz_json.c - any bytes as a JSON document */
#include <stdint.h>
#include <stdlib.h>

#include "common/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read a value as everything; exactly one of the types must do. */
static void visit(const osw_json_t *v)
{
    struct osw_error err = OSW_ERROR_INIT;
    const char *s;
    int64_t i;
    bool b;
    int fits;

    fits = (osw_json_str(v, &s, &err) == 0) + (osw_json_i64(v, &i, &err) == 0) +
           (osw_json_bool(v, &b, &err) == 0) +
           (osw_json_expect(v, OSW_JSON_FLOAT, &err) == 0) +
           (osw_json_expect(v, OSW_JSON_NULL, &err) == 0) +
           (osw_json_expect(v, OSW_JSON_LIST, &err) == 0) +
           (osw_json_expect(v, OSW_JSON_OBJECT, &err) == 0);
    if (fits != 1 || err.status != OSW_BAD_INPUT)
        abort();
    for (size_t k = 0; k < osw_json_size(v); k++)
        visit(osw_json_at(v, k));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const allowed[] = {"name", "schema", "fill", NULL};
    struct osw_error err = OSW_ERROR_INIT;
    osw_json_t *root =
        osw_json_parse((const char *)data, size, "fuzz.json", &err);

    if (!root != (err.status != OSW_OK))
        abort();
    if (!root)
        return 0;
    visit(root);
    if (osw_json_only_keys(root, allowed, &err) < 0 &&
        err.status != OSW_BAD_INPUT)
        abort();
    osw_json_free(root);
    return 0;
}
