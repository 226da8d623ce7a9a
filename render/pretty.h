/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other forms of an XML document that this program has written. */
#ifndef FLAMEPIPE_PRETTY_H
#define FLAMEPIPE_PRETTY_H

#include "lib/str.h"

/* One element a line, indented by its depth. Text stays as it is. */
void xml_indent(struct str *document);

/* Whatever is not ASCII as a number, so that the document is right in every encoding that has ASCII in it. */
void xml_to_ascii(struct str *document);

#endif
