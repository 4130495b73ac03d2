#ifndef BASE_CK_H
#define BASE_CK_H

/* Arithmetic on anything that came from outside: true when the result fits, else *ret is undefined.
 * <stdckdint.h> is not in gcc 12. */
#define ck_add(a, b, ret) (!__builtin_add_overflow((a), (b), (ret)))
#define ck_sub(a, b, ret) (!__builtin_sub_overflow((a), (b), (ret)))
#define ck_mul(a, b, ret) (!__builtin_mul_overflow((a), (b), (ret)))

#endif
