/* where.self - self where the condition is true, else other, by a plain loop */
#define OSW_PLAIN_MASKED
#define OSW_PLAIN_OPERANDS 3
#include "../shared/plain.h"

static const struct osw_rule rule = {.n = 3, .arg = {0, 1, 2}, .promote = 6};

OSW_PLAIN_FLOATS(floats, m ? b : c)
OSW_PLAIN_INTS(ints, m ? b : c)

int where__self_kernel_impl(const osw_call *call)
{
    return osw_plain_run_masked(call, &rule, 0, &floats, &ints);
}
