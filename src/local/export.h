#ifndef LOCAL_EXPORT_H
#define LOCAL_EXPORT_H

#include "local/loaded.h"

/* Writes a loaded problem as an ICPC package of 2025-09 into `folder`, which must not be there yet.
 * What that form cannot say stands in assize.manifest beside it, so that reading it here gives the
 * same manifest.
 * Errors: ERR_CONFLICT "exists"; ERR_SYSTEM. */
checked bool export_folder(const struct loaded *loaded, const char *folder, struct err *err);

#endif
