/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom to sample. */
#include "collect/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/procs.h"
#include "lib/arena.h"
#include "lib/die.h"
#include "lib/recording.h"

/* Cuts the item up to the next comma off *list. */
static struct span next_item(struct span *list)
{
	size_t end = span_find(*list, 0, ',');
	struct span item = span_trim((struct span){list->p, end});

	end += end < list->n;
	list->p += end;
	list->n -= end;
	return item;
}

bool target_add_pids(struct target *t, const char *text)
{
	struct span list = span_of(text);

	while (list.n) {
		uint64_t pid;

		if (!span_u64(next_item(&list), 10, &pid) || !pid || pid > INT32_MAX)
			return false;
		t->pids = xreallocarray(t->pids, t->npids + 1, sizeof *t->pids);
		t->pids[t->npids++] = (pid_t)pid;
	}
	return text[0] != '\0';
}

bool target_next_range(struct span *list, unsigned *first, unsigned *last, bool *bad)
{
	struct span item;
	size_t dash;
	uint64_t low, high;

	if (!list->n)
		return false;
	item = next_item(list);
	dash = span_find(item, 0, '-');
	*bad = !span_u64((struct span){item.p, dash}, 10, &low);
	high = low;
	if (!*bad && dash < item.n)
		*bad = !span_u64((struct span){item.p + dash + 1, item.n - dash - 1}, 10, &high);
	if (*bad || high < low || high >= RECORDING_MAX_CPUS) {
		*bad = true;
		return false;
	}
	*first = (unsigned)low;
	*last = (unsigned)high;
	return true;
}

bool target_add_cpus(struct target *t, const char *text)
{
	struct span list = span_of(text);
	unsigned first, last;
	bool bad = !list.n;

	if (!t->cpus)
		t->cpus = xcalloc(RECORDING_MAX_CPUS, sizeof *t->cpus);
	while (target_next_range(&list, &first, &last, &bad))
		for (unsigned c = first; c <= last; c++)
			t->cpus[c] = true;
	return !bad;
}

bool target_set_cgroup(struct target *t, const char *name)
{
	static const char *const roots[] = {
	    "%s", "/sys/fs/cgroup/%s", "/sys/fs/cgroup/perf_event/%s", "/sys/fs/cgroup/unified/%s"};

	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		char path[4096];
		int n =
		    i ? snprintf(path, sizeof path, roots[i], name) : snprintf(path, sizeof path, "%s", name);

		if (n < 0 || (size_t)n >= sizeof path || (i == 0 && name[0] != '/'))
			continue;
		t->cgroup = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (t->cgroup >= 0)
			return true;
	}
	return false;
}

void target_warn_missing(const struct target *t)
{
	for (size_t i = 0; i < t->npids; i++)
		if (kill(t->pids[i], 0) < 0 && errno == ESRCH)
			warn("there is no process %d", (int)t->pids[i]);
}

bool target_lives(const struct target *t)
{
	if (t->all)
		return true;
	for (size_t i = 0; i < t->npids; i++)
		if (kill(t->pids[i], 0) == 0 || errno == EPERM)
			return true;
	return false;
}

size_t target_nthreads(const struct target *t)
{
	size_t all = 0;

	for (size_t i = 0; i < t->npids; i++) {
		size_t n;

		free(procs_threads(t->pids[i], &n));
		all += t->threads_only || !n ? 1 : n;
	}
	return all;
}

void target_release(struct target *t)
{
	free(t->pids);
	free(t->cpus);
	if (t->cgroup >= 0)
		close(t->cgroup);
}
