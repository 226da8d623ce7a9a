/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of numbers as points over a line, in characters, as ministat draws them. */
#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fold/points.h"
#include "lib/arena.h"

enum { DEFAULT_WIDTH = 74, MAX_WIDTH = 1000 };

const char plot_marks[PLOT_MAX_SETS + 2] = " x+*%#@O";

struct canvas {
	const struct plot *plot;
	size_t width;
	double first, step; /* value at the left edge, and how much a column is */
	size_t nrows; /* from the bottom, row 0 first */
	size_t rows_used; /* what is printed of them */
	unsigned char *cells; /* sets as bits, marked together: index of the mark */
	char *bars; /* width characters for each row of bars, NUL: nothing */
	size_t nbars;
};

size_t plot_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int width;

	if (!isatty(STDOUT_FILENO))
		return DEFAULT_WIDTH;
	if (columns && *columns) {
		width = atoi(columns);
		return width > 0 && width < MAX_WIDTH ? (size_t)width : DEFAULT_WIDTH;
	}
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 2)
		return size.ws_col - 2u;
	return DEFAULT_WIDTH;
}

static void widen(double *low, double *high, double value)
{
	*low = fmin(*low, value);
	*high = fmax(*high, value);
}

/* False when all values are the same. */
static bool scale(struct canvas *c, const struct points *const *sets, size_t nsets)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < nsets; i++) {
		const struct points *s = sets[i];

		widen(&low, &high, s->sorted[0]);
		widen(&low, &high, s->sorted[s->n - 1]);
		widen(&low, &high, s->mean - s->sd);
		widen(&low, &high, s->mean + s->sd);
	}
	c->step = (high - low) / ((double)c->width - 1);
	c->first = low - c->step / 2;
	return high - low > 0 && isfinite(high - low);
}

static size_t column_of(const struct canvas *c, double value)
{
	double column = (value - c->first) / c->step;

	if (!(column > 0))
		return 0;
	return column < (double)c->width ? (size_t)column : c->width - 1;
}

/* Calls for every point, stacked from 1 up where several share a column. */
static size_t place_points(struct canvas *c, const struct points *s, unsigned bit)
{
	size_t last = SIZE_MAX, height = 0, highest = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t column = column_of(c, s->sorted[i]);

		height = column == last ? height + 1 : 1;
		last = column;
		if (bit)
			c->cells[(height - 1) * c->width + column] |= (unsigned char)bit;
		highest = height > highest ? height : highest;
	}
	return highest;
}

/* Room for n rows. What ministat does here is kept for its own sake: the height is that of the last set, and rows that come
   back are blank. */
static void set_rows(struct canvas *c, size_t n)
{
	if (n > c->nrows) {
		c->cells = xreallocarray(c->cells, n, c->width);
		memset(c->cells + c->nrows * c->width, 0, (n - c->nrows) * c->width);
		c->nrows = n;
	}
	if (!c->plot->faithful) {
		c->rows_used = c->nrows;
		return;
	}
	if (n > c->rows_used)
		memset(c->cells + c->rows_used * c->width, 0, (n - c->rows_used) * c->width);
	c->rows_used = n;
}

static void draw_bar(struct canvas *c, char *bar, const struct points *s)
{
	size_t low = column_of(c, s->mean - s->sd), high = column_of(c, s->mean + s->sd);

	bar[low] = bar[high] = '|';
	for (size_t i = low + 1; i < high; i++)
		bar[i] = bar[i] ? bar[i] : '_';
	bar[column_of(c, s->median)] = 'M';
	bar[column_of(c, s->mean)] = 'A';
}

static void draw(struct canvas *c, const struct points *const *sets, size_t nsets)
{
	c->nbars = c->plot->separate ? nsets : 1;
	c->bars = xcalloc(c->nbars, c->width);
	for (size_t i = 0; i < nsets; i++) {
		set_rows(c, place_points(c, sets[i], 0));
		place_points(c, sets[i], (unsigned)i + 1);
		draw_bar(c, c->bars + (c->plot->separate ? i : 0) * c->width, sets[i]);
	}
}

static void add_border(const struct canvas *c, struct str *out)
{
	str_addc(out, '+');
	for (size_t i = 0; i < c->width; i++)
		str_addc(out, '-');
	str_adds(out, "+\n");
}

static void add_row(const struct canvas *c, size_t row, struct str *out)
{
	str_addc(out, '|');
	for (size_t i = 0; i < c->width; i++)
		str_addc(out, plot_marks[c->cells[row * c->width + i]]);
	str_adds(out, "|\n");
}

static void add_bar(const struct canvas *c, size_t bar, struct str *out)
{
	str_addc(out, '|');
	for (size_t i = 0; i < c->width; i++)
		str_addc(out, c->bars[bar * c->width + i] ? c->bars[bar * c->width + i] : ' ');
	str_adds(out, "|\n");
}

void plot_print(const struct plot *p, const struct points *const *sets, size_t nsets, struct str *out)
{
	struct canvas c = {.plot = p, .width = p->width < 2 ? 2 : p->width};

	if (!scale(&c, sets, nsets)) {
		str_adds(out, "[no plot, span is zero width]\n");
		return;
	}
	draw(&c, sets, nsets);
	add_border(&c, out);
	for (size_t row = c.rows_used; row-- > 0;)
		add_row(&c, row, out);
	for (size_t bar = 0; bar < c.nbars; bar++)
		add_bar(&c, bar, out);
	add_border(&c, out);
	free(c.cells);
	free(c.bars);
}
