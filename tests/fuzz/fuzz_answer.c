/* tests/fuzz/fuzz_answer.c - any bytes as an endpoint's response, in any
 * pieces, and its text as a model's answer */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_runner/generate/ask/answer.h"
#include "mpi_runner/generate/ask/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_for_code(const char *text, size_t n)
{
    static const char symbol[] = "f_kernel_impl";
    struct osw_text plain = OSW_TEXT_INIT;
    const char *code = NULL;
    size_t used = 0;

    if (osw_extract(text, n, symbol, &code, &used) == OSW_OUTCOME_ANSWERED) {
        if (code < text || code + used > text + n)
            abort();
        osw_extract_plain(code, used, n % 2, &plain);
        if (plain.used > 4097 * (used + 1))
            abort();
    }
    osw_text_free(&plain);
}

/* The first byte: style in its lowest bit, size of the pieces in the others. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data + 1;
    struct osw_answer a;
    const char *why;
    size_t step;

    if (size == 0)
        return 0;
    step = 1 + (size_t)(data[0] >> 1);
    osw_answer_begin(&a,
                     data[0] & 1 ? OSW_ANSWER_OPENAI : OSW_ANSWER_ANTHROPIC);
    for (size_t at = 0; at < size - 1; at += step)
        if (!osw_answer_feed(&a, bytes + at,
                             at + step < size - 1 ? step : size - 1 - at))
            break;
    if (osw_answer_end(&a, &why) == OSW_OUTCOME_FAILED && !*why)
        abort();
    look_for_code(osw_text_str(&a.text) ? a.text.data ? a.text.data : "" : "",
                  a.text.data ? a.text.used : 0);
    look_for_code(bytes, size - 1);
    osw_answer_free(&a);
    return 0;
}
