/* tests/fuzz/fuzz_schema_yaml.c - any bytes as a YAML file of operators
 *
 * Lines never go back, messages name a column, and what is too long stays
 * bounded.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ops/notation/schema.h"
#include "ops/notation/schema_yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good)
        abort();
}

static int take(void *arg, const struct osw_schema_yaml_found *found,
                struct osw_error *err)
{
    uint64_t *n_lines = arg;

    (void)err;
    require(found->line > 0 && found->line <= *n_lines);
    require((found->text != NULL) != (found->wrong != NULL));
    if (found->wrong)
        require(strncmp(found->wrong, "column ", 7) == 0);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t n_lines = 0;
    struct osw_schema_yaml y = OSW_SCHEMA_YAML_INIT(take, &n_lines);
    struct osw_error err = OSW_ERROR_INIT;
    const char *text = (const char *)data, *end = text + size;

    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((stop ? stop : end) - text);
        char *line = malloc(n ? n : 1); /* not a byte more: its end is seen */

        require(line != NULL);
        memcpy(line, text, n);
        (void)osw_schema_yaml_begins(line, n);
        n_lines++;
        require(osw_schema_yaml_line(&y, n_lines, line, n, &err) == 0);
        free(line);
        text = stop ? stop + 1 : end;
    }
    require(osw_schema_yaml_end(&y, &err) == 0);
    osw_schema_yaml_free(&y);
    return 0;
}
