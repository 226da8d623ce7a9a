/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine that the readers of binary profiles share: counts each distinct stack of places while the samples pass by, and
   names every distinct place once, at the end. */
#ifndef FLAMEPIPE_REPLAY_H
#define FLAMEPIPE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/sink.h"
#include "fold/timeline.h"

struct replay;

/* sink is borrowed. */
struct replay *replay_open(struct sink *sink);
void replay_close(struct replay *r);

/* Where the reader pushes what it finds. */
struct timeline *replay_timeline(struct replay *r);

/* How a sample counts unless --weight says otherwise: by its period, or by that divided by the nominal one. */
enum replay_weight { REPLAY_PERIOD, REPLAY_NOMINAL };

/* Names every place and hands each distinct stack to the sink. To be called once, after the last flush. */
void replay_finish(struct replay *r, enum replay_weight weight);

#endif
