/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that already run, as the records that the kernel would have written. */
#include "collect/procs.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/arena.h"

/* Puts the header before and the sample_id fields after the body that was appended since start. */
static void finish(struct str *out, size_t start, uint32_t type, uint16_t misc, uint32_t pid, uint32_t tid,
    uint64_t time_ns, uint64_t id)
{
	struct perf_event_header header = {.type = type, .misc = misc};
	struct {
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t id;
	} trailer = {pid, tid, time_ns, 0, 0, id};

	while (out->n % 8 != start % 8)
		str_addc(out, '\0');
	str_add(out, (const char *)&trailer, sizeof trailer);
	header.size = (uint16_t)(out->n - start);
	memcpy(out->p + start, &header, sizeof header);
}

static size_t begin(struct str *out, const uint32_t *words, size_t nwords)
{
	size_t start = out->n;

	str_add(out, (const char[sizeof(struct perf_event_header)]){0}, sizeof(struct perf_event_header));
	str_add(out, (const char *)words, nwords * sizeof *words);
	return start;
}

static void add_comm(struct str *out, pid_t pid, pid_t tid, const char *comm, uint64_t time_ns, uint64_t id)
{
	uint32_t words[] = {(uint32_t)pid, (uint32_t)tid};
	size_t start = begin(out, words, 2);

	str_add(out, comm, strlen(comm) + 1);
	finish(out, start, PERF_RECORD_COMM, 0, words[0], words[1], time_ns, id);
}

/* That the thread belongs to the process: without it a reader would not know whose mappings to use. */
static void add_fork(struct str *out, pid_t pid, pid_t tid, uint64_t time_ns, uint64_t id)
{
	uint32_t words[] = {(uint32_t)pid, (uint32_t)pid, (uint32_t)tid, (uint32_t)pid};
	size_t start = begin(out, words, 4);

	str_add(out, (const char *)&time_ns, sizeof time_ns);
	finish(out, start, PERF_RECORD_FORK, 0, words[0], words[2], time_ns, id);
}

struct map_line {
	uint64_t start, end, pgoff, inode;
	unsigned major, minor;
	char perms[8];
	const char *path;
};

/* One line of /proc/PID/maps; false for one that holds no code. */
static bool parse_map(char *line, struct map_line *m)
{
	unsigned long long start, end, pgoff, inode;
	int at = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &start, &end, m->perms, &pgoff, &m->major,
		&m->minor, &inode, &at) < 7)
		return false;
	if (!strchr(m->perms, 'x'))
		return false;
	*m = (struct map_line){start, end, pgoff, inode, m->major, m->minor, {0}, line + at};
	line[strcspn(line, "\n")] = '\0';
	if (!*m->path)
		m->path = "//anon";
	return true;
}

/* Which file is mapped: by its build-id, or else by its device and inode. Returns the bits for the record's header. */
static uint16_t add_file(struct str *out, const struct map_line *m, const struct buildid *id)
{
	uint32_t device[] = {m->major, m->minor};
	uint64_t inode[] = {m->inode, 0};
	unsigned char with_id[24] = {0};

	if (!id || !id->n) {
		str_add(out, (const char *)device, sizeof device);
		str_add(out, (const char *)inode, sizeof inode);
		return PERF_RECORD_MISC_USER;
	}
	with_id[0] = id->n;
	memcpy(with_id + 4, id->bytes, id->n);
	str_add(out, (const char *)with_id, sizeof with_id);
	return PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID;
}

static void add_mmap(struct str *out, pid_t pid, const struct map_line *m, const struct buildid *build_id,
    uint64_t time_ns, uint64_t id)
{
	uint32_t words[] = {(uint32_t)pid, (uint32_t)pid};
	uint64_t where[] = {m->start, m->end - m->start, m->pgoff};
	uint32_t prot[] = {5 /* read, execute */, 2 /* private */};
	size_t start = begin(out, words, 2);
	uint16_t misc;

	str_add(out, (const char *)where, sizeof where);
	misc = add_file(out, m, build_id);
	str_add(out, (const char *)prot, sizeof prot);
	str_add(out, m->path, strlen(m->path) + 1);
	finish(out, start, PERF_RECORD_MMAP2, misc, words[0], words[1], time_ns, id);
}

static const struct buildid *build_id_of(struct buildids *ids, pid_t pid, const struct map_line *m)
{
	if (m->path[0] != '/' || !m->inode)
		return NULL;
	return buildids_get(ids, (uint64_t)m->major << 32 | m->minor, m->inode, pid, m->path);
}

static uint32_t add_maps(struct str *out, struct buildids *ids, pid_t pid, uint64_t time_ns, uint64_t id)
{
	char path[64], *line = NULL;
	size_t cap = 0;
	uint32_t n = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (getline(&line, &cap, f) > 0) {
		struct map_line m;

		if (strlen(line) > 4096 || !parse_map(line, &m))
			continue;
		add_mmap(out, pid, &m, build_id_of(ids, pid, &m), time_ns, id);
		n++;
	}
	free(line);
	fclose(f);
	return n;
}

static bool read_comm(pid_t pid, pid_t tid, char comm[64])
{
	char path[64];
	FILE *f;
	bool good;

	snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	f = fopen(path, "re");
	good = f && fgets(comm, 64, f);
	if (f)
		fclose(f);
	if (good)
		comm[strcspn(comm, "\n")] = '\0';
	return good;
}

/* The numbers that a folder of /proc holds. */
static pid_t *numbers_in(const char *path, size_t *n)
{
	DIR *d = opendir(path);
	struct dirent *entry;
	pid_t *found = NULL;
	size_t cap = 0;

	*n = 0;
	while (d && (entry = readdir(d))) {
		pid_t number = atoi(entry->d_name);

		if (number <= 0)
			continue;
		found = grow(found, *n, &cap, sizeof *found);
		found[(*n)++] = number;
	}
	if (d)
		closedir(d);
	return found;
}

pid_t *procs_threads(pid_t pid, size_t *n)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	return numbers_in(path, n);
}

uint32_t procs_add(struct str *out, struct buildids *ids, pid_t pid, uint64_t time_ns, uint64_t id)
{
	size_t nthreads;
	pid_t *threads = procs_threads(pid, &nthreads);
	char comm[64];
	uint32_t n = 0;

	if (read_comm(pid, pid, comm)) {
		add_comm(out, pid, pid, comm, time_ns, id);
		n = 1 + add_maps(out, ids, pid, time_ns, id);
	}
	for (size_t i = 0; i < nthreads; i++) {
		if (threads[i] == pid || !read_comm(pid, threads[i], comm))
			continue;
		add_fork(out, pid, threads[i], time_ns, id);
		add_comm(out, pid, threads[i], comm, time_ns, id);
		n += 2;
	}
	free(threads);
	return n;
}

uint32_t procs_add_all(struct str *out, struct buildids *ids, uint64_t time_ns, uint64_t id)
{
	size_t nprocs;
	pid_t *procs = numbers_in("/proc", &nprocs);
	uint32_t n = 0;

	for (size_t i = 0; i < nprocs; i++)
		if (procs[i] != getpid())
			n += procs_add(out, ids, procs[i], time_ns, id);
	free(procs);
	return n;
}
