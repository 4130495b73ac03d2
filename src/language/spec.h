#ifndef LANGUAGE_SPEC_H
#define LANGUAGE_SPEC_H

#include "data/yaml.h"
#include "language/language.h"

/* One spec file. Private to the language module. */

#define SPEC_SUPPORT_BYTES_MAX (1 * MIB) /* of one support file */

/* What reading one spec needs at hand. */
struct spec {
    struct arena *arena; /* the set's */
    const struct yaml *root;
    const char *folder; /* languages/<id> */
    struct language *language;
};

/* Fills everything but id and digest. Errors: ERR_INVALID "bad_yaml" with file and line. */
checked bool spec_read(const struct spec *spec, struct err *err);

#endif
