// Makes the picture answer: zoom, search, details. Frames stand in the order of a walk from the root, parents first, and each
// carries its start and count (data-s, data-n) in samples; widths are always computed from these, so nothing is lost by zooming.
"use strict";
(function () {
	const svg = document.documentElement, SVG = svg.namespaceURI;
	const byId = (id) => document.getElementById(id);
	const group = byId("frames"), details = byId("details"), matched = byId("matched"), unzoom = byId("unzoom"), button = byId("search");
	const set = group.dataset;
	const left = +set.left, width = +set.width, charWidth = +set.char, total = +set.total;
	const nbsp = "\u00a0";

	const frames = Array.from(group.children, (g) => {
		const rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
		const name = title.slice(0, title.lastIndexOf(" ("));
		return { g, rect, text: g.querySelector("text"), title, name, start: +g.dataset.s, count: +g.dataset.n, y: +rect.getAttribute("y"), fill: rect.getAttribute("fill"), hit: false };
	});
	const root = frames[0];
	let zoomed = root, pattern = null, field = null;

	// As much of the name as fits.
	function label(f, px) {
		const fits = Math.floor(px / charWidth), chars = Array.from(f.name);
		f.text.textContent = fits < 3 ? "" : chars.length <= fits ? f.name : chars.slice(0, fits - 2).join("") + "..";
	}

	function place(f, x, w) {
		f.rect.setAttribute("x", x);
		f.rect.setAttribute("width", w);
		f.text.setAttribute("x", x + 3);
		label(f, w);
	}

	const inside = (f, outer) => f.start >= outer.start && f.start + f.count <= outer.start + outer.count;
	// Towards the leaves?
	const above = (f, other) => (set.inverted === "1" ? f.y > other.y : f.y < other.y);

	function draw() {
		const from = zoomed.start, scale = width / (zoomed === root ? total : zoomed.count);
		for (const f of frames) {
			const ancestor = f !== zoomed && inside(zoomed, f) && above(zoomed, f);
			const shown = f === zoomed || ancestor || (inside(f, zoomed) && above(f, zoomed));
			f.g.classList.toggle("parent", ancestor);
			f.g.classList.toggle("hide", !shown);
			f.shown = shown;
			if (shown) place(f, ancestor ? left : left + (f.start - from) * scale, ancestor ? width : Math.max(f.count * scale, 0));
		}
		unzoom.classList.toggle("hide", zoomed === root);
		mark();
	}

	// Colours what matches and says how much of what is shown it is; a frame above another that matches counts once.
	function mark() {
		let sum = 0, end = -1;
		for (const f of frames) {
			f.hit = pattern !== null && pattern.test(f.name);
			f.rect.setAttribute("fill", f.hit ? set.search : f.fill);
			if (!f.hit || !f.shown || f.g.classList.contains("parent")) continue;
			if (f.start + f.count <= end) continue;
			sum += f.count;
			end = f.start + f.count;
		}
		// What is zoomed into matches as a whole when a frame below it does.
		const under = pattern !== null && frames.some((f) => f.hit && f.g.classList.contains("parent"));
		const whole = zoomed === root ? root.count : zoomed.count;
		matched.textContent = pattern === null ? nbsp : "Matched: " + (100 * (under ? 1 : whole ? sum / whole : 0)).toFixed(2) + "%";
		button.classList.toggle("on", pattern !== null);
	}

	function zoom(f, remember) {
		zoomed = f;
		draw();
		if (remember) save();
	}

	function search(term, remember) {
		pattern = null;
		if (term) {
			try {
				pattern = new RegExp(term);
			} catch (e) {
				pattern = new RegExp(term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
			}
			pattern.term = term;
		}
		mark();
		if (remember) save();
	}

	// The state stands in the address, so that it can be sent to somebody and the browser's back works.
	function save() {
		const parts = [];
		if (zoomed !== root) parts.push("x=" + frames.indexOf(zoomed));
		if (pattern) parts.push("s=" + encodeURIComponent(pattern.term));
		const hash = parts.length ? "#" + parts.join("&") : "#";
		if (hash !== (location.hash || "#")) history.pushState(null, "", hash);
	}

	function restore() {
		const at = new URLSearchParams(location.hash.slice(1));
		search(at.get("s"), false);
		zoom(frames[+at.get("x")] || root, false);
	}

	function closeField() {
		if (field) field.remove();
		field = null;
	}

	function openField() {
		if (field) return field.firstChild.focus();
		const input = document.createElementNS("http://www.w3.org/1999/xhtml", "input");
		field = document.createElementNS(SVG, "foreignObject");
		for (const [k, v] of [["id", "field"], ["x", left + width - 300], ["y", 4], ["width", 300], ["height", 26]]) field.setAttribute(k, v);
		input.setAttribute("type", "text");
		input.setAttribute("aria-label", "Search for a regular expression");
		input.setAttribute("placeholder", "regular expression");
		input.style.cssText = "width:290px";
		input.value = pattern ? pattern.term : "";
		input.addEventListener("input", () => search(input.value, false));
		input.addEventListener("keydown", (e) => {
			if (e.key === "Enter") {
				search(input.value, true);
				closeField();
			}
		});
		field.appendChild(input);
		svg.appendChild(field);
		input.focus();
	}

	function reset() {
		closeField();
		search(null, false);
		zoom(root, false);
		save();
	}

	const frameOf = (e) => {
		const g = e.target.closest ? e.target.closest("#frames>g") : null;
		return g ? frames.find((f) => f.g === g) : null;
	};

	group.addEventListener("click", (e) => {
		const f = frameOf(e);
		if (f) zoom(f, true);
	});
	group.addEventListener("mouseover", (e) => {
		const f = frameOf(e);
		details.textContent = f ? set.type + " " + f.title : nbsp;
	});
	group.addEventListener("mouseout", () => (details.textContent = nbsp));
	unzoom.addEventListener("click", () => zoom(root, true));
	button.addEventListener("click", () => (pattern ? search(null, true) : openField()));
	window.addEventListener("keydown", (e) => {
		if (e.key === "F3" || ((e.ctrlKey || e.metaKey) && e.key === "f")) {
			e.preventDefault();
			openField();
		} else if (e.key === "Escape") {
			reset();
		}
	});
	window.addEventListener("popstate", restore);
	restore();
})();
