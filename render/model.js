"use strict";
// The profile: how it is unpacked, and the trees that can be made of it. Nothing here knows how it is drawn.

// Base64 of a zlib stream to bytes.
async function inflate(text) {
	const bytes = Uint8Array.from(atob(text.replace(/\s+/g, "")), (c) => c.charCodeAt(0));
	const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(plain).arrayBuffer());
}

// "THE PROFILE INSIDE A PICTURE" of folded(5). Counts are numbers: exact up to 2^53.
function unpack(bytes) {
	const utf8 = new TextDecoder();
	let at = 0;
	const number = () => {
		let v = 0, scale = 1, b;
		do {
			b = bytes[at++];
			v += (b & 127) * scale;
			scale *= 128;
		} while (b > 127);
		return v;
	};
	const text = (n) => utf8.decode(bytes.subarray(at, (at += n)));
	if (text(4) !== "FP1\n") throw new Error("the profile in this file is damaged");
	const header = text(number()), ncolumns = number(), unit = 10 ** number(), nnames = number(), n = number() + 1;
	const names = Array.from({ length: nnames }, () => text(number()));
	const colours = bytes.subarray(at, (at += 3 * nnames));
	const parent = new Int32Array(n), name = new Int32Array(n), path = [0];
	for (let i = 1, depth = 0; i < n; i++) {
		depth -= number();
		parent[i] = path[depth];
		path[++depth] = i;
	}
	name[0] = -1;
	for (let i = 1; i < n; i++) name[i] = number();
	const self = Array.from({ length: ncolumns }, () => new Float64Array(n));
	for (const column of self) for (let i = 0; i < n; i++) column[i] = number() / unit;
	return { header, names, colours, tree: link({ n, parent, name, self }) };
}

// Sums up and links; order gives the nodes but the root in the order in which siblings shall stand.
function link(tree, order) {
	const { n, parent } = tree;
	tree.first = new Int32Array(n);
	tree.next = new Int32Array(n);
	tree.total = tree.self.map((column) => column.slice());
	tree.depth = new Int32Array(n);
	for (let i = 1; i < n; i++) tree.depth[i] = tree.depth[parent[i]] + 1;
	for (let k = n - 1; k > 0; k--) {
		const i = order ? order[k - 1] : k;
		tree.next[i] = tree.first[parent[i]];
		tree.first[parent[i]] = i;
	}
	for (let i = n - 1; i > 0; i--) for (const column of tree.total) column[parent[i]] += column[i];
	return tree;
}

// A tree that grows stack by stack.
function builder(names, ncolumns) {
	const parent = [0], name = [-1], self = Array.from({ length: ncolumns }, () => [0]), known = new Map();
	return {
		add(stack, from, node) {
			let at = 0;
			for (const id of stack) {
				const key = at * names.length + id;
				let child = known.get(key);
				if (child === undefined) {
					child = parent.length;
					known.set(key, child);
					parent.push(at);
					name.push(id);
					for (const column of self) column.push(0);
				}
				at = child;
			}
			self.forEach((column, i) => (column[at] += from.self[i][node]));
		},
		finish() {
			const sorted = names.map((_, i) => i).sort((a, b) => (names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : 0));
			const rank = new Int32Array(names.length);
			sorted.forEach((id, i) => (rank[id] = i));
			const order = Int32Array.from({ length: parent.length - 1 }, (_, i) => i + 1).sort((a, b) => rank[name[a]] - rank[name[b]]);
			return link({ n: parent.length, parent: Int32Array.from(parent), name: Int32Array.from(name), self: self.map((c) => Float64Array.from(c)) }, order);
		},
	};
}

const some = (tree, i) => tree.self.some((column) => column[i] > 0);

// Which names a pattern finds, by number. A search is only over names, each looked at once.
function findNames(names, pattern) {
	return Uint8Array.from(names, (n) => (pattern.test(n) ? 1 : 0));
}

// Another tree from this one: how has focus and exclude (which names, or null), collapse, reverse, and of (a name's number) with
// callers: what calls it, else what it calls.
function derive(tree, names, how) {
	const out = builder(names, tree.self.length), path = [], left = [false], kept = [!how.focus];
	for (let i = 0; i < tree.n; i++) {
		const depth = tree.depth[i], id = tree.name[i];
		if (i) {
			path.length = depth;
			path[depth - 1] = id;
			left[depth] = left[depth - 1] || Boolean(how.exclude && how.exclude[id]);
			kept[depth] = kept[depth - 1] || Boolean(how.focus && how.focus[id]);
		}
		if (!some(tree, i) || left[depth] || !kept[depth]) continue;
		let stack = how.collapse ? path.filter((name, k) => name !== path[k - 1]) : path;
		if (how.of !== undefined) {
			const at = stack.indexOf(how.of);
			if (at < 0) continue;
			stack = how.callers ? stack.slice(0, at + 1).reverse() : stack.slice(at);
		} else if (how.reverse) {
			stack = stack.slice().reverse();
		}
		out.add(stack, tree, i);
	}
	return out.finish();
}

// Self and total of each name; a recursive call counts once.
function flat(tree, names) {
	const rows = names.map((name, id) => ({ id, name, self: tree.self.map(() => 0), total: tree.self.map(() => 0) }));
	const open = new Int32Array(names.length), path = [];
	for (let i = 1; i < tree.n; i++) {
		while (path.length >= tree.depth[i]) open[path.pop()]--;
		const row = rows[tree.name[i]], outermost = !open[tree.name[i]];
		path.push(tree.name[i]);
		open[tree.name[i]]++;
		for (let c = 0; c < row.self.length; c++) {
			row.self[c] += tree.self[c][i];
			if (outermost) row.total[c] += tree.total[c][i];
		}
	}
	return rows.filter((row) => row.total.some((v) => v > 0));
}

function isInside(tree, node, outer) {
	while (tree.depth[node] > tree.depth[outer]) node = tree.parent[node];
	return node === outer;
}

// How much of what is under top is in frames found; what stands on one that is found is not counted again.
function found(tree, weight, top, hits) {
	for (let i = top; i; i = tree.parent[i]) if (hits[tree.name[i]]) return weight[top];
	let sum = 0;
	const todo = [top];
	while (todo.length) {
		for (let i = tree.first[todo.pop()]; i; i = tree.next[i]) {
			if (hits[tree.name[i]]) sum += weight[i];
			else todo.push(i);
		}
	}
	return sum;
}

// The frames to draw of what is under top, parents first: shares of the width, with the frames that top stands on at full width.
// What is below min is gathered in narrow.
function lay(tree, weight, top, whole, min, byWidth) {
	const boxes = [], narrow = [], todo = [];
	for (let i = top; i; i = tree.parent[i]) boxes.unshift({ node: tree.parent[i], depth: tree.depth[i] - 1, x: 0, w: 1, under: true });
	const scale = whole > 0 ? 1 / whole : 0;
	todo.push({ node: top, depth: tree.depth[top], x: 0, w: weight[top] * scale, under: false });
	while (todo.length) {
		const box = todo.pop(), children = [];
		let sum = 0, run = null;
		boxes.push(box);
		for (let i = tree.first[box.node]; i; i = tree.next[i]) {
			children.push(i);
			sum += weight[i];
		}
		if (byWidth) children.sort((a, b) => weight[b] - weight[a] || a - b);
		let x = box.x + Math.max(0, weight[box.node] - sum) * scale;
		const row = [];
		for (const i of children) {
			const w = weight[i] * scale;
			if (w >= min && w > 0) {
				row.push({ node: i, depth: box.depth + 1, x, w, under: false });
				run = null;
			} else if (w > 0) {
				if (!run) narrow.push((run = { node: box.node, depth: box.depth + 1, x, w: 0, n: 0 }));
				run.w += w;
				run.n++;
			}
			x += w;
		}
		while (row.length) todo.push(row.pop());
	}
	return { boxes, narrow: narrow.filter((r) => r.w >= min / 2) };
}
