/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one place where bytes become XML text. */
#ifndef FLAMEPIPE_XML_H
#define FLAMEPIPE_XML_H

#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

/* Appends s as character data that is also good inside an attribute in double quotes. What is no UTF-8 or no XML character
   becomes U+FFFD, byte by byte. */
void xml_escape(struct str *out, struct span s);

/* Characters of s, a byte that is no UTF-8 counting as one. */
size_t utf8_length(struct span s);

/* The first n characters of s. */
struct span utf8_prefix(struct span s, size_t n);

/* The first character of s, which is UTF-8 and not empty. */
uint32_t utf8_point(struct span s);

#endif
