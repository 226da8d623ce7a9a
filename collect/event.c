/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events by the names that `perf list` writes. */
#include "collect/event.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct known {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
};

static const struct known KNOWN[] = {
    {"cpu-cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branch-instructions", "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"dummy", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {"bpf-output", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
    {"cgroup-switches", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
};

enum { NKNOWN = sizeof KNOWN / sizeof *KNOWN };

static const char *const CACHES[] = {"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
static const char *const CACHE_OPS[] = {"load", "store", "prefetch"};

bool event_is_clock(const struct event *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE &&
	       (e->attr.config == PERF_COUNT_SW_CPU_CLOCK || e->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Mounts the tracing file system where nobody else sees it, as root may. Returns its descriptor, or -1. */
static int mount_tracing(void)
{
	int fs = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC), mount = -1;

	if (fs < 0)
		return -1;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return mount;
}

static bool has_events(const char *dir)
{
	char path[96];

	snprintf(path, sizeof path, "%s/events", dir);
	return access(path, R_OK | X_OK) == 0;
}

const char *event_tracing_dir(struct event_list *list)
{
	static const char *const dirs[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	int mount;

	for (size_t i = 0; i < 2 && !list->tracing[0]; i++)
		if (has_events(dirs[i]))
			snprintf(list->tracing, sizeof list->tracing, "%s", dirs[i]);
	if (!list->tracing[0] && (mount = mount_tracing()) >= 0)
		snprintf(list->tracing, sizeof list->tracing, "/proc/self/fd/%d", mount);
	return list->tracing[0] && has_events(list->tracing) ? list->tracing : NULL;
}

/* The first line of a small file, without its LF. */
static bool read_line(const char *path, char *to, size_t n)
{
	FILE *f = fopen(path, "re");
	bool good = f && fgets(to, (int)n, f);

	if (f)
		fclose(f);
	if (good)
		to[strcspn(to, "\n")] = '\0';
	return good;
}

static struct event *add(struct event_list *list, struct span name, uint32_t type, uint64_t config)
{
	struct event *e;

	list->events = grow(list->events, list->n, &list->cap, sizeof *list->events);
	e = &list->events[list->n++];
	*e = (struct event){.name = arena_copy(&list->names, name.p, name.n), .group = -1};
	e->attr.size = sizeof e->attr;
	e->attr.type = type;
	e->attr.config = config;
	return e;
}

/* "L1-dcache-load-misses" and the like. */
static bool add_cache(struct event_list *list, struct span name)
{
	for (uint64_t c = 0; c < 7; c++) {
		for (uint64_t op = 0; op < 3; op++) {
			char loads[64], misses[64];

			snprintf(
			    loads, sizeof loads, "%s-%s%s", CACHES[c], CACHE_OPS[op], op == 2 ? "es" : "s");
			snprintf(misses, sizeof misses, "%s-%s-misses", CACHES[c], CACHE_OPS[op]);
			if (span_eq(name, span_of(loads)))
				return add(list, name, PERF_TYPE_HW_CACHE, c | op << 8);
			if (span_eq(name, span_of(misses)))
				return add(list, name, PERF_TYPE_HW_CACHE, c | op << 8 | 1 << 16);
		}
	}
	return false;
}

static bool add_known(struct event_list *list, struct span name)
{
	uint64_t raw;

	for (size_t i = 0; i < NKNOWN; i++)
		if (span_eq(name, span_of(KNOWN[i].name)) ||
		    (KNOWN[i].alias && span_eq(name, span_of(KNOWN[i].alias))))
			return add(list, name, KNOWN[i].type, KNOWN[i].config);
	if (name.n > 1 && name.p[0] == 'r' && span_u64((struct span){name.p + 1, name.n - 1}, 16, &raw))
		return add(list, name, PERF_TYPE_RAW, raw);
	return add_cache(list, name);
}

/* Names of the folder that match the pattern, sorted. */
static int matching(const char *dir, const char *pattern, struct dirent ***found)
{
	int n, kept = 0;

	*found = NULL;
	n = scandir(dir, found, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if ((*found)[i]->d_name[0] != '.' && fnmatch(pattern, (*found)[i]->d_name, 0) == 0)
			(*found)[kept++] = (*found)[i];
		else
			free((*found)[i]);
	}
	return kept;
}

static void add_tracepoint(struct event_list *list, const char *dir, const char *system, const char *point)
{
	char path[1024], id[32];
	struct str name = {0};
	uint64_t config;

	snprintf(path, sizeof path, "%s/events/%s/%s/id", dir, system, point);
	if (!read_line(path, id, sizeof id) || !span_u64(span_of(id), 10, &config))
		return;
	str_addf(&name, "%s:%s", system, point);
	add(list, str_span(&name), PERF_TYPE_TRACEPOINT, config);
	str_release(&name);
}

/* SUBSYSTEM:NAME, both with wildcards. */
static bool add_tracepoints(struct event_list *list, struct span text, struct str *why)
{
	size_t colon = span_find(text, 0, ':');
	const char *dir = event_tracing_dir(list);
	char system[256], point[256], path[512];
	struct dirent **systems, **points;
	size_t before = list->n;
	int nsystems;

	if (!dir) {
		str_addf(why, "tracepoints need a readable /sys/kernel/tracing: be root, or mount -t tracefs "
			      "nodev /sys/kernel/tracing");
		return false;
	}
	snprintf(system, sizeof system, "%.*s", (int)colon, text.p);
	snprintf(point, sizeof point, "%.*s", (int)(text.n - colon - 1), text.p + colon + 1);
	snprintf(path, sizeof path, "%s/events", dir);
	nsystems = matching(path, system, &systems);
	for (int i = 0; i < nsystems; i++) {
		int n;

		snprintf(path, sizeof path, "%s/events/%s", dir, systems[i]->d_name);
		n = matching(path, point, &points);
		for (int k = 0; k < n; k++) {
			add_tracepoint(list, dir, systems[i]->d_name, points[k]->d_name);
			free(points[k]);
		}
		if (n >= 0)
			free(points);
		free(systems[i]);
	}
	if (nsystems >= 0)
		free(systems);
	if (list->n == before)
		str_addf(why, "there is no tracepoint %.*s here", (int)text.n, text.p);
	return list->n > before;
}

/* Puts value into the bits that a PMU's format file names: "config1:0-7,32". */
static bool put_format(struct perf_event_attr *attr, const char *format, uint64_t value)
{
	__u64 *word = strncmp(format, "config1", 7) == 0   ? &attr->config1
		      : strncmp(format, "config2", 7) == 0 ? &attr->config2
							   : &attr->config;
	const char *p = strchr(format, ':');

	while (p && *p) {
		char *end;
		unsigned long low = strtoul(p + 1, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		for (unsigned long bit = low; bit <= high && bit < 64; bit++, value >>= 1)
			*word |= (value & 1) << bit;
		p = end;
	}
	return value == 0;
}

static bool put_terms(struct event *e, const char *pmu, char *terms, struct str *why);

/* One TERM[=VALUE] of pmu/.../. */
static bool put_term(struct event *e, const char *pmu, char *term, struct str *why)
{
	char path[512], line[512];
	char *equals = strchr(term, '=');
	uint64_t value = equals ? strtoull(equals + 1, NULL, 0) : 1;

	if (equals)
		*equals = '\0';
	if (strcmp(term, "period") == 0 || strcmp(term, "freq") == 0) {
		e->has_rate = true;
		e->attr.freq = term[0] == 'f';
		e->attr.sample_period = value;
		return true;
	}
	if (strcmp(term, "name") == 0 && equals) {
		e->name = equals + 1;
		return true;
	}
	if (strcmp(term, "config") == 0 || strcmp(term, "config1") == 0 || strcmp(term, "config2") == 0) {
		*(term[6] == '1'     ? &e->attr.config1
		    : term[6] == '2' ? &e->attr.config2
				     : &e->attr.config) = value;
		return true;
	}
	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/format/%s", pmu, term);
	if (read_line(path, line, sizeof line)) {
		if (!put_format(&e->attr, line, value)) {
			str_addf(why, "%s=%llu does not fit into %s", term, (unsigned long long)value, line);
			return false;
		}
		return true;
	}
	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/events/%s", pmu, term);
	if (!equals && read_line(path, line, sizeof line))
		return put_terms(e, pmu, line, why);
	str_addf(why, "%s has no term or event '%s'", pmu, term);
	return false;
}

static bool put_terms(struct event *e, const char *pmu, char *terms, struct str *why)
{
	char *save = NULL;

	for (char *t = strtok_r(terms, ",", &save); t; t = strtok_r(NULL, ",", &save))
		if (!put_term(e, pmu, t, why))
			return false;
	return true;
}

/* Letters after the name: u user, k kernel, h hypervisor only; G guest, H host; p precise; D pinned; I no idle; S: all ignored. */
static bool put_modifiers(struct event *e, struct span m, struct str *why)
{
	bool rings = false;

	for (size_t i = 0; i < m.n; i++)
		rings = rings || strchr("ukh", m.p[i]);
	if (rings)
		e->attr.exclude_user = e->attr.exclude_kernel = e->attr.exclude_hv = 1;
	for (size_t i = 0; i < m.n; i++) {
		switch (m.p[i]) {
		case 'u':
			e->attr.exclude_user = 0;
			break;
		case 'k':
			e->attr.exclude_kernel = 0;
			break;
		case 'h':
			e->attr.exclude_hv = 0;
			break;
		case 'G':
			e->attr.exclude_host = 1;
			break;
		case 'H':
			e->attr.exclude_guest = 1;
			break;
		case 'I':
			e->attr.exclude_idle = 1;
			break;
		case 'D':
			e->attr.pinned = 1;
			break;
		case 'p':
			if (e->attr.precise_ip < 3)
				e->attr.precise_ip++;
			break;
		case 'P':
			e->attr.precise_ip = 3;
			break;
		case 'S':
		case 'W':
		case 'e':
			break;
		default:
			str_addf(why, "unknown event modifier '%c' in ':%.*s'", m.p[i], (int)m.n, m.p);
			return false;
		}
	}
	return true;
}

/* PMU/TERMS/MODIFIERS */
static bool add_pmu(struct event_list *list, struct span text, struct str *why)
{
	size_t slash = span_find(text, 0, '/'), close = span_find(text, slash + 1, '/');
	char pmu[128], path[256], type[32];
	char *terms;
	uint64_t number;
	struct event *e;

	snprintf(pmu, sizeof pmu, "%.*s", (int)slash, text.p);
	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/type", pmu);
	terms = arena_copy(&list->names, text.p + slash + 1, close - slash - 1);
	if (add_known(list, (struct span){text.p, slash})) {
		e = &list->events[list->n - 1];
	} else if (strchr(pmu, '.') || !read_line(path, type, sizeof type) ||
		   !span_u64(span_of(type), 10, &number)) {
		str_addf(why, "there is no PMU '%s' here", pmu);
		return false;
	} else {
		e = add(list, text, (uint32_t)number, 0);
	}
	e->name = arena_copy(&list->names, text.p, text.n);
	if (!put_terms(e, pmu, terms, why))
		return false;
	text = (struct span){text.p + close + (close < text.n), text.n - close - (close < text.n)};
	return put_modifiers(e, text, why);
}

/* NAME[:MODIFIERS] of a known event. */
static bool add_named(struct event_list *list, struct span text, struct str *why)
{
	size_t colon = span_find(text, 0, ':');
	struct event *e;

	if (!add_known(list, (struct span){text.p, colon}))
		return false;
	e = &list->events[list->n - 1];
	e->name = arena_copy(&list->names, text.p, text.n);
	return colon == text.n ||
	       put_modifiers(e, (struct span){text.p + colon + 1, text.n - colon - 1}, why);
}

static bool add_one(struct event_list *list, struct span text, struct str *why)
{
	text = span_trim(text);
	if (!text.n) {
		str_adds(why, "an event's name is empty");
		return false;
	}
	if (span_find(text, 0, '/') < text.n)
		return add_pmu(list, text, why);
	if (add_named(list, text, why))
		return true;
	if (why->n)
		return false;
	if (span_find(text, 0, ':') < text.n)
		return add_tracepoints(list, text, why);
	str_addf(why, "unknown event '%.*s'", (int)text.n, text.p);
	return false;
}

bool event_list_add(struct event_list *list, const char *text, struct str *why)
{
	struct span rest = span_of(text);
	int group = -1;

	if (!rest.n) {
		str_adds(why, "an event's name is empty");
		return false;
	}
	while (rest.n) {
		size_t end = 0, before = list->n;
		bool in_terms = false, closes;
		struct span one;

		if (rest.p[0] == '{') {
			group = list->ngroups++;
			rest.p++, rest.n--;
		}
		for (; end < rest.n && (in_terms || (rest.p[end] != ',' && rest.p[end] != '}')); end++)
			in_terms ^= rest.p[end] == '/';
		one = (struct span){rest.p, end};
		closes = end < rest.n && rest.p[end] == '}';
		if (!add_one(list, one, why))
			return false;
		for (size_t i = before; i < list->n; i++)
			list->events[i].group = group;
		if (closes) {
			group = -1;
			end++;
		}
		end += end < rest.n && rest.p[end] == ',';
		rest = (struct span){rest.p + end, rest.n - end};
	}
	if (group >= 0)
		str_adds(why, "a group of events has no } at its end");
	return group < 0;
}

void event_list_release(struct event_list *list)
{
	free(list->events);
	arena_release(&list->names);
	*list = (struct event_list){0};
}

static void print_dir(const char *dir, const char *format, const char *sub)
{
	struct dirent **found, **inner;
	int n = matching(dir, "*", &found);

	for (int i = 0; i < n; i++) {
		char path[1024];
		int k;

		snprintf(path, sizeof path, "%s/%s%s", dir, found[i]->d_name, sub);
		k = matching(path, "*", &inner);
		for (int j = 0; j < k; j++) {
			struct stat st;
			char entry[1600];

			snprintf(entry, sizeof entry, "%s/%s", path, inner[j]->d_name);
			if (sub[0] ? !strchr(inner[j]->d_name, '.')
				   : stat(entry, &st) == 0 && S_ISDIR(st.st_mode))
				printf(format, found[i]->d_name, inner[j]->d_name);
			free(inner[j]);
		}
		if (k >= 0)
			free(inner);
		free(found[i]);
	}
	if (n >= 0)
		free(found);
}

void event_print_all(void)
{
	struct event_list none = {0};
	const char *dir = event_tracing_dir(&none);
	char path[256];

	for (size_t i = 0; i < NKNOWN; i++)
		printf("%s%s%s\n", KNOWN[i].name, KNOWN[i].alias ? " OR " : "",
		    KNOWN[i].alias ? KNOWN[i].alias : "");
	for (size_t c = 0; c < 7; c++)
		for (size_t op = 0; op < 3; op++)
			printf("%s-%s%s\n%s-%s-misses\n", CACHES[c], CACHE_OPS[op], op == 2 ? "es" : "s",
			    CACHES[c], CACHE_OPS[op]);
	print_dir("/sys/bus/event_source/devices", "%s/%s/\n", "/events");
	printf("rNNNN\n");
	if (!dir)
		return;
	snprintf(path, sizeof path, "%s/events", dir);
	print_dir(path, "%s:%s\n", "");
}
