"""tests/chaos/ops.py - op folders whose verdicts do not depend on luck

make(root, cases, ms): two ops with so many cases each; of their
implementations one is right, one takes ms milliseconds a call, one is wrong,
one refuses every third case, and one crashes in two cases.  The third argument
is for nothing but size: small cases would be judged many at a time.
"""
import os

REFERENCE = '''#include <opsweep/elements.h>

int {op}_reference(const osw_call *call)
{{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    double *exact = y ? osw_output_exact(call, 0) : NULL;

    if (!exact)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        exact[i] = {exact};
    return 0;
}}
'''

KERNEL = '''#include <stdlib.h>
#include <time.h>

#include <opsweep/op.h>

int {op}_kernel_impl(const osw_call *call)
{{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    struct timespec t = {{0, {ms} * 1000000}};
    float a = (float)osw_arg_float(call, 1, 1.0);
    int64_t rows = x->shape[0];
    osw_tensor *y;

    (void)rows;
    {before}
    y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    if (!y)
        return OSW_ERROR;
    nanosleep(&t, NULL);
    for (int64_t i = 0; i < osw_numel(x); i++)
        ((float *)osw_data(y))[i] =
            {after}({value} * ((const float *)osw_data(x))[i]);
    return 0;
}}
'''

#         name      before                               after      slow
KERNELS = [('plain', '', '(float)', False),
           ('slow', '', '(float)', True),
           ('wrong', '', '1 + (float)', False),
           ('picky', 'if (rows % 3 == 0) return OSW_UNSUPPORTED;', '(float)',
            False),
           ('crashy', 'if (rows == 5 || rows == 9) abort();', '(float)', False)]

OPS = [('scale', 'osw_arg_float(call, 1, 1.0) * osw_get(x, i)', 'a'),
       ('twice', '2 * osw_arg_float(call, 1, 1.0) * osw_get(x, i)', '2 * a')]


def write(path, text):
    with open(path, 'w') as f:
        f.write(text)


def make(root, cases, ms):
    """Returns the number of cells."""
    for op, exact, value in OPS:
        folder = os.path.join(root, op)
        os.makedirs(folder)
        rows = ', '.join(str(n) for n in range(1, cases + 1))
        write(os.path.join(folder, 'gen_input.json'),
              '{"correctness": [{"case": "((T([{n}, 7], f32), 1.5, '
              'T([70000], f32)), {})", '
              '"for": {"n": [%s]}}]}\n' % rows)
        write(os.path.join(folder, op + '_reference.c'),
              REFERENCE.format(op=op, exact=exact))
        for name, before, after, slow in KERNELS:
            write(os.path.join(folder, f'{op}_{name}.c'),
                  KERNEL.format(op=op, before=before, after=after,
                                ms=ms if slow else 0, value=value))
    return len(OPS) * cases * len(KERNELS)
