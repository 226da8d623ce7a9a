/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The profile for speedscope and for Firefox Profiler. Both hold each name once; what they say of samples is streamed. */
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/folded.h"
#include "lib/json.h"
#include "render/export.h"

/* Called for every stack that has a count: frames as ids of names, root first. */
typedef void stack_fn(void *ctx, const uint32_t *ids, size_t n, u128 count, bool first);

/* Walks the nodes that have themselves a count in this column. */
static void each_stack(const struct tree *t, unsigned column, stack_fn *each, void *ctx)
{
	uint32_t *path = xcalloc((size_t)t->depth + 1, sizeof *path);
	uint32_t node = 0, up = 0;
	size_t depth = 0;
	bool first = true;

	do {
		u128 self = tree_self(t, node, column);

		if (node) {
			depth -= up;
			path[depth++] = t->nodes[node].name;
		}
		if (self) {
			each(ctx, path, depth, self, first);
			first = false;
		}
		node = tree_next(t, node, &up);
	} while (node);
	free(path);
}

static void add_speedscope_sample(void *ctx, const uint32_t *ids, size_t n, u128 count, bool first)
{
	struct str *out = ctx;

	(void)count;
	str_adds(out, first ? "[" : ",[");
	for (size_t i = 0; i < n; i++) {
		if (i)
			str_addc(out, ',');
		str_addu(out, ids[i]);
	}
	str_addc(out, ']');
}

static void add_weight(void *ctx, const uint32_t *ids, size_t n, u128 count, bool first)
{
	struct str *out = ctx;

	(void)ids, (void)n;
	if (!first)
		str_addc(out, ',');
	count_add(out, count);
}

static void add_profile_name(struct str *out, const struct export *e, unsigned column)
{
	struct str name = {0};

	if (e->t->ncolumns > 1)
		export_column_name(e, column, &name);
	else
		str_adds(&name, e->o->title ? e->o->title : "profile");
	json_quote(out, str_span(&name));
	str_release(&name);
}

static void add_speedscope_profile(struct str *out, const struct export *e, unsigned column)
{
	str_adds(out, "{\"type\":\"sampled\",\"name\":");
	add_profile_name(out, e, column);
	str_adds(out, ",\"unit\":\"none\",\"startValue\":0,\"endValue\":");
	count_add(out, tree_total(e->t, 0, column));
	str_adds(out, ",\"samples\":[");
	each_stack(e->t, column, add_speedscope_sample, out);
	str_adds(out, "],\"weights\":[");
	each_stack(e->t, column, add_weight, out);
	str_adds(out, "]}");
}

void export_speedscope(struct str *out, const struct export *e)
{
	str_adds(out,
	    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	    "\"exporter\":\"flamepipe " VERSION "\",\"activeProfileIndex\":0,\"shared\":{\"frames\":[");
	for (uint32_t i = 0; i < e->t->names.n; i++) {
		str_adds(out, i ? ",{\"name\":" : "{\"name\":");
		json_quote(out, intern_span(&e->t->names, i));
		str_addc(out, '}');
	}
	str_adds(out, "]},\"profiles\":[");
	for (unsigned i = 0; i < e->t->ncolumns; i++) {
		if (i)
			str_addc(out, ',');
		add_speedscope_profile(out, e, i);
	}
	str_adds(out, "]}\n");
}

/* ,"KEY":[v,v,...] with the same v n times */
static void add_constant(struct str *out, const char *key, const char *v, size_t n)
{
	str_addf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < n; i++) {
		if (i)
			str_addc(out, ',');
		str_adds(out, v);
	}
	str_addc(out, ']');
}

/* 0,1,2,... */
static void add_count_up(struct str *out, const char *key, size_t n)
{
	str_addf(out, "\"%s\":[", key);
	for (size_t i = 0; i < n; i++) {
		if (i)
			str_addc(out, ',');
		str_addu(out, i);
	}
	str_addc(out, ']');
}

/* One stack for each node but the root, numbered from 0. */
static void add_stack_table(struct str *out, const struct tree *t)
{
	str_adds(out, "\"stackTable\":{\"frame\":[");
	for (uint32_t node = 1; node < t->n; node++) {
		if (node > 1)
			str_addc(out, ',');
		str_addu(out, t->nodes[node].name);
	}
	str_adds(out, "],\"prefix\":[");
	for (uint32_t node = 1; node < t->n; node++) {
		if (node > 1)
			str_addc(out, ',');
		if (t->nodes[node].parent)
			str_addu(out, t->nodes[node].parent - 1);
		else
			str_adds(out, "null");
	}
	str_addf(out, "],\"length\":%u}", t->n - 1);
}

/* Every frame is its name, and belongs to one function of that name. */
static void add_frame_tables(struct str *out, const struct tree *t)
{
	size_t n = t->names.n;

	str_adds(out, "\"frameTable\":{");
	add_count_up(out, "func", n);
	add_constant(out, "address", "-1", n);
	add_constant(out, "inlineDepth", "0", n);
	add_constant(out, "category", "0", n);
	add_constant(out, "subcategory", "0", n);
	add_constant(out, "nativeSymbol", "null", n);
	add_constant(out, "innerWindowID", "0", n);
	add_constant(out, "line", "null", n);
	add_constant(out, "column", "null", n);
	str_addf(out, ",\"length\":%zu},\"funcTable\":{", n);
	add_count_up(out, "name", n);
	add_constant(out, "isJS", "false", n);
	add_constant(out, "relevantForJS", "false", n);
	add_constant(out, "resource", "-1", n);
	add_constant(out, "fileName", "null", n);
	add_constant(out, "lineNumber", "null", n);
	add_constant(out, "columnNumber", "null", n);
	str_addf(out, ",\"length\":%zu}", n);
}

/* One sample for each node that has a count itself, a millisecond apart. */
static void add_samples(struct str *out, const struct tree *t, unsigned column)
{
	struct str weights = {0};
	size_t n = 0;

	str_adds(out, "\"samples\":{\"stack\":[");
	for (uint32_t node = 0; node < t->n; node++) {
		u128 self = tree_self(t, node, column);

		if (!self)
			continue;
		if (n++) {
			str_addc(out, ',');
			str_addc(&weights, ',');
		}
		if (node)
			str_addu(out, node - 1);
		else
			str_adds(out, "null");
		count_add(&weights, self);
	}
	str_adds(out, "],");
	add_count_up(out, "time", n);
	str_adds(out, ",\"weight\":[");
	str_add(out, weights.n ? weights.p : "", weights.n);
	str_addf(out, "],\"weightType\":\"samples\",\"length\":%zu}", n);
	str_release(&weights);
}

static void add_thread(struct str *out, const struct export *e, unsigned column)
{
	str_addf(out,
	    "{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	    "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"isMainThread\":true,\"pid\":\"%"
	    "u\","
	    "\"tid\":%u,\"name\":",
	    column + 1, column + 1);
	add_profile_name(out, e, column);
	str_adds(out, ",\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],"
		      "\"category\":[],\"length\":0},");
	add_samples(out, e->t, column);
	str_addc(out, ',');
	add_stack_table(out, e->t);
	str_addc(out, ',');
	add_frame_tables(out, e->t);
	str_adds(out,
	    ",\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],\"length\":0},"
	    "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},"
	    "\"stringArray\":[");
	for (uint32_t i = 0; i < e->t->names.n; i++) {
		if (i)
			str_addc(out, ',');
		json_quote(out, intern_span(&e->t->names, i));
	}
	str_adds(out, "]}");
}

void export_firefox(struct str *out, const struct export *e)
{
	/* Version 48 keeps everything in its thread; newer viewers upgrade it. */
	str_adds(out,
	    "{\"meta\":{\"interval\":1,\"startTime\":0,\"processType\":0,\"product\":\"flamepipe\","
	    "\"stackwalk\":1,\"version\":27,\"preprocessedProfileVersion\":48,\"symbolicated\":true,"
	    "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],"
	    "\"markerSchema\":[],\"importedFrom\":\"flamepipe\"},\"libs\":[],\"pages\":[],\"counters\":[],"
	    "\"profilerOverhead\":[],\"threads\":[");
	for (unsigned i = 0; i < e->t->ncolumns; i++) {
		if (i)
			str_addc(out, ',');
		add_thread(out, e, i);
	}
	str_adds(out, "]}\n");
}
