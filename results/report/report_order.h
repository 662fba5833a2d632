/* results/report/report_order.h - for functions that qsort() calls */
#ifndef OSW_REPORT_ORDER_H
#define OSW_REPORT_ORDER_H

/* Return from the function, unless a and b are equal. */
#define OSW_REPORT_BY(a, b)                                                    \
    do {                                                                       \
        if ((a) != (b))                                                        \
            return (a) < (b) ? -1 : 1;                                         \
    } while (0)

#endif /* OSW_REPORT_ORDER_H */
