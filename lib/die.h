/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages on stderr, each "PROGRAM: text", and the exits that go with them. */
#ifndef FLAMEPIPE_DIE_H
#define FLAMEPIPE_DIE_H

/* Exit statuses shared by all programs. */
enum { EXIT_USAGE = 2 };

/* Prints "PROGRAM: text\n" and goes on. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "PROGRAM: text\n" and exits with status 1: the environment or the input failed. Only main files and the
   allocators call it: a library function that can fail for another reason returns its failure. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* As die, followed by ": " and strerror(errno). */
_Noreturn void die_errno(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints "PROGRAM: text\n" and "PROGRAM: try 'PROGRAM --help'\n", and exits with EXIT_USAGE. */
_Noreturn void die_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Opens /dev/null for whichever of standard input, output and error the program was started without, so that no file of its own
   takes their place. The first call of a main that opens files. */
void keep_standard_descriptors(void);

/* Flushes and closes stdout and dies if any byte was not written (a full disk, /dev/full). The last call of every main. */
void close_stdout(void);

#endif
