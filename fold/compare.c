/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare: two sides of runs in; differential folded lines or a report out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fold/compare_options.h"
#include "lib/die.h"

/* Profiles. */

static bool load(struct compare_options *c, struct runs *runs)
{
	bool ok = true;

	if (!c->sides[SIDE_ORIG].n)
		return runs_add_table(runs, &c->how, c->operands.items[0]);
	for (enum side side = SIDE_ORIG; side < NSIDES; side++)
		for (size_t i = 0; i < c->sides[side].n; i++)
			ok &= runs_add(runs, &c->how, side, c->sides[side].items[i]);
	return ok;
}

static void add_side(const struct runs *runs, enum side side, struct str *text)
{
	u128 samples = 0, lost = 0;

	for (size_t i = 0; i < runs->n; i++) {
		if (runs->items[i].side != side)
			continue;
		samples = count_sum(samples, runs->items[i].samples);
		lost = count_sum(lost, runs->items[i].lost);
	}
	str_addf(text, "%s: %zu %s, ", side_names[side], runs->nside[side],
	    runs->nside[side] == 1 ? "run" : "runs");
	count_add_commas(text, samples);
	str_adds(text, " samples, ");
	count_add_commas(text, lost);
	str_adds(text, " lost; ");
}

static void summarize(const struct runs *runs)
{
	struct str text = {0};
	u128 excluded = 0;

	for (enum side side = SIDE_ORIG; side < NSIDES; side++)
		add_side(runs, side, &text);
	for (size_t i = 0; i < runs->n; i++)
		excluded = count_sum(excluded, runs->items[i].excluded);
	count_add_commas(&text, count_of(runs->stacks.ncells));
	str_adds(&text, " stacks");
	if (excluded) {
		str_adds(&text, "; ");
		count_add_commas(&text, excluded);
		str_adds(&text, " samples left out");
	}
	warn("%s", text.p);
	str_release(&text);
}

/* False, after a message, when a report on these runs could not be trusted: what is lost is not lost evenly. */
static bool check_losses(const struct compare_options *c, const struct runs *runs)
{
	bool ok = true;

	for (size_t i = 0; i < runs->n; i++) {
		double lost = count_double(runs->items[i].lost),
		       all = lost + count_double(runs->items[i].samples);

		if (all > 0 && lost / all > c->max_loss) {
			warn("%s: %.2f%% of its samples were lost (--max-loss=%g)", runs->items[i].name,
			    100 * lost / all, 100 * c->max_loss);
			ok = false;
		}
	}
	return ok;
}

/* Is a slow-down above what --fail-if-slower allows proven? Of the total where runs are fixed work, else of any one place. */
static bool is_slower(const struct compare_options *c, const struct movers *m)
{
	double most = c->scalars.fail_above;
	bool any = false;

	if (isnan(most) || m->exploratory)
		return false;
	if (m->observe == OBSERVE_TIME)
		return m->total.effect.has_ratio && m->total.effect.ratio_low > most;
	for (size_t i = 0; i < m->n; i++)
		any |= m->items[i].effect.finding == FOUND_MORE && m->items[i].low > most;
	return any;
}

static int report(struct compare_options *c, struct runs *runs)
{
	struct movers m;
	struct str out = {0};
	int status;

	if (!check_losses(c, runs))
		return EXIT_FAILURE;
	movers_find(&m, runs, &c->movers);
	if (c->scalars.json)
		movers_print_json(&m, &out);
	else
		movers_print(&m, c->top, &out);
	fwrite(out.p, 1, out.n, stdout);
	if (m.exploratory && !isnan(c->scalars.fail_above))
		warn("--fail-if-slower: fewer than %d runs a side prove nothing", MOVERS_LEAST_RUNS);
	status = is_slower(c, &m) ? EXIT_SLOWER : EXIT_SUCCESS;
	movers_release(&m);
	str_release(&out);
	return status;
}

/* What the procedure finds between runs of the same side. */
static int self_check(const struct compare_options *c, const struct runs *runs)
{
	int status = EXIT_FAILURE;

	for (enum side side = SIDE_ORIG; side < NSIDES; side++) {
		unsigned n;

		if (runs->nside[side] < MOVERS_SPLIT_LEAST) {
			warn("--aa: %s has %zu runs; at least %d are needed", side_names[side],
			    runs->nside[side], MOVERS_SPLIT_LEAST);
			continue;
		}
		status = EXIT_SUCCESS;
		n = movers_self_check(runs, side, &c->movers);
		printf("%s: %u of %d random splits of its %zu runs show a difference (%.1f%%)%s\n",
		    side_names[side], n, MOVERS_SPLITS, runs->nside[side], 100.0 * n / MOVERS_SPLITS,
		    n > MOVERS_SPLITS / 10
			? ": runs not exchangeable; were they recorded one after the other, or in turn?"
			: ", as it should be");
	}
	return status;
}

/* Lines for render, with what is proven where there are runs enough. */
static void print_lines(struct compare_options *c, struct runs *runs)
{
	struct str verdicts = {0};

	if (!c->options.no_header && runs->nside[0] >= MOVERS_LEAST_RUNS &&
	    runs->nside[1] >= MOVERS_LEAST_RUNS && check_losses(c, runs)) {
		struct movers m;

		movers_find(&m, runs, &c->movers);
		movers_print_verdicts(&m, &verdicts);
		movers_release(&m);
	}
	runs_print(runs, !c->options.no_header, str_span(&verdicts));
	str_release(&verdicts);
}

static int compare_profiles(struct compare_options *c)
{
	struct runs runs = {0};
	bool ok = load(c, &runs);
	int status = !ok;

	if (c->movers.proof.paired && runs.nside[SIDE_ORIG] != runs.nside[SIDE_PATCHED])
		die("--paired: %zu and %zu runs make no pairs", runs.nside[SIDE_ORIG],
		    runs.nside[SIDE_PATCHED]);
	if (c->normalise)
		runs_normalise(&runs);
	if (!runs.stacks.ncells && !ok)
		status = EXIT_FAILURE;
	else if (c->self_check)
		status |= self_check(c, &runs);
	else if (c->report || c->scalars.json)
		status |= report(c, &runs);
	else
		print_lines(c, &runs);
	if (ok && !c->quiet && !c->report)
		summarize(&runs);
	runs_release(&runs);
	return status;
}

/* Numbers. */

/* What the first input of the original's side is decides. */
static enum scalars_kind kind_of(const struct compare_options *c)
{
	const struct paths *first = c->sides[SIDE_ORIG].n ? &c->sides[SIDE_ORIG] : &c->operands;

	if (c->numbers)
		return SCALARS_NUMBERS;
	return c->how.reader ? SCALARS_NONE : scalars_probe(first->items[0]);
}

static enum scalars_result compare_numbers(struct compare_options *c)
{
	const struct paths *orig = &c->sides[SIDE_ORIG], *patched = &c->sides[SIDE_PATCHED];

	if (!orig->n)
		die_usage("plain numbers: give two files, or --ministat");
	return scalars_numbers(&c->scalars, orig->items, orig->n, patched->items, patched->n);
}

static enum scalars_result compare_measured(struct compare_options *c)
{
	const struct paths *orig = &c->sides[SIDE_ORIG], *patched = &c->sides[SIDE_PATCHED];

	if (!orig->n)
		return scalars_measure(&c->scalars, c->operands.items[0], NULL);
	if (orig->n > 1 || patched->n > 1)
		die_usage("measure's JSON: one file a side");
	return scalars_measure(&c->scalars, orig->items[0], patched->items[0]);
}

static int compare(struct compare_options *c)
{
	static const int statuses[] = {[SCALARS_OK] = 0, [SCALARS_ERROR] = 1, [SCALARS_SLOWER] = EXIT_SLOWER};

	switch (kind_of(c)) {
	case SCALARS_NUMBERS:
		return statuses[compare_numbers(c)];
	case SCALARS_MEASURE:
		return statuses[compare_measured(c)];
	default:
		return compare_profiles(c);
	}
}

int main(int argc, char **argv)
{
	struct compare_options c;
	int status;

	compare_options_init(&c);
	compare_options_parse(&c, argc, argv);
	status = compare(&c);
	close_stdout();
	compare_options_release(&c);
	return status;
}
