// Boxes on a canvas. It is as high as the window and is drawn for the rows that are in view, so that millions of frames will do.
function canvasSurface(set) {
	const byId = (id) => document.getElementById(id), canvas = byId("canvas"), holder = byId("frames"), ink = canvas.getContext("2d");
	const height = +set.height, margin = 10, gap = 2 * +set.font;
	let panels = [], chosen = null, over = null;

	function label(name, px) {
		const fits = Math.floor((px - 4) / +set.char);
		if (fits < 3) return "";
		const chars = Array.from(name);
		if (chars.length <= fits) return name;
		return set.flags.includes("l") ? ".." + chars.slice(2 - fits).join("") : chars.slice(0, fits - 2).join("") + "..";
	}

	const top = (p, box) => (p.inverted ? p.top + box.depth * height : p.bottom - (box.depth + 1) * height);
	const scale = () => canvas.clientWidth - 2 * margin;

	function paintFrame(p, box, from, s) {
		const y = top(p, box) - from, x = margin + box.x * s, w = box.w * s;
		if (y < -height || y > canvas.clientHeight) return;
		ink.globalAlpha = box.under ? 0.5 : 1;
		ink.fillStyle = p.colour(box);
		ink.fillRect(x, y, Math.max(w - 0.5, 0.3), height - 1);
		const short = label(p.name(box), w);
		if (short) {
			ink.fillStyle = "#000";
			ink.fillText(short, x + 3, y + height / 2 + 2.5);
		}
	}

	function paint() {
		const s = scale(), ratio = devicePixelRatio || 1, from = Math.max(0, -holder.getBoundingClientRect().top);
		canvas.width = canvas.clientWidth * ratio;
		canvas.height = canvas.clientHeight * ratio;
		ink.scale(ratio, ratio);
		ink.font = `${set.font}px ${getComputedStyle(document.body).fontFamily}`;
		for (const p of panels) {
			for (const box of p.boxes) paintFrame(p, box, from, s);
			ink.globalAlpha = 1;
			ink.fillStyle = "#888";
			for (const r of p.narrow) ink.fillRect(margin + r.x * s, top(p, r) - from + height / 2 - 1, r.w * s, 2);
			ink.fillStyle = getComputedStyle(document.body).color;
			if (p.label) ink.fillText(p.label, margin, p.top - from - gap / 4);
		}
		if (chosen) {
			ink.strokeStyle = "#000";
			ink.lineWidth = 2;
			ink.strokeRect(margin + chosen.box.x * s, top(chosen.p, chosen.box) - from, chosen.box.w * s, height - 1);
		}
	}

	// The frame under the pointer.
	function at(e) {
		const place = canvas.getBoundingClientRect(), from = Math.max(0, -holder.getBoundingClientRect().top);
		const x = (e.clientX - place.left - margin) / scale(), y = e.clientY - place.top + from;
		for (const p of panels) {
			if (y < p.top || y >= p.bottom) continue;
			const depth = Math.floor((p.inverted ? y - p.top : p.bottom - y) / height);
			const box = p.boxes.find((b) => b.depth === depth && b.x <= x && x < b.x + b.w);
			if (box) return [p, box];
		}
		return [];
	}

	addEventListener("scroll", paint);
	return {
		width: () => scale(),
		draw(now) {
			let y = 0;
			panels = now;
			chosen = null;
			for (const p of panels) {
				p.top = y + (p.label ? gap : 0);
				p.bottom = y = p.top + p.rows * height;
			}
			holder.style.height = y + "px";
			canvas.style.height = Math.min(y, innerHeight) + "px";
			paint();
		},
		select(p, box) {
			chosen = { p, box };
			const y = top(p, box) + holder.getBoundingClientRect().top;
			if (y < 0 || y > innerHeight - 2 * height) scrollBy(0, y - innerHeight / 2);
			paint();
		},
		text: (id, words) => (byId(id).textContent = words),
		show: (id, yes) => (byId(id).hidden = !yes),
		lit: (id, yes) => byId(id).classList.toggle("on", yes),
		overlay: (e) => document.body.append(e),
		on(handlers) {
			const call = (act, e) => {
				const [p, box] = at(e);
				if (!box) return;
				e.preventDefault();
				act(p, box);
			};
			canvas.addEventListener("click", (e) => call(handlers.click, e));
			canvas.addEventListener("contextmenu", (e) => call(handlers.menu, e));
			canvas.addEventListener("mousemove", (e) => {
				const [p, box] = at(e);
				if (box === over) return;
				over = box;
				canvas.title = box ? p.tooltip(box) : "";
				handlers.over(p, box);
			});
		},
		button: (id, act) => byId(id).addEventListener("click", act),
		frames: () => panels.flatMap((p) => p.boxes.map((b) => ({ p, b, x: margin + b.x * scale(), y: top(p, b), w: b.w * scale() }))),
	};
}

addEventListener("load", async () => {
	const holder = document.getElementById("frames"), set = { ...holder.dataset, titles: new Map() };
	try {
		const profile = unpack(await inflate(document.getElementById("profile").textContent)), surface = canvasSurface(set);
		const page = graph(surface, set, profile), slices = document.getElementById("slices");
		if (slices) heatmap(unpackSlices(await inflate(slices.textContent)), profile, page.replace);
		window.flamegraph = surface;
	} catch (e) {
		document.getElementById("details").textContent = "This browser cannot show the profile: " + e.message;
	}
});
