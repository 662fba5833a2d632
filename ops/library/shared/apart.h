/* shared/apart.h - functions of many ops, compiled with each of them or once
 *
 * A file of an op needs nothing but the headers that it includes: what it uses
 * of them is compiled with it.  Where all ops are compiled (make), that is most
 * of the work.  With OSW_APART these headers only declare such functions, and
 * what apart_*.c make of them, once, is linked to each op (opsweep build
 * --apart).
 *
 * A header includes this, declares its functions with OSW_APART_CALL, and has
 * what makes them between #if OSW_APART_BODIES and #endif.  Both kinds of build
 * read the same headers.  There is no include guard: apart_plain.c changes its
 * mind.
 */
#undef OSW_APART_CALL
#undef OSW_APART_BODIES

#if defined(__cplusplus) /* CUDA */
#define OSW_APART_CALL   static inline
#define OSW_APART_BODIES 1
#elif defined(OSW_APART_MAKE)
#define OSW_APART_CALL   __attribute__((visibility("hidden")))
#define OSW_APART_BODIES 1
#elif defined(OSW_APART)
#define OSW_APART_CALL   __attribute__((visibility("hidden")))
#define OSW_APART_BODIES 0
#else
#define OSW_APART_CALL   static inline
#define OSW_APART_BODIES 1
#endif
