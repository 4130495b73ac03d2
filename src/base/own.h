#ifndef BASE_OWN_H
#define BASE_OWN_H

/* Every resource has one owner that is visible where the variable is declared:
 *
 *     own(arena) arena = arena_create(REQUEST_BYTES_MAX);
 *     own_fd fd = -1;
 *
 * The hook runs when the variable leaves its scope. Initialise every own variable on its line, and
 * hand it on with take(x), which leaves NULL behind (take_fd leaves -1). */

#define own(type) __attribute__((cleanup(type##_cleanup))) struct type *
#define own_fd __attribute__((cleanup(fd_cleanup))) int
#define own_text __attribute__((cleanup(text_cleanup))) char *

/* Generates the hook own() needs; `free_fn` must accept NULL. */
#define OWN_DEFINE(type, free_fn)                                                                  \
    static inline void type##_cleanup(struct type **object) {                                      \
        free_fn(*object);                                                                          \
    }

#define take(x)                                                                                    \
    __extension__({                                                                                \
        __typeof__(x) taken_ = (x);                                                                \
        (x) = NULL;                                                                                \
        taken_;                                                                                    \
    })

static inline int take_fd(int *fd) {
    int taken = *fd;
    *fd = -1;
    return taken;
}

void fd_cleanup(int *fd);       /* closes unless negative; keeps errno */
void text_cleanup(char **text); /* free() */

#endif
