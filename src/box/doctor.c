/* What the machine must have, one row each: for assize-box at its start and for `box doctor`. */
#include "box/doctor.h"

#include "box/cgroup.h"
#include "box/cgroup_file.h"
#include "box/message.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

bool doctor_check(struct err *err) {
    (void)err;
    return true;
}
