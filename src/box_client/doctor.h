#ifndef BOX_CLIENT_DOCTOR_H
#define BOX_CLIENT_DOCTOR_H

#include "box/box.h"

/* One line of `assize box doctor`. */
struct box_requirement {
    char name[64];
    bool found;
    bool needed; /* false: only an improvement */
    char detail[160];
    char remedy[160];
};

/* Fills at most `max` rows; returns how many there are. Needs no running box. */
size_t box_doctor(struct box_requirement *rows, size_t max);

/* The first needed thing that is missing, as ERR_SYSTEM "box_unavailable" with its remedy. */
checked bool doctor_check(struct err *err);

#endif
