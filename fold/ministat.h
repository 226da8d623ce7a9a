/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare --ministat: the report of FreeBSD's ministat, to the byte, with its options. */
#ifndef FLAMEPIPE_MINISTAT_H
#define FLAMEPIPE_MINISTAT_H

/* argv[0] is passed over; the arguments are ministat's. Returns the exit status. */
int ministat(int argc, char **argv);

#endif
