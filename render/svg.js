// Boxes as SVG. The file has drawn itself for readers without scripts; from here on it is drawn anew.
(async function () {
	const svg = document.documentElement, SVG = svg.namespaceURI, XLINK = "http://www.w3.org/1999/xlink", margin = 10;
	const byId = (id) => document.getElementById(id);
	const group = byId("frames"), before = byId("before"), set = { ...group.dataset };
	const text = (id) => (byId(id) ? byId(id).textContent : "");
	const height = +set.height, [, , drawnWidth, drawnHeight] = svg.getAttribute("viewBox").split(" ").map(Number);
	const pieces = Array.from(document.querySelectorAll("svg>text,svg>g#legend"), (e) => ({ e, y: +e.getAttribute("y"), anchor: e.getAttribute("text-anchor"), x: +e.getAttribute("x") }));
	const holders = [before || document.createElementNS(SVG, "g"), group];
	let now = { width: drawnWidth, handlers: {}, ring: null };

	holders[0].id = "before";
	if (!before) group.before(holders[0]);
	// What --nameattr says of frames.
	const extra = new Map();
	set.titles = new Map();
	for (const e of document.querySelectorAll("#frames>[data-name]")) {
		extra.set(e.dataset.name, e);
		const title = e.querySelector("title");
		if (e.dataset.title) set.titles.set(e.dataset.name, title.textContent);
	}

	function label(name, px) {
		const fits = Math.floor(px / +set.char);
		if (fits < 3) return "";
		const chars = Array.from(name);
		if (chars.length <= fits) return name;
		return set.flags.includes("l") ? ".." + chars.slice(2 - fits).join("") : chars.slice(0, fits - 2).join("") + "..";
	}

	function make(tag, attributes, content) {
		const e = document.createElementNS(SVG, tag);
		for (const key in attributes) e.setAttribute(key, attributes[key]);
		if (content !== undefined) e.textContent = content;
		return e;
	}

	function frame(p, box, scale) {
		const x = margin + box.x * scale, w = box.w * scale, name = p.name(box), known = extra.get(name);
		const e = known ? known.cloneNode(false) : document.createElementNS(SVG, "g");
		const y = p.inverted ? p.top + box.depth * height : p.bottom - (box.depth + 1) * height + 1;
		if (box.under) e.setAttribute("class", "parent");
		e.append(make("title", {}, p.tooltip(box)), make("rect", { x, y, width: w, height: height - 1, fill: p.colour(box) }));
		const short = label(name, w);
		if (short) e.append(make("text", { x: x + 3, y: y + height / 2 + 2.5 }, short));
		e.box = box;
		e.panel = p;
		return e;
	}

	function narrow(p, scale) {
		const d = p.narrow.map((r) => `M${(margin + r.x * scale).toFixed(2)} ${(p.inverted ? p.top + r.depth * height : p.bottom - (r.depth + 1) * height + 1) + height / 2}h${(r.w * scale).toFixed(2)}`);
		return make("path", { class: "narrow", d: d.join("") });
	}

	// Where the words around the picture stand when its size changes.
	function furnish(width, total) {
		for (const { e, x, y, anchor } of pieces) {
			if (e.id === "legend") e.setAttribute("transform", `translate(${width - drawnWidth} 0)`);
			if (anchor === "middle") e.setAttribute("x", width / 2);
			if (anchor === "end") e.setAttribute("x", x + width - drawnWidth);
			if (y > drawnHeight / 2 && !e.classList.contains("side")) e.setAttribute("y", y + total - drawnHeight);
		}
		byId("paper").setAttribute("width", width);
		byId("paper").setAttribute("height", total);
		svg.setAttribute("viewBox", `0 0 ${width} ${total}`);
		svg.setAttribute("height", total);
	}

	const surface = {
		width: () => (now.width = set.flags.includes("f") ? Math.max(document.documentElement.clientWidth || innerWidth, 200) : drawnWidth) - 2 * margin,
		draw(panels) {
			const scale = now.width - 2 * margin, gap = 2 * +set.font;
			let y = +set.above;
			for (const p of panels) {
				p.top = y + (p.label ? gap : 0);
				p.bottom = y = p.top + p.rows * height;
			}
			// A picture that has become lower keeps its place on the page.
			const spare = Math.max(0, drawnHeight - y - +set.below);
			for (const p of panels) {
				p.top += spare * !p.inverted;
				p.bottom += spare * !p.inverted;
			}
			furnish(now.width, y + spare + +set.below);
			for (const id of ["before-label", "after-label"]) if (byId(id)) byId(id).remove();
			const drawn = panels.map((p) => {
				const parts = p.boxes.map((box) => frame(p, box, scale));
				parts.push(narrow(p, scale));
				if (p.label) parts.push(make("text", { class: "side", x: margin, y: p.top - +set.font * 0.6 }, p.label));
				return parts;
			});
			holders[1].replaceChildren(...drawn.pop());
			holders[0].replaceChildren(...(drawn.pop() || []));
		},
		select(p, box) {
			if (now.ring) now.ring.classList.remove("selected");
			now.ring = holders.flatMap((h) => Array.from(h.children)).find((e) => e.box === box && e.panel === p) || null;
			if (now.ring) {
				now.ring.classList.add("selected");
				now.ring.scrollIntoView({ block: "nearest" });
			}
		},
		text: (id, words) => (byId(id).textContent = words),
		show: (id, yes) => (yes ? byId(id).removeAttribute("display") : byId(id).setAttribute("display", "none")),
		lit: (id, yes) => byId(id).classList.toggle("on", yes),
		overlay(e) {
			const holder = make("foreignObject", { x: 0, y: 0, width: "100%", height: "100%", class: "overlay" });
			holder.append(e);
			e.remove = () => holder.remove();
			e.style.top = Math.max(0, scrollY) + 8 + "px";
			svg.append(holder);
		},
		on(handlers) {
			const target = (e) => (e.target.closest ? e.target.closest("#frames>*,#before>*") : null);
			const call = (name) => (e) => {
				const f = target(e);
				if (!f || !f.box || (name === "click" && f.localName === "a" && !(e.ctrlKey || e.metaKey))) return;
				if (name !== "over") e.preventDefault();
				handlers[name](f.panel, f.box);
			};
			for (const h of holders) {
				h.addEventListener("click", call("click"));
				h.addEventListener("mouseover", call("over"));
				h.addEventListener("contextmenu", call("menu"));
				h.addEventListener("mouseout", () => handlers.over());
			}
		},
		button(id, act) {
			const e = byId(id);
			if (id !== "unzoom") e.removeAttribute("display");
			e.addEventListener("click", act);
			e.addEventListener("keydown", (key) => (key.key === "Enter" || key.key === " ") && (key.preventDefault(), key.stopPropagation(), act()));
		},
	};
	try {
		graph(surface, set, unpack(await inflate(text("profile"))));
		svg.setAttribute("role", "application");
	} catch (e) {
		byId("details").textContent = "This browser cannot show more than the picture: " + e.message;
	}
})();
