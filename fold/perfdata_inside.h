/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two halves of the perf.data reader share: records in perfdata.c, what the file tells of itself in perfdata_header.c. */
#ifndef FLAMEPIPE_PERFDATA_INSIDE_H
#define FLAMEPIPE_PERFDATA_INSIDE_H

#include "fold/perfdata.h"
#include "fold/verbatim.h"
#include "lib/compress.h"

/* Records that perf itself adds. */
enum {
	PERFDATA_ATTR = 64,
	PERFDATA_TRACING = 66,
	PERFDATA_BUILD_ID = 67,
	PERFDATA_FINISHED_ROUND = 68,
	PERFDATA_AUXTRACE = 71,
	PERFDATA_EVENT_UPDATE = 78,
	PERFDATA_FEATURE = 80,
	PERFDATA_COMPRESSED = 81,
	PERFDATA_COMPRESSED2 = 83,
};

enum { NTHROTTLED = 1024 };

struct event_id {
	uint64_t id;
	uint32_t event; /* number + 1; 0 = a free slot */
};

struct throttled {
	uint64_t stream, since;
};

struct perfdata {
	struct input *in;
	struct timeline *timeline;
	struct perfdata_losses *losses;
	bool swap;
	struct perfrec_attr *attrs; /* by number of the event */
	uint32_t nattrs;
	size_t attrs_cap;
	struct event_id *ids; /* a hash table */
	size_t nids, nslots;
	struct verbatim verbatim;

	struct unzstd *unzstd;
	struct str unpacked; /* the part of a record whose rest is in the next compressed one */
	struct str section; /* bytes that were looked at */

	uint64_t next_flush;
	uint64_t lost_records, lost_samples;
	struct throttled *throttled; /* by stream id; a collision loses one of the two */
};

bool perfdata_event_of(const struct perfdata *p, uint64_t id, uint32_t *event);

bool perfdata_wants_feature(unsigned number);
void perfdata_feature(struct perfdata *p, unsigned number, struct span s);
void perfdata_build_id(struct perfdata *p, const struct perfrec *rec);
void perfdata_event_update(struct perfdata *p, struct span body);

/* Tells the header the rate of the first event. */
void perfdata_rate(struct perfdata *p);

#endif
