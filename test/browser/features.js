// What the page does beyond zoom and search: node features.js FOLDER [SCREENSHOT-FOLDER], with the pictures of test/render.bats.
"use strict";
const assert = require("assert");
const { run } = require("./cdp.js");
const folder = process.argv[2], shots = process.argv[3];

const frame = (name) => `Array.from(document.querySelectorAll("#frames>g")).find(g => g.querySelector("title").textContent.startsWith(${JSON.stringify(name + " (")}))`;
const titles = (page, of = "#frames") => page.eval(`Array.from(document.querySelectorAll("${of}>g title"), t => t.textContent.split("\\n")[0])`);
const names = async (page, of) => (await titles(page, of)).map((t) => t.replace(/ \(.*/, "")).join(" ");
const text = (page, id) => page.eval(`document.getElementById(${JSON.stringify(id)}).textContent`);
const width = (page, name) => page.eval(`+${frame(name)}.querySelector("rect").getAttribute("width")`);
const shot = (page, name) => shots && page.screenshot(shots + "/" + name + ".png");
const press = (page, label) => page.eval(`Array.from(document.querySelectorAll("#panel button")).find(b => b.textContent === ${JSON.stringify(label)}).click()`);
const check = (page, label) => page.eval(`Array.from(document.querySelectorAll("#panel label")).find(l => l.textContent === ${JSON.stringify(label)}).querySelector("input").click()`);
const menuOf = (page, name) => page.eval(`${frame(name)}.dispatchEvent(new MouseEvent("contextmenu", { bubbles: true, cancelable: true }))`);
const settle = (page) => page.eval("new Promise((r) => setTimeout(r, 50))");

async function load(page, file) {
	await page.open("about:blank");
	await page.open(folder + "/" + file);
	await page.eval(`new Promise((r) => { (function look() { document.documentElement.getAttribute("role") === "application" || window.flamegraph ? r() : setTimeout(look, 5) })() })`);
}

run({
	"widest first": async (page) => {
		await load(page, "o.svg");
		await page.key("m", 0, "m");
		await check(page, "widest first");
		assert.equal(await names(page), "all a b d c e d");
		await check(page, "widest first");
	},
	"root on top": async (page) => {
		const y = (name) => page.eval(`+${frame(name)}.querySelector("rect").getAttribute("y")`);
		assert.ok((await y("a")) < (await y("all")));
		await check(page, "root on top");
		assert.ok((await y("a")) > (await y("all")));
		await check(page, "root on top");
	},
	"merged from the leaves": async (page) => {
		await check(page, "merge from the leaves");
		assert.equal(await names(page), "all b a c b a d b a e e");
		assert.ok((await titles(page)).includes("d (40 samples, 40.00%)"));
		await check(page, "merge from the leaves");
	},
	"only stacks with a frame, and without one: the rest is the whole": async (page) => {
		await menuOf(page, "b");
		await press(page, "Only stacks with it");
		assert.equal(await names(page), "all a b c d");
		assert.ok((await titles(page)).includes("a (60 samples, 100.00%)"));
		await page.key("Escape");
		await menuOf(page, "a");
		await press(page, "Without it");
		assert.deepEqual(await titles(page), ["all (40 samples, 100%)", "e (40 samples, 100.00%)", "d (10 samples, 25.00%)"]);
		await page.key("Escape");
	},
	"callers and callees": async (page) => {
		await menuOf(page, "d");
		await press(page, "Callers and callees");
		assert.equal(await names(page, "#before"), "d");
		assert.equal(await names(page), "d b a e");
		await shot(page, "sandwich");
		await page.key("Escape");
	},
	"a table of self and total": async (page) => {
		await page.key("t", 0, "t");
		const rows = await page.eval(`Array.from(document.querySelectorAll("#panel tbody tr"), r => Array.from(r.children, c => c.textContent).join(" "))`);
		assert.deepEqual(rows, ["40 40.00% 40 40.00% d", "30 30.00% 40 40.00% e", "20 20.00% 20 20.00% c", "10 10.00% 60 60.00% b", "0 0.00% 60 60.00% a"]);
		await shot(page, "table");
		await press(page, "Close");
	},
	"arrows, Enter, Backspace": async (page) => {
		for (const key of ["ArrowUp", "ArrowUp", "ArrowUp"]) await page.key(key);
		assert.equal(await text(page, "details"), "Function: b (60 samples, 60.00%), 100.00% of parent");
		await page.key("Enter");
		assert.equal(await width(page, "b"), 1180);
		await page.key("Backspace");
		await page.key("Backspace");
		assert.equal(await names(page), "all a b c d e d");
	},
	"next match": async (page) => {
		await page.key("/", 0, "/");
		await page.type("^d$");
		await page.key("Enter");
		await page.key("n", 0, "n");
		assert.match(await text(page, "details"), /^Function: d \(30 /);
		await page.key("n", 0, "n");
		assert.match(await text(page, "details"), /^Function: d \(10 /);
		await page.key("Escape");
	},
	"ignore case": async (page) => {
		await page.key("/", 0, "/");
		await page.type("^D$");
		assert.equal(await text(page, "matched"), "Matched: 0.00%");
		await page.key("i", 2);
		assert.equal(await text(page, "matched"), "Matched: 40.00%");
		await page.key("Escape");
	},
	"recursion collapses": async (page) => {
		await load(page, "deep.svg");
		assert.equal((await names(page)).match(/\br\b/g).length, 3);
		await page.key("m", 0, "m");
		await check(page, "collapse recursion");
		assert.equal((await names(page)).match(/\br\b/g).length, 1);
		await page.key("Escape");
	},
	"frames too narrow to be drawn can be zoomed into": async (page) => {
		assert.ok(!(await names(page)).includes("f1"));
		await page.key("m", 0, "m");
		await page.eval(`(() => { const i = document.querySelectorAll("#panel input[type=text]")[0]; i.value = "^tiny$"; i.dispatchEvent(new Event("change")) })()`);
		assert.equal(await names(page), "all tiny f1 f2");
		await page.key("Escape");
	},
	"both sides, zoomed in step": async (page) => {
		await load(page, "sides.svg");
		await shot(page, "sides");
		assert.equal(await names(page, "#before"), "all a gone same");
		assert.equal(await names(page), "all a new same");
		await page.click(frame("same") + `.querySelector("rect")`);
		const w = await page.eval(`["#before", "#frames"].map(id => +Array.from(document.querySelectorAll(id + ">g")).pop().querySelector("rect").getAttribute("width"))`);
		assert.deepEqual(w, [1180, 1180]);
		await page.key("Escape");
		assert.match(await page.eval(`${frame("new")}.querySelector("title").textContent`), /itself: 0.00% before, 75.00% after \(\+75.00%\)/);
	},
	"both sides in one": async (page) => {
		await page.key("m", 0, "m");
		await check(page, "both sides in one");
		assert.equal(await names(page), "all a gone new same");
		await shot(page, "merged");
	},
	"dark and light": async (page) => {
		const fill = () => page.eval(`getComputedStyle(document.getElementById("paper")).fill`);
		const before = await fill();
		await press(page, "Dark or light");
		assert.notEqual(await fill(), before);
		await shot(page, "dark");
	},
	"a narrow window": async (page) => {
		await page.open(folder + "/o.svg", 400, 600);
		await settle(page);
		await page.open("about:blank", 1200, 600);
	},
	"the page on a canvas": async (page) => {
		await load(page, "o.html");
		const frames = await page.eval(`window.flamegraph.frames().map(f => [f.p.name(f.b), Math.round(f.w)])`);
		assert.deepEqual(frames.slice(0, 3), [["all", 1180], ["a", 708], ["b", 708]]);
		const b = await page.eval(`(() => { const f = window.flamegraph.frames()[2], r = document.getElementById("canvas").getBoundingClientRect(); return [r.x + f.x + 5, r.y + f.y + 5] })()`);
		await page.mouse("mouseMoved", ...b);
		assert.match(await text(page, "details"), /^Function: b \(60 /);
		await page.mouse("mousePressed", ...b);
		await page.mouse("mouseReleased", ...b);
		assert.equal(await page.eval(`Math.round(window.flamegraph.frames().find(f => f.p.name(f.b) === "b").w)`), 1180);
		await shot(page, "html");
	},
	"a range of the heat map": async (page) => {
		await load(page, "heat.html");
		await shot(page, "heatmap");
		const shown = () => page.eval(`window.flamegraph.frames().map(f => f.p.tooltip(f.b)).join("; ")`);
		assert.equal(await shown(), "all (10 samples, 100%); a (4 samples, 40.00%); b (3 samples, 30.00%); c (1 samples, 10.00%); d (6 samples, 60.00%)");
		const [x, y, h] = await page.eval(`(() => { const r = document.getElementById("heat").getBoundingClientRect(); return [r.x, r.y, r.height] })()`);
		await page.mouse("mousePressed", x + 2, y + h - 2);
		await page.mouse("mouseReleased", x + 2, y + h - 2 - h / 10);
		assert.equal(await text(page, "range"), "0.0 s to 0.2 s");
		assert.equal(await shown(), "all (4 samples, 100%); a (4 samples, 100.00%); b (3 samples, 75.00%); c (1 samples, 25.00%)");
	},
	"nothing is on the console": async (page) => {
		assert.deepEqual(page.complaints, []);
	},
});
