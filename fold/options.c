/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options: one table, from which getopt_long's and --help are made. */
#include "fold/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/arena.h"
#include "lib/count.h"

enum {
	OPT_PID = 256,
	OPT_TID,
	OPT_KERNEL,
	OPT_JIT,
	OPT_ALL,
	OPT_ADDRS,
	OPT_INLINE,
	OPT_CONTEXT,
	OPT_SRCLINE,
	OPT_SKIP_AFTER,
	OPT_INCLUDEOFFSET,
	OPT_NO_MODULES,
	OPT_MERGE_RECURSIVE,
	OPT_MAX_DEPTH,
	OPT_NO_TIDY,
	OPT_COMM,
	OPT_EVENT,
	OPT_TIME,
	OPT_INCLUDE,
	OPT_EXCLUDE,
	OPT_BY,
	OPT_WEIGHT,
	OPT_TIMED,
	OPT_NO_HEADER,
	OPT_SYMFS,
	OPT_DEBUG_DIR,
	OPT_KALLSYMS,
	OPT_VMLINUX,
	OPT_NO_DEMANGLE,
};

#define DEFAULT_SLICE_NS 100000000

const struct option_row options_rows[] = {
    {"pid", OPT_PID, NULL, "root frames are COMM-PID"},
    {"tid", OPT_TID, NULL, "root frames are COMM-PID/TID"},
    {"by", OPT_BY, "WHAT", "root frames by pid, tid, cpu, comm or event; may be repeated"},
    {"kernel", OPT_KERNEL, NULL, "mark kernel functions with _[k]"},
    {"jit", OPT_JIT, NULL, "mark functions compiled at run time with _[j]"},
    {"all", OPT_ALL, NULL, "--kernel and --jit"},
    {"addrs", OPT_ADDRS, NULL, "add the address to unknown frames"},
    {"inline", OPT_INLINE, NULL, "mark functions inlined by the compiler with _[i]"},
    {"context", OPT_CONTEXT, NULL, "--inline, with file:line added to names"},
    {"srcline", OPT_SRCLINE, NULL, "add the source line that the input gives to names"},
    {"includeoffset", OPT_INCLUDEOFFSET, NULL, "keep the offset of the address in the function"},
    {"no-modules", OPT_NO_MODULES, NULL, "no MODULE` before names where the format's habit is to have it"},
    {"no-tidy", OPT_NO_TIDY, NULL, "leave parameter lists, hashes and quotes in names"},
    {"skip-after", OPT_SKIP_AFTER, "NAME", "drop the callers of function NAME"},
    {"merge-recursive", OPT_MERGE_RECURSIVE, NULL, "show a function that calls itself once"},
    {"max-depth", OPT_MAX_DEPTH, "N", "cut stacks to N frames from the root, marked [truncated]"},
    {"", 'p', "PIDS", "only these processes, as in 12,20-29"},
    {"", 't', "TIDS", "only these threads"},
    {"", 'C', "CPUS", "only these CPUs, as in 0-3"},
    {"comm", OPT_COMM, "NAMES", "only commands of these names"},
    {"event", OPT_EVENT, "NAMES", "only these events (the first one in the input)"},
    {"event-filter", OPT_EVENT, "NAME", "the same"},
    {"time", OPT_TIME, "FROM,TO", "only these seconds, counted from the start of the recording"},
    {"include", OPT_INCLUDE, "REGEX", "only stacks (frames joined by ;) that match"},
    {"exclude", OPT_EXCLUDE, "REGEX", "no stacks that match"},
    {"weight", OPT_WEIGHT, "WHAT", "count by samples, period or time (microseconds)"},
    {"timed", OPT_TIMED, "[SECONDS]", "one line per slice of time (0.1 s)"},
    {"no-header", OPT_NO_HEADER, NULL, "no '# flamepipe' line"},
    {"symfs", OPT_SYMFS, "DIR", "look for binaries and debug files below DIR"},
    {"debug-dir", OPT_DEBUG_DIR, "DIR", "look for separate debug files in DIR (/usr/lib/debug)"},
    {"kallsyms", OPT_KALLSYMS, "FILE", "the recorded kernel's symbols, as /proc/kallsyms has them"},
    {"vmlinux", OPT_VMLINUX, "FILE", "the recorded kernel with its symbols"},
    {"no-demangle", OPT_NO_DEMANGLE, NULL, "leave C++, Rust and D names as the linker has them"},
};
const size_t options_nrows = sizeof options_rows / sizeof *options_rows;

static void add_span(struct span_list *list, struct span s)
{
	list->items = grow(list->items, list->n, &list->cap, sizeof *list->items);
	list->items[list->n++] = s;
}

/* Cuts what stands before the next comma off *rest. */
static struct span cut_item(struct span *rest)
{
	size_t end = span_find(*rest, 0, ',');
	struct span item = {rest->p, end};

	end += end < rest->n;
	rest->p += end;
	rest->n -= end;
	return item;
}

static const char *take_names(struct span_list *list, const char *arg)
{
	struct span rest = span_of(arg);

	while (rest.n)
		add_span(list, cut_item(&rest));
	return NULL;
}

static bool take_id(struct span s, int64_t *id)
{
	bool negative = s.n && s.p[0] == '-';
	uint64_t v;

	if (!span_u64((struct span){s.p + negative, s.n - negative}, 10, &v) || v > INT32_MAX)
		return false;
	*id = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

static const char *take_ranges(struct range_list *list, const char *arg)
{
	struct span rest = span_of(arg);

	if (!rest.n)
		return "expected numbers such as 3,5-7";
	while (rest.n) {
		struct span item = cut_item(&rest);
		size_t dash = span_find(item, 1, '-');
		struct range r;

		if (!take_id((struct span){item.p, dash}, &r.first))
			return "expected numbers such as 3,5-7";
		r.last = r.first;
		if (dash < item.n && !take_id((struct span){item.p + dash + 1, item.n - dash - 1}, &r.last))
			return "expected numbers such as 3,5-7";
		list->items = grow(list->items, list->n, &list->cap, sizeof *list->items);
		list->items[list->n++] = r;
	}
	return NULL;
}

static const char *take_regex(struct regex_list *list, const char *arg)
{
	list->items = grow(list->items, list->n, &list->cap, sizeof *list->items);
	if (regcomp(&list->items[list->n], arg, REG_EXTENDED | REG_NOSUB) != 0)
		return "not a regular expression (extended syntax, as in grep -E)";
	list->n++;
	return NULL;
}

static bool take_seconds(struct span s, uint64_t *ns)
{
	u128 seconds;

	if (!count_parse(s, &seconds) || seconds / (COUNT_ONE / 1000000000) > UINT64_MAX)
		return false;
	*ns = (uint64_t)(seconds / (COUNT_ONE / 1000000000));
	return true;
}

static const char *take_time(struct options *o, const char *arg)
{
	struct span rest = span_of(arg), from = cut_item(&rest);

	o->has_time = true;
	o->time_from_ns = 0;
	o->time_to_ns = UINT64_MAX;
	if (from.n == strlen(arg))
		return "expected FROM,TO in seconds";
	if (from.n && !take_seconds(from, &o->time_from_ns))
		return "expected FROM,TO in seconds";
	if (rest.n && !take_seconds(rest, &o->time_to_ns))
		return "expected FROM,TO in seconds";
	return o->time_from_ns < o->time_to_ns ? NULL : "FROM must be before TO";
}

static const char *take_by(struct options *o, const char *arg)
{
	static const char *const names[] = {
	    [BY_PID] = "pid", [BY_TID] = "tid", [BY_CPU] = "cpu", [BY_COMM] = "comm", [BY_EVENT] = "event"};

	for (enum by by = BY_PID; by <= BY_EVENT; by++) {
		if (strcmp(arg, names[by]) != 0)
			continue;
		if (o->nby == OPTIONS_MAX_BY)
			return "given too often";
		o->by[o->nby++] = by;
		return NULL;
	}
	return "expected pid, tid, cpu, comm or event";
}

static const char *take_weight(struct options *o, const char *arg)
{
	static const char *const names[] = {
	    [WEIGHT_SAMPLES] = "samples", [WEIGHT_PERIOD] = "period", [WEIGHT_TIME] = "time"};

	for (enum weight w = WEIGHT_SAMPLES; w <= WEIGHT_TIME; w++)
		if (strcmp(arg, names[w]) == 0) {
			o->weight = w;
			return NULL;
		}
	return "expected samples, period or time";
}

static const char *take_timed(struct options *o, const char *arg)
{
	o->timed = true;
	o->slice_ns = DEFAULT_SLICE_NS;
	if (arg && (!take_seconds(span_of(arg), &o->slice_ns) || !o->slice_ns))
		return "expected seconds above 0";
	return NULL;
}

static const char *take_depth(struct options *o, const char *arg)
{
	uint64_t n;

	if (!span_u64(span_of(arg), 10, &n) || !n)
		return "expected a number of frames above 0";
	o->max_depth = n;
	return NULL;
}

static const char *take_name(struct span_list *list, const char *arg)
{
	add_span(list, span_of(arg));
	return NULL;
}

bool options_take(struct options *o, int code, const char *arg, const char **why)
{
	*why = NULL;
	switch (code) {
	case OPT_PID:
		o->pid = true;
		break;
	case OPT_TID:
		o->tid = true;
		break;
	case OPT_KERNEL:
		o->kernel = true;
		break;
	case OPT_JIT:
		o->jit = true;
		break;
	case OPT_ALL:
		o->kernel = o->jit = true;
		break;
	case OPT_ADDRS:
		o->addrs = true;
		break;
	case OPT_INLINE:
		o->inlined = true;
		break;
	case OPT_CONTEXT:
		o->inlined = o->context = true;
		break;
	case OPT_SRCLINE:
		o->srcline = true;
		break;
	case OPT_INCLUDEOFFSET:
		o->includeoffset = true;
		break;
	case OPT_NO_MODULES:
		o->no_modules = true;
		break;
	case OPT_MERGE_RECURSIVE:
		o->merge_recursive = true;
		break;
	case OPT_NO_TIDY:
		o->no_tidy = true;
		break;
	case OPT_NO_HEADER:
		o->no_header = true;
		break;
	case OPT_SYMFS:
		o->symbols.symfs = arg;
		break;
	case OPT_DEBUG_DIR:
		o->symbols.debug_dir = arg;
		break;
	case OPT_KALLSYMS:
		o->symbols.kallsyms = arg;
		break;
	case OPT_VMLINUX:
		o->symbols.vmlinux = arg;
		break;
	case OPT_NO_DEMANGLE:
		o->symbols.no_demangle = true;
		break;
	case OPT_SKIP_AFTER:
		*why = take_name(&o->skip_after, arg);
		break;
	case OPT_MAX_DEPTH:
		*why = take_depth(o, arg);
		break;
	case OPT_COMM:
		*why = take_names(&o->comms, arg);
		break;
	case OPT_EVENT:
		*why = take_names(&o->events, arg);
		break;
	case OPT_TIME:
		*why = take_time(o, arg);
		break;
	case OPT_INCLUDE:
		*why = take_regex(&o->include, arg);
		break;
	case OPT_EXCLUDE:
		*why = take_regex(&o->exclude, arg);
		break;
	case OPT_BY:
		*why = take_by(o, arg);
		break;
	case OPT_WEIGHT:
		*why = take_weight(o, arg);
		break;
	case OPT_TIMED:
		*why = take_timed(o, arg);
		break;
	case 'p':
		*why = take_ranges(&o->pids, arg);
		break;
	case 't':
		*why = take_ranges(&o->tids, arg);
		break;
	case 'C':
		*why = take_ranges(&o->cpus, arg);
		break;
	default:
		return false;
	}
	return true;
}

static void release_regexes(struct regex_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		regfree(&list->items[i]);
	free(list->items);
}

void options_release(struct options *o)
{
	release_regexes(&o->include);
	release_regexes(&o->exclude);
	free(o->skip_after.items);
	free(o->comms.items);
	free(o->events.items);
	free(o->pids.items);
	free(o->tids.items);
	free(o->cpus.items);
	*o = (struct options){0};
}

static int has_arg(const struct option_row *row)
{
	if (!row->arg)
		return no_argument;
	return row->arg[0] == '[' ? optional_argument : required_argument;
}

static bool is_letter(const struct option_row *row)
{
	return row->code < OPT_PID && row->code > ' ';
}

void options_tables(const struct option_row *rows, size_t n, struct option **longs, char **shorts)
{
	size_t nlongs = 0;
	char *to;

	*longs = xcalloc(n + 1, sizeof **longs);
	*shorts = to = xcalloc(n + 1, 3);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].name[0])
			(*longs)[nlongs++] =
			    (struct option){rows[i].name, has_arg(&rows[i]), NULL, rows[i].code};
		if (!is_letter(&rows[i]))
			continue;
		*to++ = (char)rows[i].code;
		for (int colons = has_arg(&rows[i]); colons > 0; colons--)
			*to++ = ':';
	}
}

static void add_argument(struct str *s, const struct option_row *row)
{
	if (!row->arg)
		return;
	if (row->arg[0] == '[') /* [SECONDS] is written --timed[=SECONDS] */
		str_addf(s, "[=%s", row->arg + 1);
	else
		str_addf(s, "%s%s", row->name[0] ? "=" : " ", row->arg);
}

void options_help(const struct option_row *rows, size_t n)
{
	struct str s = {0};

	for (size_t i = 0; i < n; i++) {
		str_reset(&s);
		if (is_letter(&rows[i]))
			str_addf(&s, "-%c%s", rows[i].code, rows[i].name[0] ? ", " : "");
		else
			str_adds(&s, "    ");
		if (rows[i].name[0])
			str_addf(&s, "--%s", rows[i].name);
		add_argument(&s, &rows[i]);
		printf("  %-26s %s\n", s.p, rows[i].help);
	}
	str_release(&s);
}
