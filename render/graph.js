// What the reader does with a picture: zoom, search, turn, narrow down. surface draws boxes and knows no profile; set is what the
// file says of itself; profile is what unpack gave.
function graph(surface, set, profile) {
	const XHTML = "http://www.w3.org/1999/xhtml", nbsp = "\u00a0";
	const { names } = profile, flags = set.flags, ncolumns = profile.tree.self.length, differs = ncolumns > 1;
	// Half a pixel will do where there are millions: zooming stays quick.
	const min = profile.tree.n > 1e6 ? Math.max(+set.min, 0.5) : +set.min;
	const last = ncolumns - 1, unit = set.unit, factor = +set.factor;
	const shown = names.map((n) => n.replace(/_\[[kjiw]\]$/, ""));
	const fresh = () => ({ x: 0, panel: 0, s: "", text: false, ignore: false, width: false, inverted: flags.includes("i"), reverse: false, collapse: false, merged: false, safe: false, focus: "", exclude: "", of: "" });
	let state = fresh(), panels = [], hits = null, selected = null, field = null, panel = null, sum = null, dark = null;

	const commas = (n) => n.toLocaleString("en-US", { maximumFractionDigits: factor === 1 ? 12 : 0 });
	const percent = (part, whole) => (whole > 0 ? ((100 * part) / whole).toFixed(2) : "0.00") + "%";
	const signed = (p) => (p > 0 ? "+" : "") + (p || 0).toFixed(2) + "%";
	const nameOf = (tree, i) => (i ? shown[tree.name[i]] : state.of ? "" : "all");
	const escaped = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

	// A regular expression, or what it says as a text where it is none.
	function pattern(term, text, ignore) {
		try {
			return new RegExp(text ? escaped(term) : term, ignore ? "i" : "");
		} catch (e) {
			return new RegExp(escaped(term), ignore ? "i" : "");
		}
	}
	const namesFound = (term) => (term ? findNames(shown, pattern(term, false, false)) : null);

	// Both sides as one, each by its share: what is on one side only is there at half its share.
	function both(tree) {
		if (!tree.both) {
			const [a, b] = [tree.total[0][0] || 1, tree.total[last][0] || 1];
			tree.both = tree.total[0].map((v, i) => (v / a + tree.total[last][i] / b) / 2);
		}
		return tree.both;
	}

	const trees = new Map();
	function treeFor(callers) {
		const { focus, exclude, reverse, collapse, of } = state;
		const key = JSON.stringify([focus, exclude, reverse, collapse, of, callers]);
		if (!focus && !exclude && !reverse && !collapse && !of) return profile.tree;
		if (!trees.has(key)) {
			if (trees.size > 8) trees.clear();
			const id = of ? shown.indexOf(of) : undefined;
			trees.set(key, derive(profile.tree, names, { focus: namesFound(focus), exclude: namesFound(exclude), reverse, collapse, of: id, callers }));
		}
		return trees.get(key);
	}

	// Which graphs stand on the page, from top to bottom.
	function arrange() {
		const tree = treeFor(false), weigh = (t, c) => (differs && state.merged ? both(t) : t.total[c]);
		if (state.of) {
			const callers = treeFor(true);
			return [
				{ tree, column: last, weight: weigh(tree, last), inverted: false, label: "what " + state.of + " calls" },
				{ tree: callers, column: last, weight: weigh(callers, last), inverted: true, label: "what calls " + state.of },
			];
		}
		const one = { tree, column: last, weight: weigh(tree, last), inverted: state.inverted, main: true };
		if (!differs || state.merged || !flags.includes("s")) return [one];
		return [{ tree, column: 0, weight: tree.total[0], inverted: state.inverted, label: set.before }, Object.assign(one, { label: set.after })];
	}

	// Zooming goes by node: graphs of one tree zoom in step.
	const topOf = (p) => (panels[state.panel] && p.tree === panels[state.panel].tree && state.x < p.tree.n ? state.x : 0);

	function ownDelta(tree, i) {
		const d = tree.self[last][i] - tree.self[0][i];
		return flags.includes("n") ? -d : d;
	}

	// What a difference is painted by: the frame's share of the whole with all above it, so that a tower that is gone is one colour;
	// where compare has said frame by frame what is proven, the frame's own share.
	function paintedDelta(tree, i) {
		const of = proven ? tree.self : tree.total;
		const d = of[last][i] / (tree.total[last][0] || 1) - of[0][i] / (tree.total[0][0] || 1);
		return flags.includes("n") ? -d : d;
	}

	function largestDelta(tree) {
		if (tree.largest === undefined) {
			tree.largest = 0;
			for (let i = 1; i < tree.n; i++) tree.largest = Math.max(tree.largest, Math.abs(paintedDelta(tree, i)));
		}
		return tree.largest;
	}

	// Where compare has tested the profile's own tree, only what it found proven is painted.
	const proven = set.proven === undefined ? null : new Set(set.proven.trim().split(" ").map(Number));
	const unproven = (tree, i) => i > 0 && proven !== null && tree === profile.tree && !proven.has(i);

	function colour(p, box) {
		const { tree } = p, i = box.node, id = tree.name[i];
		if (hits && i && hits[id]) return set.search;
		if (flags.includes("w")) {
			const other = Math.trunc(100 + 150 * (1 - Math.sqrt(box.w)));
			return `rgb(255,${other},${other})`;
		}
		if (differs) {
			const d = i ? paintedDelta(tree, i) : 0, share = Math.sqrt(Math.abs(d) / (largestDelta(tree) || 1)), other = Math.trunc(210 - 130 * share);
			if (!d && !(i && unproven(tree, i))) return "rgb(250,250,250)";
			if (unproven(tree, i)) return "rgb(200,200,200)";
			if (state.safe) return d > 0 ? `rgb(${230 - Math.trunc(10 * share)},${Math.trunc(200 - 100 * share)},${Math.trunc(160 * (1 - share))})` : `rgb(${Math.trunc(190 - 96 * share)},${Math.trunc(180 - 120 * share)},${210 - Math.trunc(57 * share)})`;
			return d > 0 ? `rgb(255,${other},${other})` : `rgb(${other},${other},255)`;
		}
		if (!i) return set.root;
		if (state.safe) {
			// Cividis, by the palette's own hue.
			const [r, g, b] = profile.colours.subarray(3 * id, 3 * id + 3), v = (0.3 * r + 0.59 * g + 0.11 * b) / 255;
			return `rgb(${Math.trunc(120 + 130 * v)},${Math.trunc(125 + 100 * v)},${Math.trunc(150 - 60 * v)})`;
		}
		return `rgb(${profile.colours.subarray(3 * id, 3 * id + 3).join(",")})`;
	}

	const whole = (p) => (p.main && !state.of && !state.merged && p.tree === profile.tree ? Math.max(+set.total, p.weight[0]) : p.weight[0]);

	// As it stands in the file, so that other tools find what they know.
	function titleOf(p, box) {
		const { tree, column } = p, i = box.node;
		const count = tree.total[column][i], all = column === last && p.main ? Math.max(tree === profile.tree ? +set.total : 0, tree.total[column][0]) : tree.total[column][0];
		let text = `${nameOf(tree, i)} (${commas(count * factor)} ${unit}, ${i || count !== all ? percent(count, all) : "100%"}`;
		if (differs && i) text += "; " + signed((100 * ownDelta(tree, i)) / (tree.total[last][0] || tree.total[0][0] || 1));
		return text + ")";
	}

	// Of both sides, with the totals made equal.
	function differenceOf(p, box) {
		const { tree } = p, i = box.node;
		const side = (values) => [values[0][i] / (tree.total[0][0] || 1), values[last][i] / (tree.total[last][0] || 1)];
		const line = (what, [a, b]) => `${what}: ${(100 * a).toFixed(2)}% before, ${(100 * b).toFixed(2)}% after (${signed(100 * (b - a))})`;
		return line("with what it calls", side(tree.total)) + "\n" + line("itself", side(tree.self));
	}

	// What compare said of a place, and how sure it is.
	const verdicts = new Map((set.verdicts || "").split("|").filter(Boolean).map((v) => [+v.slice(0, v.indexOf(":")), v.slice(v.indexOf(":") + 1)]));
	const verdictOf = (p, box) => (p.tree === profile.tree && verdicts.has(box.node) ? "\ncompare: " + verdicts.get(box.node) : "");

	const tooltip = (p, box) => (set.titles.get(nameOf(p.tree, box.node)) || titleOf(p, box)) + (differs ? "\n" + differenceOf(p, box) + verdictOf(p, box) : "");

	function detailsOf(p, box) {
		const { tree, weight } = p, i = box.node, top = topOf(p);
		let text = set.type + " " + titleOf(p, box);
		if (i && tree.parent[i]) text += ", " + percent(weight[i], weight[tree.parent[i]]) + " of parent";
		if (top && i !== top && isInside(tree, i, top)) text += ", " + percent(weight[i], weight[top]) + " of zoomed";
		return text;
	}

	function tell(p, box) {
		surface.text("details", p && box ? detailsOf(p, box) : nbsp);
	}

	function draw() {
		panels = arrange();
		const width = surface.width();
		for (const p of panels) {
			const top = topOf(p);
			Object.assign(p, lay(p.tree, p.weight, top, top ? p.weight[top] : whole(p), min / width, state.width));
			if (state.of) p.boxes.shift();
			p.rows = p.boxes.reduce((most, b) => Math.max(most, b.depth), 0) + 1;
			p.colour = (box) => colour(p, box);
			p.name = (box) => nameOf(p.tree, box.node);
			p.tooltip = (box) => tooltip(p, box);
		}
		hits = state.s ? findNames(shown, pattern(state.s, state.text, state.ignore)) : null;
		surface.draw(panels, selected);
		surface.show("unzoom", JSON.stringify(state) !== JSON.stringify(unzoomed()));
		mark();
	}

	function mark() {
		const p = panels[panels.length - 1], top = topOf(p);
		sum = hits ? found(p.tree, p.weight, top, hits) : null;
		surface.text("matched", hits ? "Matched: " + percent(sum, p.weight[top]) : nbsp);
		surface.lit("search", Boolean(hits));
	}

	// The state stands in the address, so that it can be sent to somebody and the browser's back works.
	function save() {
		const normal = fresh(), at = new URLSearchParams();
		for (const key of Object.keys(state)) if (state[key] !== normal[key]) at.set(key, state[key] === true ? "1" : state[key] === false ? "0" : state[key]);
		const hash = "#" + at;
		if (hash !== (location.hash || "#")) history.pushState(null, "", hash);
	}

	function restore() {
		const at = new URLSearchParams(location.hash.slice(1));
		state = fresh();
		for (const [key, value] of at) if (key in state) state[key] = typeof state[key] === "boolean" ? value === "1" : typeof state[key] === "number" ? Number(value) || 0 : value;
		draw();
	}

	// Whatever changes the tree leaves the zoom behind.
	function change(what, remember = true) {
		if (["reverse", "collapse", "focus", "exclude", "of"].some((key) => key in what)) what = { x: 0, panel: 0, ...what };
		Object.assign(state, what);
		selected = null;
		draw();
		if (remember) save();
	}

	// All but the search as at first.
	function unzoomed() {
		const { s, text, ignore } = state;
		return { ...fresh(), s, text, ignore };
	}

	const zoom = (p, box) => change({ x: box.node, panel: panels.indexOf(p) });

	// The name that most of a search is about is copied as people write it.
	function copy(text) {
		const done = () => surface.text("details", "Copied: " + text.slice(0, 200));
		navigator.clipboard.writeText(text).then(done, () => {
			const area = html("textarea");
			area.value = text;
			surface.overlay(area);
			area.select();
			document.execCommand("copy");
			area.remove();
			done();
		});
	}

	function stackOf(p, box) {
		const frames = [];
		for (let i = box.node; i; i = p.tree.parent[i]) frames.unshift(names[p.tree.name[i]]);
		return frames.join(";");
	}

	function html(tag, props = {}, ...children) {
		const e = document.createElementNS(XHTML, tag);
		for (const [key, value] of Object.entries(props)) {
			if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
			else e.setAttribute(key, value);
		}
		e.append(...children);
		return e;
	}

	function closeField() {
		if (field) field.remove();
		field = null;
	}

	function openField() {
		if (field) return field.querySelector("input").focus();
		const input = html("input", {
			type: "text", "aria-label": "Search for a regular expression", placeholder: "regular expression",
			oninput: () => change({ s: input.value }, false),
			onkeydown: (e) => {
				if (!e.ctrlKey && !e.metaKey) e.stopPropagation();
				if (e.key === "Enter") save(), closeField();
				if (e.key === "Escape") reset();
			},
		});
		const box = (key, text) => {
			const check = html("input", { type: "checkbox", onchange: () => change({ [key]: check.checked }) });
			check.checked = state[key];
			return html("label", {}, check, text);
		};
		field = html("div", { id: "field", class: "panel" }, input, box("ignore", "ignore case"), box("text", "as text"), html("button", { onclick: () => step(1) }, "next"));
		input.value = state.s;
		surface.overlay(field);
		input.focus();
	}

	// From one frame that is found to the next, by rows of the picture.
	function step(by) {
		const all = panels.flatMap((p) => p.boxes.filter((b) => b.node && hits && hits[p.tree.name[b.node]]).map((b) => [p, b]));
		if (!all.length) return;
		const now = selected ? all.findIndex(([p, b]) => b === selected.box) : -1;
		select(...all[(now + by + all.length + (now < 0 && by < 0 ? 1 : 0)) % all.length]);
	}

	function select(p, box) {
		selected = { panel: p, box };
		surface.select(p, box);
		tell(p, box);
	}

	// Up, down, left and right among the frames on the page.
	function move(key) {
		const p = selected ? selected.panel : panels[panels.length - 1], now = selected ? selected.box : null;
		if (!now) return select(p, p.boxes.find((b) => b.node === topOf(p)) || p.boxes[0]);
		const out = (key === "ArrowUp") !== p.inverted;
		let to;
		if (key === "ArrowUp" || key === "ArrowDown") to = out ? p.boxes.find((b) => b.depth === now.depth + 1 && b.x >= now.x - 1e-9 && b.x < now.x + now.w) : p.boxes.filter((b) => b.depth === now.depth - 1 && b.x <= now.x + 1e-9).pop();
		else {
			const row = p.boxes.filter((b) => b.depth === now.depth).sort((a, b) => a.x - b.x);
			to = row[row.indexOf(now) + (key === "ArrowRight" ? 1 : -1)];
		}
		if (to) select(p, to);
	}

	function closePanel() {
		if (panel) panel.remove();
		panel = null;
	}

	function toggle(key, text) {
		const check = html("input", { type: "checkbox", onchange: () => change({ [key]: check.checked }) });
		check.checked = state[key];
		return html("label", {}, check, text);
	}

	function asked(key, text) {
		const input = html("input", { type: "text", placeholder: "regular expression", onkeydown: (e) => e.stopPropagation(), onchange: () => change({ [key]: input.value }) });
		input.value = state[key];
		return html("label", {}, text, input);
	}

	function theme(next) {
		dark = next;
		document.documentElement.classList.toggle("dark", dark === true);
		document.documentElement.classList.toggle("light", dark === false);
	}

	const button = (text, act) => html("button", { onclick: () => (closePanel(), act()) }, text);

	function openMenu(p, box) {
		closePanel();
		const parts = [];
		if (box && box.node) {
			const name = nameOf(p.tree, box.node), exact = "^" + escaped(name) + "$";
			parts.push(html("b", {}, name), button("Zoom", () => zoom(p, box)), button("Only stacks with it", () => change({ focus: exact })), button("Without it", () => change({ exclude: exact })), button("Callers and callees", () => change({ of: name })), button("Copy name", () => copy(name)), button("Copy stack", () => copy(stackOf(p, box))));
		}
		parts.push(toggle("width", "widest first"), toggle("inverted", "root on top"), toggle("reverse", "merge from the leaves"), toggle("collapse", "collapse recursion"), toggle("safe", "colours for the colour-blind"));
		if (differs) parts.push(toggle("merged", "both sides in one"));
		parts.push(asked("focus", "only stacks with "), asked("exclude", "without "));
		parts.push(button("Table", openTable), button("Dark or light", () => theme(dark === null ? !matchMedia("(prefers-color-scheme: dark)").matches : !dark)), button("Reset", reset), html("small", {}, "Keys: arrows, Enter zoom, Backspace out, / search, n N next, c C copy, t table, m menu, Esc reset"));
		panel = html("div", { id: "panel", class: "panel", role: "dialog", "aria-label": "Menu" }, ...parts);
		surface.overlay(panel);
	}

	function openTable() {
		closePanel();
		const tree = treeFor(false), rows = flat(tree, shown), all = tree.total[last][0];
		let by = "self";
		const body = html("tbody");
		const fill = () => {
			rows.sort((a, b) => b[by][last] - a[by][last] || (a.name < b.name ? -1 : 1));
			body.replaceChildren(
				...rows.slice(0, 500).map((row) => {
					const cells = [commas(row.self[last] * factor), percent(row.self[last], all), commas(row.total[last] * factor), percent(row.total[last], all)];
					if (differs) cells.push(signed(100 * (row.self[last] / (all || 1) - row.self[0] / (tree.total[0][0] || 1))), signed(100 * (row.total[last] / (all || 1) - row.total[0] / (tree.total[0][0] || 1))));
					const go = html("button", { onclick: () => change({ s: "^" + escaped(row.name) + "$" }) }, row.name);
					return html("tr", {}, ...cells.map((c) => html("td", {}, c)), html("td", {}, go));
				}),
			);
		};
		const head = (text, key) => html("th", { onclick: () => key && ((by = key), fill()) }, text);
		const heads = [head("self", "self"), head("%", "self"), head("total", "total"), head("%", "total")];
		if (differs) heads.push(head("self change"), head("total change"));
		panel = html("div", { id: "panel", class: "panel table", role: "dialog", "aria-label": "Table" }, html("button", { onclick: closePanel }, "Close"), html("table", {}, html("thead", {}, html("tr", {}, ...heads, head("frame"))), body));
		fill();
		surface.overlay(panel);
	}

	function reset() {
		closeField();
		closePanel();
		state = fresh();
		selected = null;
		draw();
		save();
	}

	function out() {
		const p = panels[state.panel] || panels[0];
		if (state.x) change({ x: p.tree.parent[state.x] });
	}

	const keys = {
		Escape: reset, F3: openField, "/": openField, n: () => step(1), N: () => step(-1), m: () => (panel ? closePanel() : openMenu(selected && selected.panel, selected && selected.box)),
		t: openTable, Backspace: out, Enter: () => selected && zoom(selected.panel, selected.box),
		c: () => selected && copy(nameOf(selected.panel.tree, selected.box.node)), C: () => selected && copy(stackOf(selected.panel, selected.box)),
	};

	window.addEventListener("keydown", (e) => {
		const control = e.ctrlKey || e.metaKey, typing = /^(input|textarea)$/.test(e.target.localName || "");
		if (control && (e.key === "f" || e.key === "i")) {
			e.preventDefault();
			if (e.key === "f") openField();
			else change({ ignore: !state.ignore });
		} else if (control || e.altKey || (typing && e.key !== "Escape" && e.key !== "F3")) {
			return;
		} else if (/^Arrow/.test(e.key)) {
			e.preventDefault();
			move(e.key);
		} else if (keys[e.key] && !(e.key === "Enter" && e.target.localName === "button")) {
			e.preventDefault();
			keys[e.key]();
		}
	});
	window.addEventListener("popstate", restore);
	window.addEventListener("resize", draw);
	surface.on({ click: zoom, over: tell, menu: openMenu });
	for (const [id, act] of Object.entries({ unzoom: () => change(unzoomed()), menu: () => keys.m(), search: () => (hits ? change({ s: "" }) : openField()) })) surface.button(id, act);
	restore();
	return {
		// Another tree of the same names in place of the profile's.
		replace(tree) {
			profile.tree = tree;
			set.total = tree.total[last][0];
			trees.clear();
			change({ x: 0, panel: 0 }, false);
		},
	};
}
