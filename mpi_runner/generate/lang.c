/* mpi_runner/generate/lang.c - languages that kernels are asked for in */
#include "mpi_runner/generate/lang.h"

const char *const osw_lang_names[] = {"c", "cuda", "triton", "python", NULL};

static const struct osw_lang rows[] = {
    {"c", ".c", "cpu", "contract_c.txt", false},
    {"cuda", ".cu", "cuda", "contract_cuda.txt", false},
    {"triton", ".py", "cuda", "contract_triton.txt", true},
    {"python", ".py", NULL, "contract_python.txt", true},
};

const struct osw_lang *osw_lang_at(int i)
{
    return &rows[i];
}
