/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One recording after the other. */
#include "collect/recorder.h"

#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "lib/die.h"

static void put_pair(struct str *body, const char *key, struct span value)
{
	put_string(body, span_of(key));
	put_string(body, value);
}

static void put_first_line(struct str *body, const char *key, const char *path)
{
	char line[256] = "";
	FILE *f = fopen(path, "re");

	if (f && fgets(line, sizeof line, f))
		put_pair(body, key, span_trim(span_of(line)));
	if (f)
		fclose(f);
}

static void put_figure(struct str *body, const char *key, long long value)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", value);
	put_pair(body, key, span_of(text));
}

static void put_command(struct str *body, char **command)
{
	struct str text = {0};

	for (char **w = command; w && *w; w++)
		str_addf(&text, "%s%s", w == command ? "" : " ", *w);
	put_pair(body, "command", str_span(&text));
	str_release(&text);
}

static void write_info(const struct recorder *r)
{
	struct str body = {0};
	struct utsname u;
	struct block b = {.type = BLOCK_INFO, .cpu = BLOCK_NO_CPU, .nrecords = 1};

	uname(&u);
	put_pair(&body, "host", span_of(u.nodename));
	put_pair(&body, "kernel", span_of(u.release));
	put_pair(&body, "arch", span_of(u.machine));
	put_figure(&body, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	put_command(&body, r->command);
	put_pair(&body, "clock", SPAN("monotonic"));
	put_figure(&body, "started", (long long)time(NULL));
	put_first_line(&body, "boot_id", "/proc/sys/kernel/random/boot_id");
	put_figure(&body, "collector_pid", getpid());
	put_figure(&body, "page_size", sysconf(_SC_PAGESIZE));
	put_pair(&body, "version", SPAN(VERSION));
	b.body = str_span(&body);
	stream_block(r->stream, &b);
	str_release(&body);
}

void recorder_begin(struct recorder *r)
{
	if (r->flight_ns)
		r->stream->memory = &r->segments[0];
	stream_preamble(r->stream);
	write_info(r);
	sampler_describe(r->sampler);
	r->began_ns = sampler_now();
}

/* The present segment becomes the last one. */
static void shift_segments(struct recorder *r)
{
	struct str last = r->segments[1];

	r->segments[1] = r->segments[0];
	r->segments[0] = last;
	str_reset(&r->segments[0]);
}

static void dump_segments(struct recorder *r)
{
	r->stream->memory = NULL;
	stream_bytes(r->stream, str_span(&r->segments[1]));
	stream_bytes(r->stream, str_span(&r->segments[0]));
	str_reset(&r->segments[0]);
	str_reset(&r->segments[1]);
	r->ndumps++;
}

static void rotate(struct recorder *r)
{
	stream_rotate(r->stream, ++r->nrotated);
	if (r->keep && r->nrotated > r->keep) {
		struct str old = {0};

		str_addf(&old, "%s.%u", r->stream->name, r->nrotated - r->keep);
		if (unlink(old.p) < 0)
			warn("cannot remove %s", old.p);
		str_release(&old);
	}
}

void recorder_turn(struct recorder *r, uint64_t now_ns)
{
	uint64_t age = now_ns - r->began_ns;

	if (r->flight_ns && age >= r->flight_ns) {
		sampler_conclude(r->sampler, false);
		shift_segments(r);
		recorder_begin(r);
	} else if ((r->rotate_ns && age >= r->rotate_ns) ||
		   (r->rotate_bytes && r->stream->offset >= r->rotate_bytes)) {
		sampler_conclude(r->sampler, true);
		rotate(r);
		recorder_begin(r);
	}
}

void recorder_snapshot(struct recorder *r)
{
	sampler_flush(r->sampler, false);
	sampler_conclude(r->sampler, true);
	if (r->flight_ns)
		dump_segments(r);
	else if (r->stream->is_file)
		rotate(r);
	recorder_begin(r);
}

void recorder_end(struct recorder *r)
{
	sampler_conclude(r->sampler, true);
	if (r->flight_ns)
		dump_segments(r);
	str_release(&r->segments[0]);
	str_release(&r->segments[1]);
}
