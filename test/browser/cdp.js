// Drives a headless Chromium over the DevTools protocol, through a pipe: nothing but Node is needed.
"use strict";
const { spawn, execSync } = require("child_process");
const fs = require("fs"), os = require("os"), path = require("path");

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe"];

class Page {
	constructor() {
		this.profile = fs.mkdtempSync(path.join(process.env.TMPDIR || os.tmpdir(), "chromium-"));
		this.chrome = spawn(process.env.CHROMIUM || "chromium", [...FLAGS, "--user-data-dir=" + this.profile], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.waiting = new Map();
		this.listeners = [];
		this.complaints = []; // what the page printed on its console, and errors
		this.id = 0;
		let rest = Buffer.alloc(0);
		this.chrome.stdio[4].on("data", (data) => {
			rest = Buffer.concat([rest, data]);
			for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) this.receive(JSON.parse(rest.subarray(0, end)));
		});
	}

	receive(m) {
		if (m.id) {
			const { resolve, reject } = this.waiting.get(m.id);
			this.waiting.delete(m.id);
			return m.error ? reject(new Error(JSON.stringify(m.error))) : resolve(m.result);
		}
		if (m.method === "Runtime.consoleAPICalled") this.complaints.push(m.params.args.map((a) => a.value).join(" "));
		if (m.method === "Runtime.exceptionThrown") this.complaints.push(JSON.stringify(m.params.exceptionDetails));
		if (m.method === "Log.entryAdded") this.complaints.push(m.params.entry.text);
		this.listeners = this.listeners.filter((l) => !(l.method === m.method && (l.resolve(m.params), true)));
	}

	send(method, params = {}) {
		const message = { id: ++this.id, method, params };
		if (this.session) message.sessionId = this.session;
		this.chrome.stdio[3].write(JSON.stringify(message) + "\0");
		return new Promise((resolve, reject) => this.waiting.set(message.id, { resolve, reject }));
	}

	once(method) {
		return new Promise((resolve) => this.listeners.push({ method, resolve }));
	}

	async open(file, width = 1200, height = 600) {
		if (!this.session) {
			const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
			this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
			for (const domain of ["Page", "Runtime", "Log"]) await this.send(domain + ".enable");
		}
		await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
		const loaded = this.once("Page.loadEventFired");
		await this.send("Page.navigate", { url: /^[a-z]+:/.test(file) ? file : "file://" + path.resolve(file) });
		await loaded;
	}

	async eval(expression) {
		const r = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
		if (r.exceptionDetails) throw new Error(expression + ": " + JSON.stringify(r.exceptionDetails));
		return r.result.value;
	}

	async mouse(type, x, y) {
		await this.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
	}

	// Clicks on the middle of what the selector or expression of an element gives.
	async click(element) {
		const [x, y] = await this.eval(`(() => { const r = (${element}).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`);
		await this.mouse("mouseMoved", x, y);
		await this.mouse("mousePressed", x, y);
		await this.mouse("mouseReleased", x, y);
	}

	async key(key, modifiers = 0, text) {
		const code = { Escape: 27, Enter: 13, F3: 114, Tab: 9 }[key] || key.toUpperCase().charCodeAt(0);
		const e = { key, modifiers, windowsVirtualKeyCode: code };
		if (text || key === "Enter") e.text = text || "\r";
		await this.send("Input.dispatchKeyEvent", { type: e.text ? "keyDown" : "rawKeyDown", ...e });
		await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers, windowsVirtualKeyCode: code });
	}

	async type(text) {
		await this.send("Input.insertText", { text });
	}

	async screenshot(file) {
		const { data } = await this.send("Page.captureScreenshot", { format: "png" });
		fs.writeFileSync(file, Buffer.from(data, "base64"));
	}

	async close() {
		this.session = undefined;
		await this.send("Browser.close").catch(() => {});
		await new Promise((resolve) => (this.chrome.exitCode === null ? this.chrome.once("exit", resolve) : resolve()));
		fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
	}
}

// Runs named checks on one page; prints TAP lines; the status tells whether all were good.
async function run(tests) {
	const page = new Page();
	const deadline = setTimeout(() => {
		console.log("not ok - the browser did not answer in time");
		page.chrome.kill("SIGKILL");
		process.exit(1);
	}, 60000);
	let failed = 0;
	for (const [name, test] of Object.entries(tests)) {
		try {
			await test(page);
			console.log("ok - " + name);
		} catch (e) {
			failed++;
			console.log("not ok - " + name + "\n# " + String(e.stack).replace(/\n/g, "\n# "));
		}
	}
	clearTimeout(deadline);
	await page.close();
	process.exit(failed ? 1 : 0);
}

module.exports = { Page, run };
