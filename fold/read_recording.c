/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of recordings. */
#include "fold/reader.h"
#include "fold/recorded.h"
#include "fold/replay.h"
#include "lib/recording.h"

/* One recording of those in the input; false when it is damaged. */
static bool read_one(struct recorded *recorded, struct sink *sink, bool *more)
{
	struct replay *r = replay_open(sink);
	struct recorded_losses losses;
	bool good = recorded_read(recorded, replay_timeline(r), &losses, more);

	replay_finish(r, REPLAY_NOMINAL);
	sink_tally(sink, TALLY_LOST, losses.lost);
	sink_tally(sink, TALLY_OWN, losses.own);
	sink_tally(sink, TALLY_DAMAGED, losses.damaged);
	sink_throttled(sink, losses.throttled_ns);
	replay_close(r);
	return good;
}

static bool read(struct input *in, struct sink *sink)
{
	struct recorded *recorded = recorded_open(in);
	bool good = recorded != NULL, more = good;

	if (sink_options(sink)->weight == WEIGHT_DEFAULT)
		sink_fact(sink, "weight", SPAN("samples"));
	while (more) {
		good = read_one(recorded, sink, &more) && good;
		if (more)
			sink_begin(sink);
	}
	recorded_close(recorded);
	return good;
}

const struct reader reader_recording = {"recording", "a recording of collect", recording_probe, read};
