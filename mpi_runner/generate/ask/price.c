/* mpi_runner/generate/ask/price.c - what requests cost, and what may be spent
 */
#include "mpi_runner/generate/ask/price.h"

#include <math.h>
#include <stdlib.h>

/* Bytes of text that a token has at least.  Dense code and numbers come to
 * three; reserved is more than that.
 */
#define BYTES_OF_TOKEN 2.0
#define MILLION        1e6

int osw_price_parse(const char *text, struct osw_price *out,
                    struct osw_error *err)
{
    double v[4] = {0, 0, NAN, NAN};
    const char *at = text;
    size_t n = 0;

    *out = (struct osw_price){.in = 0};
    if (!text)
        return 0;
    for (; n < 4; n++) {
        char *end;

        v[n] = strtod(at, &end);
        if (end == at || !(v[n] >= 0 && v[n] <= MILLION) ||
            (*end != ',' && *end != '\0'))
            break;
        at = end + (*end == ',');
        if (*end == '\0') {
            n++;
            at = NULL;
            break;
        }
    }
    if (at || n < 2)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--price': expected IN,OUT[,READ[,WRITE]], two "
                        "to four prices of a million tokens from 0 to "
                        "1000000, found '%.80s'",
                        text);
    *out = (struct osw_price){.in = v[0],
                              .out = v[1],
                              .cache_read = n > 2 ? v[2] : v[0],
                              .cache_write = n > 3 ? v[3] : v[0]};
    return 0;
}

double osw_price_most(const struct osw_price *p, size_t prompt_bytes,
                      uint64_t max_tokens)
{
    double in = fmax(p->in, fmax(p->cache_read, p->cache_write));

    return ((double)prompt_bytes / BYTES_OF_TOKEN * in +
            (double)max_tokens * p->out) /
           MILLION;
}

double osw_price_of(const struct osw_price *p, const struct osw_usage *used)
{
    return ((double)used->in * p->in + (double)used->out * p->out +
            (double)used->cache_read * p->cache_read +
            (double)used->cache_write * p->cache_write) /
           MILLION;
}

bool osw_usage_known(const struct osw_usage *used)
{
    return used->in + used->out + used->cache_read + used->cache_write > 0;
}
