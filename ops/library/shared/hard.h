/* shared/hard.h - a sigmoid of three straight lines */
#ifndef OSW_LIBRARY_HARD_H
#define OSW_LIBRARY_HARD_H

/* v between 0 and 6; NaN stays. */
#define OSW_HARD_RELU6(v) ((v) < 0 ? 0 : (v) > 6 ? 6 : (v))

#define OSW_HARD_SIGMOID(v) (OSW_HARD_RELU6((v) + 3) / 6)

#endif /* OSW_LIBRARY_HARD_H */
