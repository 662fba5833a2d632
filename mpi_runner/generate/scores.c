/* mpi_runner/generate/scores.c - scores of a run by the definitions of
 * KernelBench and BackendBench */
#include "mpi_runner/generate/scores.h"

#include <math.h>

const double osw_generate_p[OSW_GENERATE_N_P] = {0.5, 0.8, 1, 1.5, 2};

struct osw_generate_scores
osw_generate_scores_of(const struct osw_generate_score *ops, size_t n)
{
    struct osw_generate_scores s = {.n_ops = n, .performance = NAN};
    bool any_timed = false;
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        any_timed = any_timed || ops[i].speedup > 0;
    for (size_t i = 0; i < n; i++) {
        s.n_right += ops[i].right;
        for (int p = 0; p < OSW_GENERATE_N_P; p++)
            s.n_above[p] += ops[i].right && ops[i].speedup > osw_generate_p[p];
        if (!any_timed || (ops[i].right && !(ops[i].speedup > 0)))
            continue;
        sum += ops[i].right ? log(ops[i].speedup) : 0;
        s.n_perf++;
    }
    if (s.n_perf > 0)
        s.performance = exp(sum / (double)s.n_perf);
    return s;
}

void osw_generate_starts(const struct osw_attempt *attempts, size_t n,
                         uint32_t *n_starts, uint32_t *n_right)
{
    *n_starts = *n_right = 0;
    for (size_t i = 0; i < n; i++) {
        const struct osw_attempt *a = &attempts[i], *of = a;

        if (a->parent != 0 || !osw_attempt_over(a))
            continue;
        if (a->outcome == OSW_OUTCOME_DUPLICATE && a->twin > 0 && a->twin <= n)
            of = &attempts[a->twin - 1];
        ++*n_starts;
        *n_right += of->outcome == OSW_OUTCOME_JUDGED &&
                    osw_attempt_right(&of->verdict);
    }
}

double osw_generate_pass_at(uint32_t n, uint32_t c, uint32_t k)
{
    double none = 1;

    if (n < k || k == 0)
        return NAN;
    if (n - c < k)
        return 1;
    for (uint32_t i = n - c + 1; i <= n; i++)
        none *= 1 - (double)k / i;
    return 1 - none;
}
