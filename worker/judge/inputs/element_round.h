/* worker/judge/inputs/element_round.h - sums and products that are rounded each
 *
 * A host compiler is told not to contract a * b + c (clones.h); on a device
 * the operation itself says so.  Both give the same bits.
 */
#ifndef OSW_WORKER_JUDGE_ELEMENT_ROUND_H
#define OSW_WORKER_JUDGE_ELEMENT_ROUND_H

#ifdef __CUDA_ARCH__
#define OSW_MUL(a, b) __dmul_rn(a, b)
#define OSW_ADD(a, b) __dadd_rn(a, b)
#else
#define OSW_MUL(a, b) ((a) * (b))
#define OSW_ADD(a, b) ((a) + (b))
#endif

#endif /* OSW_WORKER_JUDGE_ELEMENT_ROUND_H */
