/* common/decimal.c - doubles as decimal text, fast
 *
 * A number of n digits is v * 10^k with k = n - 1 - exponent, rounded.  Powers
 * of ten up to 10^27 are exact in 64 bits of mantissa, so that the product (or
 * quotient) is off by half a unit of its last place, once.  Where the digits
 * are not clear within twice that, printf and strtod decide, and so they do for
 * numbers out of range and on machines with shorter long doubles.
 */
#include "common/decimal.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POWER = 27, LEAST_EXPONENT = -9, MOST_EXPONENT = 14 };

static const long double powers[MAX_POWER + 1] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
    1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* v * 10^k, k from -MAX_POWER to MAX_POWER. */
static long double scale(double v, int k)
{
    return k >= 0 ? (long double)v * powers[k] : (long double)v / powers[-k];
}

/* What scale() may be off by, twice over. */
static long double slack(long double scaled)
{
    return scaled * 0x1p-63L;
}

/* v > 0 as mantissa * 2^(result), mantissa from 1 to below 2. */
static int split(double v, double *mantissa)
{
    uint64_t bits;
    int two;

    memcpy(&bits, &v, sizeof(bits));
    two = (int)(bits >> 52) - 1023;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    memcpy(mantissa, &bits, sizeof(bits));
    return two;
}

/* The decimal exponent of v > 0 if it is in range. */
static bool find_exponent(double v, int *exponent)
{
    double mantissa;
    int e;

    if (LDBL_MANT_DIG < 64 || !(v >= 1e-9 && v < 1e15))
        return false;
    e = split(v, &mantissa) * 1233 >> 12; /* log10(2); at most one too low */
    if (e < LEAST_EXPONENT)
        e = LEAST_EXPONENT;
    if (e + 1 >= 0 ? v >= (double)powers[e + 1] : scale(v, -(e + 1)) >= 1)
        e++;
    *exponent = e;
    return true;
}

/* The first `digits` digits of v > 0, which has that exponent; false: unclear.
 * One more digit where rounding carries: 10^digits.
 */
static bool find_digits(double v, int exponent, int digits, uint64_t *out)
{
    int k = digits - 1 - exponent;
    long double scaled;
    long long n;

    /* 24 bits times the 28 of 5^12: nothing is lost, ties go to even. */
    if (k >= 0 && k <= 12 && (double)(float)v == v) {
        *out = (uint64_t)llrint(v * (double)powers[k]);
        return true;
    }
    scaled = scale(v, k);
    n = llrintl(scaled);
    if (fabsl(scaled - (long double)n) >= 0.5L - slack(scaled))
        return false;
    *out = (uint64_t)n;
    return true;
}

/* Is that decimal read as v?  -1: unclear. */
static int reads_back(double v, int exponent, int digits, uint64_t decimal)
{
    long double scaled = scale(v, digits - 1 - exponent), half, off;
    double mantissa;

    (void)split(v, &mantissa);
    if (mantissa == 1)
        return -1; /* a power of two: its neighbours are not equally far */
    half = scaled * 0x1p-53L / (long double)mantissa; /* of its last place */
    off = fabsl((long double)decimal - scaled);
    if (fabsl(off - half) <= 2 * slack(scaled))
        return -1;
    return off < half;
}

/* As %g does: without zeros at the end; exponents from -5 down as such. */
static size_t print(char *out, bool negative, uint64_t decimal, int digits,
                    int exponent)
{
    char text[24] = "", *s = out;
    int n = 0;

    if (decimal >= (uint64_t)powers[digits]) {
        decimal /= 10;
        exponent++;
    }
    for (int i = digits - 1; i >= 0; i--) {
        text[i] = (char)('0' + decimal % 10);
        decimal /= 10;
        if (n == 0 && text[i] != '0')
            n = i + 1;
    }
    if (negative)
        *s++ = '-';
    if (exponent < -4) {
        *s++ = text[0];
        if (n > 1)
            *s++ = '.';
        for (int i = 1; i < n; i++)
            *s++ = text[i];
        *s++ = 'e';
        *s++ = '-';
        *s++ = (char)('0' - exponent / 10);
        *s++ = (char)('0' - exponent % 10);
        *s = '\0';
        return (size_t)(s - out);
    }
    for (int i = exponent; i < 0; i++) {
        *s++ = '0';
        if (i == exponent)
            *s++ = '.';
    }
    for (int i = 0; i < n || i <= exponent; i++) {
        *s++ = i < n ? text[i] : '0';
        if (i == exponent && n > i + 1)
            *s++ = '.';
    }
    *s = '\0';
    return (size_t)(s - out);
}

static size_t print_slowly(char *out, double v, int digits)
{
    int n = snprintf(out, OSW_DECIMAL_MAX, "%.*g", digits, v);

    return n > 0 ? (size_t)n : 0;
}

size_t osw_decimal_put(char out[OSW_DECIMAL_MAX], double v, int digits)
{
    double size = fabs(v);
    uint64_t decimal;
    int exponent;

    /* Beyond its digits %g takes an exponent, which is left to it. */
    return find_exponent(size, &exponent) && exponent < digits - 1 &&
                   find_digits(size, exponent, digits, &decimal)
               ? print(out, v < 0, decimal, digits, exponent)
               : print_slowly(out, v, digits);
}

static size_t shortest_slowly(char *out, double v)
{
    size_t n = 0;

    for (int digits = 15; digits <= 17; digits++) {
        n = print_slowly(out, v, digits);
        if (strtod(out, NULL) == v)
            break;
    }
    return n;
}

size_t osw_decimal_shortest(char out[OSW_DECIMAL_MAX], double v)
{
    double size = fabs(v);
    uint64_t decimal;
    int exponent;

    if (v == 0 && !signbit(v)) {
        strcpy(out, "0");
        return 1;
    }
    if (!find_exponent(size, &exponent) || exponent == MOST_EXPONENT)
        return shortest_slowly(out, v);
    for (int digits = 15; digits <= 17; digits++) {
        int same;

        if (!find_digits(size, exponent, digits, &decimal))
            break;
        same = digits == 17 ? 1 : reads_back(size, exponent, digits, decimal);
        if (same < 0)
            break;
        if (same)
            return print(out, v < 0, decimal, digits, exponent);
    }
    return shortest_slowly(out, v);
}

static size_t print_u64(char *out, uint64_t v)
{
    char digits[20];
    size_t n = 0;

    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    for (size_t i = 0; i < n; i++)
        out[i] = digits[n - 1 - i];
    out[n] = '\0';
    return n;
}

size_t osw_decimal_u64(char out[OSW_DECIMAL_MAX], uint64_t v)
{
    return print_u64(out, v);
}

size_t osw_decimal_i64(char out[OSW_DECIMAL_MAX], int64_t v)
{
    if (v >= 0)
        return print_u64(out, (uint64_t)v);
    *out = '-';
    return 1 + print_u64(out + 1, 0 - (uint64_t)v);
}
