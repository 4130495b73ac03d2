#ifndef BOX_CLIENT_PROVE_H
#define BOX_CLIENT_PROVE_H

#include "box/box.h"

/* One run in slot 0, which is closed before and after. Errors: ERR_SYSTEM "box_unavailable". */
checked bool prove_box(struct box *box, struct err *err);

#endif
