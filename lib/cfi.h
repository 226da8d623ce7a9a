/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information of one object: how, at an address, the caller's registers are found. .eh_frame and .debug_frame as in
   DWARF 5, section 6.4, the Linux Standard Base's .eh_frame_hdr, and x86-64, i386 and AArch64. Nothing in the file is trusted.

   Read here and not by libdwarf: the unwinder asks for one address at a time, from several threads, in bounded memory, of files
   that anybody may have written. */
#ifndef FLAMEPIPE_CFI_H
#define FLAMEPIPE_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/elf.h"
#include "lib/str.h"

/* Where the previous value of a register is. CFA is the canonical frame address. */
enum cfi_kind {
	CFI_SAME, /* still in the register */
	CFI_UNDEFINED, /* nowhere; of the return address: there is no caller */
	CFI_AT_OFFSET, /* in memory at CFA + value */
	CFI_OFFSET, /* it is CFA + value */
	CFI_REGISTER, /* in register value; of the CFA rule: it is register reg + value */
	CFI_AT_EXPRESSION, /* in memory at the address that the expression gives */
	CFI_EXPRESSION /* the expression gives it */
};

struct cfi_rule {
	uint8_t reg; /* DWARF's number */
	uint8_t kind; /* enum cfi_kind */
	int32_t value; /* or where the expression is; see cfi_expression */
};

enum {
	CFI_RULES_MAX =
	    18, /* all registers of x86-64 and the return address, as signal trampolines have them */
	CFI_NREGS = 33 /* registers are numbered below this */
};

/* What holds at one address. Registers without a rule are CFI_SAME. */
struct cfi_row {
	struct cfi_rule cfa;
	bool signal; /* a signal trampoline: the caller was interrupted, it has not made a call */
	uint8_t ra; /* the register that stands for the return address */
	uint8_t nrules;
	struct cfi_rule rules[CFI_RULES_MAX];
};

struct cfi;

/* Reads what the sections need to be searched; e must outlive what is returned, and may have any machine and sections. NULL when
   it has no call frame information that can be used. What is returned never changes, so any number of threads may use it. */
struct cfi *cfi_open(struct elf *e);
void cfi_close(struct cfi *c);

/* The row of a vaddr. False when nothing covers it, or what does is damaged. */
bool cfi_row(const struct cfi *c, uint64_t vaddr, struct cfi_row *row);

/* The bytes of the expression of a rule of c. */
struct span cfi_expression(const struct cfi *c, const struct cfi_rule *rule);

#endif
