// Samples over time: a column for each second, a row for each slice of it, as FlameScope draws them. A range that is dragged out, or
// whose first and last slice are clicked, is what the flame graph shows.
function unpackSlices(bytes) {
	let at = 0, slice = 0;
	const number = () => {
		let v = 0, scale = 1, b;
		do {
			b = bytes[at++];
			v += (b & 127) * scale;
			scale *= 128;
		} while (b > 127);
		return v;
	};
	const width = number() / 1e6, n = number(), entries = [];
	for (let i = 0; i < n; i++) {
		slice += number();
		entries.push({ slice, node: number(), count: number() / 1e6 });
	}
	return { width, entries };
}

function heatmap({ width, entries }, profile, replace) {
	const whole = profile.tree;
	const canvas = document.getElementById("heat"), ink = canvas.getContext("2d"), said = document.getElementById("range");
	const rows = Math.max(1, Math.min(100, Math.round(1 / width))), nslices = entries.length ? entries[entries.length - 1].slice + 1 : 1;
	const columns = Math.ceil(nslices / rows), sums = new Float64Array(columns * rows), cell = Math.max(2, Math.min(16, Math.floor((document.body.clientWidth - 20) / columns)));
	const line = Math.max(2, Math.floor(300 / rows));
	let range = null, from = null;

	for (const e of entries) sums[e.slice] += e.count;
	const most = sums.reduce((a, b) => Math.max(a, b), 0) || 1;
	canvas.width = columns * cell;
	canvas.height = rows * line;

	// Seconds run to the right, slices of a second upwards.
	const place = (slice) => [Math.floor(slice / rows) * cell, (rows - 1 - (slice % rows)) * line];
	function paint() {
		ink.clearRect(0, 0, canvas.width, canvas.height);
		for (let i = 0; i < columns * rows; i++) {
			const v = Math.sqrt(sums[i] / most), inside = range && i >= range[0] && i <= range[1];
			ink.fillStyle = inside ? `rgb(${255 - 200 * v},${255 - 120 * v},255)` : `rgb(255,${Math.trunc(255 - 230 * v)},${Math.trunc(245 - 235 * v)})`;
			ink.fillRect(...place(i), cell - 1, line - (line > 2));
		}
	}

	const seconds = (slice) => (slice * width).toFixed(Math.max(0, Math.ceil(-Math.log10(width)))) + " s";
	function select(a, b) {
		const self = whole.self.map((column) => new Float64Array(column.length));
		range = a === null ? null : [Math.min(a, b), Math.max(a, b)];
		for (const e of entries) if (!range || (e.slice >= range[0] && e.slice <= range[1])) self[0][e.node] += e.count;
		said.textContent = range ? `${seconds(range[0])} to ${seconds(range[1] + 1)}` : "all";
		paint();
		replace(link({ n: whole.n, parent: whole.parent, name: whole.name, self }));
	}

	const slot = (e) => {
		const r = canvas.getBoundingClientRect(), x = Math.floor((e.clientX - r.left) / cell), y = rows - 1 - Math.floor((e.clientY - r.top) / line);
		return Math.max(0, Math.min(columns * rows - 1, x * rows + Math.max(0, Math.min(rows - 1, y))));
	};
	canvas.addEventListener("mousedown", (e) => (from = slot(e)));
	canvas.addEventListener("mousemove", (e) => {
		const i = slot(e);
		canvas.title = `${seconds(i)}: ${sums[i]}`;
		if (from !== null && e.buttons) (range = [Math.min(from, i), Math.max(from, i)]), paint();
	});
	canvas.addEventListener("mouseup", (e) => {
		if (from !== null) select(from, slot(e));
		from = null;
	});
	document.getElementById("whole").addEventListener("click", () => select(null));
	paint();
}
