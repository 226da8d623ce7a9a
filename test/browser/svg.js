// The SVG in a browser: node svg.js FILE [SCREENSHOT-FOLDER]. FILE is drawn from test/data/render/shapes.folded.
"use strict";
const assert = require("assert");
const { run } = require("./cdp.js");
const file = process.argv[2], shots = process.argv[3];

const frame = (name) => `Array.from(document.querySelectorAll("#frames>g")).find(g => g.querySelector("title").textContent.startsWith(${JSON.stringify(name + " (")}))`;
const shown = (page) => page.eval(`Array.from(document.querySelectorAll("#frames>g title"), t => t.textContent.replace(/ \\(.*/, "")).join(" ")`);
const text = (page, id) => page.eval(`document.getElementById(${JSON.stringify(id)}).textContent`);
const found = (page, name) => page.eval(`${frame(name)}.querySelector("rect").getAttribute("fill") === "rgb(230,0,230)"`);
const width = (page, name) => page.eval(`+${frame(name)}.querySelector("rect").getAttribute("width")`);
const shot = (page, name) => shots && page.screenshot(shots + "/" + name + ".png");

// The page is ready when it has unpacked its profile.
async function load(page, url = file, ...size) {
	await page.open(url, ...size);
	await page.eval(`new Promise((r) => { (function look() { document.documentElement.getAttribute("role") === "application" ? r() : setTimeout(look, 5) })() })`);
}

run({
	"it is drawn whole": async (page) => {
		await load(page);
		assert.equal(await shown(page), "all a b c d e d");
		assert.equal(await width(page, "all"), 1180);
		await shot(page, "whole");
	},
	"details follow the pointer": async (page) => {
		await page.eval(`${frame("b")}.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }))`);
		assert.equal(await text(page, "details"), "Function: b (60 samples, 60.00%), 100.00% of parent");
		await page.eval(`${frame("b")}.dispatchEvent(new MouseEvent("mouseout", { bubbles: true }))`);
		assert.equal((await text(page, "details")).trim(), "");
	},
	"a click zooms, ancestors stay": async (page) => {
		await page.click(frame("b") + `.querySelector("rect")`);
		assert.equal(await shown(page), "all a b c d");
		assert.equal(await width(page, "b"), 1180);
		assert.ok(Math.abs((await width(page, "c")) - 1180 / 3) < 0.01);
		assert.equal(await page.eval(`${frame("a")}.classList.contains("parent")`), true);
		await shot(page, "zoomed");
	},
	"the browser's back undoes it": async (page) => {
		await page.eval(`new Promise(r => { addEventListener("popstate", () => setTimeout(r, 0), { once: true }); history.back() })`);
		assert.equal(await shown(page), "all a b c d e d");
	},
	"Ctrl-F searches as one types, and the percentage counts nothing twice": async (page) => {
		await page.key("f", 2);
		await page.type("^[bd]$");
		// b is 60, and the d that does not stand on b is 10.
		assert.equal(await text(page, "matched"), "Matched: 70.00%");
		await page.key("Enter");
		assert.equal(await page.eval(`document.getElementById("field")`), null);
		assert.equal(await page.eval(`${frame("b")}.querySelector("rect").getAttribute("fill")`), "rgb(230,0,230)");
		await shot(page, "found");
	},
	"the percentage is of what is zoomed into": async (page) => {
		await page.click(frame("e") + `.querySelector("rect")`);
		assert.equal(await text(page, "matched"), "Matched: 25.00%");
	},
	"an invalid regular expression is searched as text": async (page) => {
		await page.key("Escape");
		await page.key("F3");
		await page.type("c(");
		assert.equal(await text(page, "matched"), "Matched: 0.00%");
	},
	"Escape resets everything": async (page) => {
		await page.key("Escape");
		assert.equal(await shown(page), "all a b c d e d");
		assert.equal((await text(page, "matched")).trim(), "");
		assert.equal(await page.eval(`document.getElementById("unzoom").getAttribute("display")`), "none");
	},
	"the state is in the address": async (page) => {
		await page.click(frame("b") + `.querySelector("rect")`);
		const hash = await page.eval("location.hash");
		await page.open("about:blank");
		await load(page, "file://" + require("path").resolve(file) + hash);
		assert.equal(await shown(page), "all a b c d");
	},
	"nothing is on the console": async (page) => {
		assert.deepEqual(page.complaints, []);
	},
});
