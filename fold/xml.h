/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pull parser for the XML that profilers and flame graph tools write. It is lenient and bounded: what is not well-formed is
   passed over as text, no entity is expanded but the five of XML itself and numbers, and nothing is nested in memory. */
#ifndef FLAMEPIPE_XML_H
#define FLAMEPIPE_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/str.h"

enum xml_kind {
	XML_END, /* of the input */
	XML_OPEN, /* <name attributes> */
	XML_EMPTY, /* <name attributes/> */
	XML_CLOSE, /* </name> */
	XML_TEXT, /* between tags, and CDATA; comments, declarations and processing instructions are passed over */
};

/* A place in a text. Zeroed but for rest is a start. */
struct xml {
	struct span rest;
	struct span name; /* of the tag, as written */
	struct span attributes; /* what follows the name */
	struct span text; /* as written: entities are not expanded, unless is_cdata */
	bool is_cdata; /* text is literal */
};

enum xml_kind xml_next(struct xml *x);

/* The value of an attribute of the present tag, as written; false when it has none. */
bool xml_attribute(const struct xml *x, struct span name, struct span *value);

/* Appends text with its entities expanded. What is no such entity stays as it is. */
void xml_unescape(struct str *out, struct span text);

#endif
