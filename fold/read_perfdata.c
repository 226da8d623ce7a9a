/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader of perf.data. */
#include "fold/perfdata.h"
#include "fold/reader.h"
#include "fold/replay.h"

static bool read(struct input *in, struct sink *sink)
{
	struct replay *r = replay_open(sink);
	struct perfdata_losses losses = {0};
	bool good = perfdata_read(in, replay_timeline(r), &losses);

	if (sink_options(sink)->weight == WEIGHT_DEFAULT)
		sink_fact(sink, "weight", SPAN("period"));
	replay_finish(r, REPLAY_PERIOD);
	sink_tally(sink, TALLY_LOST, losses.lost);
	sink_tally(sink, TALLY_DAMAGED, losses.damaged);
	sink_throttled(sink, losses.throttled_ns);
	replay_close(r);
	return good;
}

const struct reader reader_perfdata = {"perf-data", "a perf.data file of perf record", perfdata_probe, read};
