/* reduced.h - log(sum(exp(x))): few elements that change in a timed call hardly
 * move it */
#ifndef REDUCED_H
#define REDUCED_H

#include <math.h>

#include "../../attack.h"

static double reduce(const osw_tensor *x)
{
    double sum = 0;

    for (int64_t i = 0; i < osw_numel(x); i++)
        sum += exp((double)((const float *)osw_data(x))[i]);
    return log(sum);
}

#endif /* REDUCED_H */
