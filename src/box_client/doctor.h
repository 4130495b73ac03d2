#ifndef BOX_CLIENT_DOCTOR_H
#define BOX_CLIENT_DOCTOR_H

#include "box/box.h"

/* The first needed thing that is missing, as ERR_SYSTEM "box_unavailable" with its remedy. */
checked bool doctor_check(struct err *err);

#endif
