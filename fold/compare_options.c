/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of compare. */
#include <dirent.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fold/compare_options.h"
#include "fold/ministat.h"
#include "lib/arena.h"
#include "lib/die.h"

enum {
	OPT_OPERAND = 1, /* what getopt_long calls an argument that is no option */
	OPT_FORMAT = 1024,
	OPT_VS,
	OPT_MINISTAT,
	OPT_JSON,
	OPT_COLUMN,
	OPT_DELIMITERS,
	OPT_CONFIDENCE,
	OPT_MARGIN,
	OPT_WIDTH,
	OPT_NO_PLOT,
	OPT_FAIL,
	OPT_REPORT,
	OPT_UNIT,
	OPT_OBSERVE,
	OPT_TOP,
	OPT_LEAST_SHARE,
	OPT_PHI,
	OPT_DEPENDENT,
	OPT_FOCUS,
	OPT_AA,
	OPT_MAX_LOSS,
	OPT_PAIRED,
};

static const struct option_row own_rows[] = {
    {"vs", OPT_VS, NULL, "what follows are the patched runs, what stands before the original ones"},
    {"normalise", 'n', NULL, "scale every run to the total of the mean patched run"},
    {"strip", 's', NULL, "turn addresses in names (0x12ab) into 0x..."},
    {"format", OPT_FORMAT, "NAME", "what the inputs are (found out from their content)"},
    {"report", OPT_REPORT, NULL, "profiles: print which differences are real, largest first, not lines"},
    {"json", OPT_JSON, NULL, "the report as JSON"},
    {"unit", OPT_UNIT, "WHAT", "report on each path, function, or self (a function's own code) (path)"},
    {"observe", OPT_OBSERVE, "WHAT", "compare time (fixed work) or share (fixed duration) of the runs"},
    {"top", OPT_TOP, "N", "rows of the report at most (20)"},
    {"least-share", OPT_LEAST_SHARE, "PERCENT", "test what has at least this share of the mean run (0.5)"},
    {"focus", OPT_FOCUS, "NAME", "test this one function without correction for the number of tests"},
    {"max-loss", OPT_MAX_LOSS, "PERCENT", "refuse reports on runs that lost more of their samples (1)"},
    {"by-yekutieli", OPT_DEPENDENT, NULL, "Benjamini and Yekutieli's correction: holds for any dependence"},
    {"phi", OPT_PHI, "N", "how much more single runs vary than sampling does (9)"},
    {"aa", OPT_AA, NULL, "check the method: split the runs of each side at random, count false alarms"},
    {"confidence", OPT_CONFIDENCE, "PERCENT", "what has to be reached to call a change proven (95)"},
    {"paired", OPT_PAIRED, NULL,
	"the first runs of either side were made together, and so on (measure --vs)"},
    {"margin", OPT_MARGIN, "PERCENT", "a change of the whole that does not matter (1)"},
    {"fail-if-slower", OPT_FAIL, "PERCENT", "exit with 3 when a slow-down above that is proven"},
    {"column", OPT_COLUMN, "N", "plain numbers: the column they are in (1)"},
    {"delimiters", OPT_DELIMITERS, "CHARS", "plain numbers: what stands between columns (blank, tab)"},
    {"width", OPT_WIDTH, "N", "plain numbers: characters across the plot (of the terminal, or 74)"},
    {"no-plot", OPT_NO_PLOT, NULL, "plain numbers: no plot"},
    {"ministat", OPT_MINISTAT, NULL, "for plain numbers: ministat's report; what follows are its options"},
    {"quiet", 'q', NULL, "no summary on standard error"},
    {"help", 'h', NULL, "this text"},
    {"version", 'V', NULL, "the version"},
};

enum { NOWN = sizeof own_rows / sizeof *own_rows };

static struct option_row *all_rows(void)
{
	struct option_row *rows = xcalloc(options_nrows + NOWN, sizeof *rows);

	memcpy(rows, own_rows, sizeof own_rows);
	memcpy(rows + NOWN, options_rows, options_nrows * sizeof *rows);
	return rows;
}

static _Noreturn void help(const struct option_row *rows)
{
	printf("usage: compare [OPTION...] ORIG PATCHED\n"
	       "       compare [OPTION...] ORIG... --vs PATCHED...\n"
	       "       compare [OPTION...] TABLE\n"
	       "Puts profiles of any format side by side: every stack once, with one count a run. ORIG and "
	       "PATCHED\n"
	       "are files or folders of runs; TABLE is what compare printed before.\n\n");
	options_help(rows, NOWN);
	printf("\nHow profiles are read, as for fold:\n");
	options_help(rows + NOWN, options_nrows);
	close_stdout();
	exit(0);
}

static _Noreturn void version(void)
{
	printf("compare (flamepipe) %s\n", VERSION);
	close_stdout();
	exit(0);
}

/* Operands. */

static void add_path(struct paths *p, char *path)
{
	p->items = grow(p->items, p->n, &p->cap, sizeof *p->items);
	p->items[p->n++] = path;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The files of a folder in the order of their numbers, hidden ones left out. */
static void add_folder(struct paths *p, const char *folder)
{
	DIR *dir = opendir(folder);
	size_t first = p->n;
	struct dirent *entry;

	if (!dir)
		die_errno("cannot open %s", folder);
	while ((entry = readdir(dir))) {
		struct str path = {0};

		if (entry->d_name[0] == '.')
			continue;
		str_addf(&path, "%s/%s", folder, entry->d_name);
		add_path(p, path.p);
	}
	closedir(dir);
	if (p->n == first)
		die("%s: no runs in it", folder);
	qsort(p->items + first, p->n - first, sizeof *p->items, by_version);
}

static void add_operand(struct paths *p, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		add_folder(p, path);
	else
		add_path(p, xstrdup(path));
}

/* Which operands are runs of which side. A single one is a table, and stays among the operands. */
static void share_out(struct compare_options *c)
{
	size_t n = c->operands.n;

	if (n == 1 && !c->vs)
		return;
	if (!c->vs && n != 2)
		die_usage("give ORIG and PATCHED, or put --vs between the runs of either side");
	if (!c->vs)
		c->nbefore = 1;
	if (!c->nbefore || c->nbefore == n)
		die_usage("--vs: give runs before it and after it");
	for (size_t i = 0; i < n; i++)
		add_operand(&c->sides[i >= c->nbefore], c->operands.items[i]);
}

/* Options. */

static double percent(const char *name, const char *text, double most)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= 0) || value > most)
		die_usage("--%s: '%s' is no percentage from 0 to %g", name, text, most);
	return value / 100;
}

static unsigned positive(const char *name, const char *text)
{
	uint64_t n;

	if (!span_u64(span_of(text), 10, &n) || !n || n > 10000)
		die_usage("--%s: '%s' is no number from 1 to 10000", name, text);
	return (unsigned)n;
}

/* The place of text among n words. */
static unsigned choose(const char *name, const char *text, const char *const *words, unsigned n)
{
	struct str all = {0};

	for (unsigned i = 0; i < n; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	for (unsigned i = 0; i < n; i++)
		str_addf(&all, "%s%s", !i ? "" : i + 1 < n ? ", " : " or ", words[i]);
	die_usage("--%s: expected %s", name, all.p);
}

/* Options of the report on profiles; false when code is none. */
static bool take_movers(struct compare_options *c, int code)
{
	static const char *const units[] = {"path", "function", "self"}, *const observed[] = {
									     "auto", "time", "share"};
	struct movers_how *how = &c->movers;

	switch (code) {
	case OPT_REPORT:
		c->report = true;
		return true;
	case OPT_UNIT:
		how->unit = (enum unit)choose("unit", optarg, units, 3);
		return true;
	case OPT_OBSERVE:
		how->observe = (enum observe)choose("observe", optarg, observed, 3);
		return true;
	case OPT_TOP:
		c->top = positive("top", optarg);
		return true;
	case OPT_LEAST_SHARE:
		how->least_share = percent("least-share", optarg, 100);
		return true;
	case OPT_MAX_LOSS:
		c->max_loss = percent("max-loss", optarg, 100);
		return true;
	case OPT_PHI:
		how->overdispersion = positive("phi", optarg);
		return true;
	case OPT_DEPENDENT:
		how->dependent = true;
		return true;
	case OPT_FOCUS:
		how->focus = optarg;
		return true;
	case OPT_AA:
		c->self_check = true;
		return true;
	default:
		return false;
	}
}

/* Options of reports; false when code is none. */
static bool take_report(struct compare_options *c, int code)
{
	struct scalars_how *how = &c->scalars;

	switch (code) {
	case OPT_JSON:
		how->json = true;
		return true;
	case OPT_COLUMN:
		how->points.column = positive("column", optarg);
		c->numbers = true;
		return true;
	case OPT_DELIMITERS:
		how->points.delimiters = optarg;
		c->numbers = true;
		return true;
	case OPT_CONFIDENCE:
		how->proof.confidence = percent("confidence", optarg, 99.9999);
		if (how->proof.confidence < 0.5)
			die_usage("--confidence: has to be at least 50");
		return true;
	case OPT_MARGIN:
		how->proof.margin = percent("margin", optarg, 1000);
		return true;
	case OPT_PAIRED:
		how->proof.paired = true;
		return true;
	case OPT_WIDTH:
		how->plot.width = positive("width", optarg);
		return true;
	case OPT_NO_PLOT:
		how->no_plot = true;
		return true;
	case OPT_FAIL:
		how->fail_above = percent("fail-if-slower", optarg, 1e6);
		return true;
	default:
		return false;
	}
}

static void take_own(struct compare_options *c, int code, const struct option_row *rows)
{
	switch (code) {
	case OPT_OPERAND:
		add_path(&c->operands, xstrdup(optarg));
		break;
	case OPT_VS:
		if (c->vs)
			die_usage("--vs: given twice");
		c->vs = true;
		c->nbefore = c->operands.n;
		break;
	case 'n':
		c->normalise = true;
		break;
	case 's':
		c->how.strip = true;
		break;
	case OPT_FORMAT:
		c->how.reader = reader_named(optarg);
		if (!c->how.reader)
			die_usage("--format: there is no format '%s' (fold --help lists them)", optarg);
		break;
	case 'q':
		c->quiet = true;
		break;
	case 'h':
		help(rows);
	case 'V':
		version();
	default:
		die_usage("unknown option or missing argument");
	}
}

static const char *name_of(int code)
{
	for (size_t i = 0; i < options_nrows; i++)
		if (options_rows[i].code == code)
			return options_rows[i].name;
	return "";
}

static void take(struct compare_options *c, int code, const struct option_row *rows)
{
	const char *why;

	if (take_report(c, code) || take_movers(c, code))
		return;
	if (!options_take(&c->options, code, optarg, &why))
		take_own(c, code, rows);
	else if (why && code < 256)
		die_usage("-%c %s: %s", code, optarg, why);
	else if (why)
		die_usage("--%s %s: %s", name_of(code), optarg, why);
}

void compare_options_parse(struct compare_options *c, int argc, char **argv)
{
	struct option_row *rows = all_rows();
	struct option *longs;
	char *shorts;
	struct str in_order = {0};
	int code;

	options_tables(rows, options_nrows + NOWN, &longs, &shorts);
	str_addf(&in_order, "-%s", shorts); /* operands come as options do, in their place */
	while ((code = getopt_long(argc, argv, in_order.p, longs, NULL)) != -1) {
		if (code == OPT_MINISTAT)
			exit(ministat(argc - optind + 1, argv + optind - 1));
		take(c, code, rows);
	}
	for (; optind < argc; optind++) /* those after -- */
		add_path(&c->operands, xstrdup(argv[optind]));
	share_out(c);
	c->movers.proof = c->scalars.proof;
	free(longs);
	free(shorts);
	free(rows);
	str_release(&in_order);
}

void compare_options_release(struct compare_options *c)
{
	struct paths *all[] = {&c->operands, &c->sides[SIDE_ORIG], &c->sides[SIDE_PATCHED]};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		for (size_t j = 0; j < all[i]->n; j++)
			free(all[i]->items[j]);
		free(all[i]->items);
	}
	options_release(&c->options);
}

void compare_options_init(struct compare_options *c)
{
	*c = (struct compare_options){.top = 20,
	    .max_loss = 0.01,
	    .movers = {.proof = {.confidence = 0.95, .margin = 0.01},
		.least_share = 0.005,
		.overdispersion = 9},
	    .scalars = {.points = {1, " \t"},
		.proof = {.confidence = 0.95, .margin = 0.01},
		.plot = {.separate = true},
		.fail_above = NAN}};
	c->how.options = &c->options;
	c->scalars.plot.width = plot_width();
}
