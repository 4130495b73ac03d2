#ifndef LOCAL_RIGHTS_H
#define LOCAL_RIGHTS_H

#include "base/err.h"
#include <sys/types.h>

#define RIGHTS_NOBODY 65534

/* What a local command may still do once assize-box runs. An ordinary user keeps what he has. Under
 * sudo the process becomes the user who called it, for good, with his groups: it reads what he can
 * read. As plain root it becomes `nobody` and keeps one right of root's, to read files, because the
 * package may be anywhere; it can write nothing of anyone's. No way back in either case, and no new
 * privileges by executing anything. */
checked bool rights_drop(struct err *err);

/* The user who called root by sudo; 0: this is not root, or nobody did. */
uid_t rights_sudo_uid(void);

#endif
