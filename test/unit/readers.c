/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold/reader: every example in test/data/fold, named FORMAT.EXT or FORMAT_WHAT.EXT, is claimed by its own format and no other. */
#include "fold/reader.h"

#include <dirent.h>
#include <stdlib.h>

#include "test/unit/check.h"

enum { HEAD = 64 * 1024 };

#define FOLDER "test/data/fold"

/* Text of perf script and folded lines are asked for last: others need to be told apart only from what comes before. */
static int is_asked_last(const struct reader *r)
{
	return strcmp(r->name, "perf-script") == 0 || strcmp(r->name, "folded") == 0;
}

static int claims_alone(const char *file)
{
	char path[512];
	struct input in;
	const struct reader *detected;
	struct span head, format = {file, strcspn(file, "_.")};
	int own = 0, others = 0;

	snprintf(path, sizeof path, FOLDER "/%s", file);
	if (!input_open(&in, path))
		return 0;
	detected = reader_detect(&in);
	head = input_peek(&in, HEAD);
	head.n = head.n < HEAD ? head.n : HEAD;
	for (unsigned i = 0; reader_at(i); i++) {
		const struct reader *r = reader_at(i);
		int own_format = span_eq(span_of(r->name), format);

		if (!r->probe(head) || (!own_format && is_asked_last(r)))
			continue;
		if (!own_format)
			printf("# %s is claimed by %s\n", file, r->name);
		own += own_format;
		others += !own_format;
	}
	input_close(&in);
	return own == 1 && others == 0 && detected && span_eq(span_of(detected->name), format);
}

static int is_example(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && (!dot || strcmp(dot, ".folded") != 0);
}

int main(void)
{
	struct dirent **entries;
	int n = scandir(FOLDER, &entries, is_example, alphasort);

	CHECK(n > 0);
	for (int i = 0; i < n; i++) {
		check_that(claims_alone(entries[i]->d_name), __FILE__, __LINE__, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	/* None of them claims nothing, a text, or bytes. */
	for (unsigned i = 0; reader_at(i); i++) {
		CHECK(!reader_at(i)->probe(SPAN("")));
		CHECK(!reader_at(i)->probe(SPAN("nothing to see here\n")));
		CHECK(!reader_at(i)->probe(SPAN("\xff\xfe\x00\x01\x02")));
	}
	return check_done();
}
