/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GHC's encoding of names that no linker would take. */
#ifndef FLAMEPIPE_HASKELL_H
#define FLAMEPIPE_HASKELL_H

#include <stdbool.h>

#include "lib/str.h"

/* Appends what "base_GHCziBase_map_info" stands for, "base_GHC.Base_map_info". False, with nothing added, for names that are not
   PACKAGE_MODULE_NAME_KIND with an encoded character: ordinary names have a z too. */
bool haskell_decode(struct str *out, struct span name);

#endif
