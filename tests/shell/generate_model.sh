#!/bin/sh
# tests/shell/generate_model.sh - a scripted model for test_generate.sh
#
# The prompt is on standard input, the answer goes to standard output: first code
# that is wrong, then right and slow, then right and fast.  What it was asked is
# counted in $MODEL_LOG.  A prompt without the op's ABI is answered by nothing.
set -eu
prompt=$(cat)
echo "$OPSWEEP_OP $OPSWEEP_ATTEMPT" >>"${MODEL_LOG:-/dev/null}"
case $prompt in *'osw_output_alias'*) ;; *) exit 3 ;; esac

# body EXPRESSION [SLOW]: the file
body() {
    cat <<C
\`\`\`c
#include <opsweep/op.h>

int scale_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    float a = (float)osw_arg_float(call, 1, 1.0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    const float *in = osw_data(x);
    float *out;

    if (!y)
        return OSW_ERROR;
    out = osw_data(y);
    ${2:-}
    for (int64_t i = 0; i < osw_numel(x); i++)
        out[i] = $1;
    return 0;
}
\`\`\`
C
}

slow='for (int k = 0; k < 4; k++) for (int64_t i = 0; i < osw_numel(x); i++) ((volatile float *)out)[i] = 0;'
echo 'A draft first:'
body 'in[i]' | sed 's/kernel_impl/draft/'
echo 'And the kernel:'
case $prompt in
*'It is right. Write a faster version'*) body 'a * in[i]' ;;
*'It is not right yet'*) body 'a * in[i]' "$slow" ;;
*) body 'a + in[i]' ;;
esac
