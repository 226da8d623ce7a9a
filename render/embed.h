/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole profile as text that travels inside a picture: "THE PROFILE INSIDE A PICTURE" of folded(5). */
#ifndef FLAMEPIPE_EMBED_H
#define FLAMEPIPE_EMBED_H

#include "lib/str.h"
#include "lib/tree.h"

/* Appends base64 of the compressed profile, header being the "# flamepipe" line or empty. */
void embed_profile(struct str *out, const struct tree *t, struct span header);

/* Appends base64 of bytes, in lines of 76 characters. */
void embed_base64(struct str *out, struct span bytes);

#endif
