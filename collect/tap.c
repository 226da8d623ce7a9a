/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taps: perf events that are open. */
#include "collect/tap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/die.h"

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int leader, unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC | flags);
}

bool tap_probe(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {.type = type,
	    .size = sizeof attr,
	    .config = config,
	    .exclude_kernel = 1,
	    .exclude_hv = 1,
	    .disabled = 1};
	int fd = open_event(&attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

long tap_sysctl(const char *name, long fallback)
{
	char path[128];
	long value;
	FILE *f;

	snprintf(path, sizeof path, "/proc/sys/%s", name);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%ld", &value) != 1)
		value = fallback;
	if (f)
		fclose(f);
	return value;
}

static _Noreturn void refuse_permission(const char *event, const struct target *t)
{
	long level = tap_sysctl("kernel/perf_event_paranoid", -99);
	bool wide = t->all || t->sieve;

	die("no permission to sample %s: kernel.perf_event_paranoid is %ld, and %s needs %s; be root, or: "
	    "sudo sysctl "
	    "kernel.perf_event_paranoid=%d",
	    event, level, wide ? "the whole machine" : "a process of your own",
	    wide ? "0 or less" : "2 or less (1 to see its kernel side)", wide ? 0 : 1);
}

void tap_refuse(const char *event, const struct target *t)
{
	int why = errno;

	switch (why) {
	case EACCES:
	case EPERM:
		refuse_permission(event, t);
	case EMFILE:
	case ENFILE:
		die("out of file descriptors (%zu allowed; one is needed for each thread, CPU and event): "
		    "raise the limit with "
		    "ulimit -n, or sample the whole machine with -a",
		    tap_limit());
	case ESRCH:
		die("there is no such process");
	case EOPNOTSUPP:
		die("this machine cannot sample %s in this way: no counter that interrupts, or for -g lbr, "
		    "no record of the last calls",
		    event);
	case ENOENT:
	case ENODEV:
	case EINVAL:
		die("event %s is not there on this machine, or not in this way (%s)", event, strerror(why));
	case ENOSYS:
		die("this kernel has no performance events");
	default:
		errno = why;
		die_errno("cannot open event %s", event);
	}
}

size_t tap_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return 1024;
	if (limit.rlim_cur < limit.rlim_max) {
		struct rlimit raised = {limit.rlim_max, limit.rlim_max};

		if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
			limit = raised;
	}
	return limit.rlim_cur > SIZE_MAX ? SIZE_MAX : (size_t)limit.rlim_cur;
}

/* Older kernels know fewer bits: takes away what can be done without, one step at each call. False when nothing is left. */
static bool simplify(struct perf_event_attr *attr)
{
	if (attr->build_id)
		attr->build_id = 0;
	else if (attr->ksymbol || attr->namespaces)
		attr->ksymbol = attr->namespaces = 0;
	else if (attr->read_format & PERF_FORMAT_LOST)
		attr->read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	else
		return false;
	return true;
}

/* One try; true when another one makes sense. */
static bool try_open(struct perf_event_attr *attr, const struct tap_place *place, int *fd)
{
	*fd = open_event(
	    attr, place->pid, (int)place->cpu, place->leader, place->in_cgroup ? PERF_FLAG_PID_CGROUP : 0);
	if (*fd >= 0)
		return false;
	if (errno == EMFILE) {
		struct rlimit limit;

		if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < tap_limit())
			return true;
		errno = EMFILE;
		return false;
	}
	if (errno == EINVAL && simplify(attr))
		return true;
	/* An ordinary user may not see namespaces and the kernel's symbols, but may see the rest. */
	if ((errno == EACCES || errno == EPERM) && (attr->namespaces || attr->ksymbol)) {
		attr->namespaces = attr->ksymbol = 0;
		return true;
	}
	return false;
}

struct tap *taps_open(struct taps *t, struct perf_event_attr *attr, const struct tap_place *place, int event)
{
	int fd;

	while (try_open(attr, place, &fd))
		;
	if (fd < 0)
		return NULL;
	t->v = grow(t->v, t->n, &t->cap, sizeof *t->v);
	t->v[t->n] = (struct tap){.fd = fd, .event = event, .cpu = place->index};
	ioctl(fd, PERF_EVENT_IOC_ID, &t->v[t->n].id);
	return &t->v[t->n++];
}

static int by_id(const void *a, const void *b)
{
	const struct tap *x = *(struct tap *const *)a, *y = *(struct tap *const *)b;

	return (x->id > y->id) - (x->id < y->id);
}

void taps_number(struct taps *t)
{
	free(t->by_id);
	t->by_id = xcalloc(t->n, sizeof(struct tap *));
	t->nby_id = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].event >= 0)
			t->by_id[t->nby_id++] = &t->v[i];
	qsort(t->by_id, t->nby_id, sizeof(struct tap *), by_id);
}

uint32_t taps_event(const struct taps *t, uint64_t id)
{
	size_t low = 0, high = t->nby_id;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->by_id[mid]->id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->nby_id && t->by_id[low]->id == id ? (uint32_t)t->by_id[low]->event : 0;
}

uint64_t tap_lost(const struct tap *t)
{
	uint64_t counts[3] = {0}; /* value, id, lost */

	return read(t->fd, counts, sizeof counts) == (ssize_t)sizeof counts ? counts[2] : 0;
}

void taps_close(struct taps *t)
{
	for (size_t i = 0; i < t->n; i++)
		close(t->v[i].fd);
	free(t->v);
	free(t->by_id);
	*t = (struct taps){0};
}
