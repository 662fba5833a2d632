"""Values that random inputs do not show, and what torch makes of them."""
import math
import struct

from library_values import D, INF, NAN, T

FLASH = "_scaled_dot_product_flash_attention_for_cpu"
KEYS = T("f32", [1, 1, 3, 2], [1.0, 0.0, 0.0, 1.0, 1.0, 1.0])
VALUES = T("f32", [1, 1, 3, 1], [1.0, 2.0, 4.0])
QUERIES = T("f32", [1, 1, 2, 2], [NAN, 1.0, 1.0, 1.0])
ONES = T("f32", [1, 1, 2, 2], 1.0)
ONE_KEY, LAST = math.exp(math.sqrt(0.5)), math.exp(math.sqrt(2.0))
MEAN = (3 * ONE_KEY + 4 * LAST) / (2 * ONE_KEY + LAST)
NO_FIRST = T("b8", [2, 3], [False, False, False, True, True, True])

# A channel of zeros and an outlier, which comes first.
N = 65536
OUTLIER = struct.unpack("f", struct.pack("f", 1000.1))[0]
MEAN_OF, VARIANCE = OUTLIER / N, OUTLIER**2 * (1 - 1 / N) / N
INVSTD = (VARIANCE + 1e-5) ** -0.5

BIG = 2**53 + 1
ONE = T("i64", [1], 1)

POWER = (pow(3, 2**40, 2**64) + 2**63) % 2**64 - 2**63
X = [1e-8, -1e-5, 0.125, -0.3, 0.5, -1.0, 3.0, -30.0, math.inf]
KERNEL = (T("f32", [1, 1, 1, 3], 1.0), [0], [1, 1], [0, 1], [1, 1], False, [0, 0], 1,
          [False, True, False])
SMALL = T("i8", [2], [1, -1])

# op, arguments, the first output's values (None: not supported), what they may differ by
# (of their size)
CASES = [
    # A query with a NaN has no weights; one that sees no key has zeros.
    ("scaled_dot_product_attention", (QUERIES, KEYS, VALUES), [NAN, MEAN]),
    ("scaled_dot_product_attention", (ONES, KEYS, VALUES, NO_FIRST), [0.0, MEAN]),
    ("scaled_dot_product_attention", (QUERIES, KEYS, VALUES, NO_FIRST), [NAN, MEAN]),
    (FLASH, (QUERIES, KEYS, VALUES), [NAN, MEAN]),
    (FLASH, (ONES, KEYS, VALUES, 0.0, False, NO_FIRST), [0.0, MEAN]),
    ("native_batch_norm",
     (T("f32", [1, 1, 256, 256], [OUTLIER] + [0.0] * (N - 1)), None, None, None, None,
      True, 0.1, 1e-5),
     [(OUTLIER - MEAN_OF) * INVSTD] + [-MEAN_OF * INVSTD] * (N - 1), 1e-5),
    # Integers that no double holds; what a dtype does not hold is cut off.
    ("fill___Scalar", (T("i64", [2], 0), BIG), [BIG, BIG]),
    ("fill___Scalar", (T("i8", [2], 0), 1.7), [1, 1]),
    ("fill___Scalar", (T("b8", [2], False), 2), [True, True]),
    ("fill___Scalar", (T("f32", [2], 0.0), BIG), [2.0**53, 2.0**53]),
    ("new_full", (T("i64", [1], 0), [2], BIG), [BIG, BIG]),
    ("new_full", (T("f32", [1], 0.0), [2], -BIG, D("i64")), [-BIG, -BIG]),
    ("constant_pad_nd", (T("i64", [1], 5), [1, 1], BIG), [BIG, 5, BIG]),
    ("constant_pad_nd", (T("i64", [1], 5), [1, 1]), [0, 5, 0]),
    ("scatter__value", (T("i64", [3], 0), 0, ONE, BIG), [0, BIG, 0]),
    ("index_add", (T("i64", [3], 1), 0, ONE, T("i64", [1], 3), BIG),
     [1, 3 * BIG + 1, 1]),
    ("index_add", (T("i32", [3], 1), 0, ONE, T("i32", [1], 3), 2), [1, 7, 1]),
    ("index_add", (T("f32", [3], 1.0), 0, ONE, T("f32", [1], 3.0), 0.5),
     [1.0, 2.5, 1.0]),
    ("index_add_", (T("i64", [3], 1), 0, ONE, T("i64", [1], 3), BIG),
     [1, 3 * BIG + 1, 1]),
    ("index_add_", (T("i64", [3], 1), 0, ONE, T("i64", [1], 3)), [1, 4, 1]),
    # Negative indices count from the end.
    ("index_fill___int_Scalar", (T("i64", [4], 0), 0, T("i64", [2], [-1, 0]), BIG),
     [BIG, 0, 0, BIG]),
    ("index_fill___int_Scalar", (T("f32", [2, 2], 0.0), 1, T("i32", [1], -2), 2.5),
     [2.5, 0.0, 2.5, 0.0]),
    # A large start leaves what the end has; -0.0 has a size; tanh has every digit.
    ("lerp__Scalar", (T("f32", [1], 1e8), T("f32", [1], 1.0), 1.0), [1.0]),
    ("lerp__Scalar", (T("f32", [1], 1.0), T("f32", [1], 1e8), 0.0), [1.0]),
    ("lerp__Scalar", (T("f64", [1], 1e30), T("f64", [1], 1.0), 1.0), [1.0]),
    ("lerp__Scalar", (T("f32", [1], 2.0), T("f32", [1], 4.0), -1.0), [0.0]),
    ("lerp__Scalar", (T("f32", [1], 2.0), T("f32", [1], 4.0), 0.25), [2.5]),
    ("lerp___Scalar", (T("f32", [1], 1e8), T("f32", [1], 1.0), 1.0), [1.0]),
    ("lerp___Scalar", (T("f32", [1], 2.0), T("f32", [1], 4.0), 0.75), [3.5]),
    ("abs", (T("f32", [3], [-0.0, -1.5, NAN]),), [0.0, 1.5, NAN]),
    ("abs", (T("f64", [2], [-0.0, -1.5]),), [0.0, 1.5]),
    ("abs", (T("i64", [2], [-(2**63), -1]),), [-(2**63), 1]),
    ("tanh", (T("f32", [9], X),), [math.tanh(x) for x in X], 4e-7),
    ("tanh_", (T("f32", [9], X),), [math.tanh(x) for x in X], 4e-7),
    # Powers of integers: they wrap around, and do not take the exponent's steps.
    ("pow__Tensor_Scalar", (T("i64", [3], [3, -1, 2]), 2**40), [POWER, 1, 0]),
    ("pow__Scalar", (3, T("i64", [3], [2**40, 5, -1])), [POWER, 243, 0]),
    ("pow__Scalar", (-1, T("i64", [2], [-3, -2])), [-1, 1]),
    # Gradient of a kernel: an infinity counts for the taps that meet it alone.
    ("convolution_backward",
     (T("f32", [1, 1, 2, 3], 1.0), T("f32", [1, 1, 2, 3], [1.0, 2.0, INF, 4.0, 5.0, 6.0]),
      *KERNEL), [12.0, INF, INF]),
    # Numbers, and tensors without dimensions, become elements of the tensor's dtype.
    ("lt__Scalar", (SMALL, 256), [False, True]),
    ("lt__Scalar", (T("i64", [2], [1, -1]), 256), [True, True]),
    ("lt__Scalar", (SMALL, 1.5), [True, True]),
    ("lt__Tensor", (SMALL, T("i64", [], 256)), [False, True]),
    ("lt__Tensor", (T("i8", [], 1), T("i64", [], 256)), [True]),
    ("gt__Tensor", (T("i64", [], 256), SMALL), [False, True]),
    ("eq__Scalar", (T("u8", [1], 255), -1), [True]),
    ("eq__Scalar", (T("b8", [1], True), 2), [False]),
    ("floor_divide", (SMALL, 300), [0, -1]),
    ("div__Scalar_mode", (SMALL, 300, "floor"), [0, -1]),
    ("div__Scalar_mode", (SMALL, 257, "trunc"), [1, -1]),
    ("div__Tensor_mode", (SMALL, T("i64", [], 257), "trunc"), [1, -1]),
    ("remainder__Scalar", (SMALL, 300), [1, 43]),
    ("remainder__Tensor", (SMALL, T("i64", [], 300)), [1, 43]),
    ("maximum", (SMALL, T("i64", [], 300)), [44, 44]),
    ("minimum", (SMALL, T("i32", [], -300)), [-44, -44]),
    ("clamp", (SMALL, -300, 300), [1, -1]),
    ("clamp", (SMALL, None, 0), [0, -1]),
    # Floats that would be cast to fewer digits before they are added up: not supported.
    *[(op, (T("f32", [2], 1.5), *dim, D("f16")), None)
      for op, dim in (("sum", ()), ("mean", ()), ("cumsum", (0,)),
                      ("sum__dim_IntList", ([0], False)), ("mean__dim", ([0], False)))],
    ("sum", (T("f32", [2], 1.5), D("f64")), [3.0]),
    ("sum", (T("i32", [2], 2), D("f32")), [4.0]),
    ("cumsum", (T("f16", [2], 1.5), 0, D("f32")), [1.5, 3.0]),
]
