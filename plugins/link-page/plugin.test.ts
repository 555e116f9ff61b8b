import { expect, test } from "bun:test";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { linkPageRoutes } from "#plugins/link-page/plugin.ts";

const app = testHttpApp({ routes: [linkPageRoutes()] });
const get = (path: string) => app.handle(new Request(`http://localhost${path}`));

test("the page and its files load nothing from elsewhere, and no site can frame them", async () => {
	for (const path of [
		`/links/${"a".repeat(43)}`,
		"/links/assets/page.js",
		"/links/assets/page.css",
	]) {
		const { status, headers } = await get(path);
		expect({ path, status }).toEqual({ path, status: 200 });
		const policy = headers.get("content-security-policy") ?? "";
		for (const part of [
			"default-src 'none'",
			"script-src 'self'",
			"style-src 'self'",
			"connect-src 'self'",
			"frame-ancestors 'none'",
			"base-uri 'none'",
			"form-action 'none'",
		]) {
			expect(policy.split("; ")).toContain(part);
		}
		expect(headers.get("cache-control")).toBe("no-store");
		expect(headers.get("referrer-policy")).toBe("no-referrer");
		expect(headers.get("x-content-type-options")).toBe("nosniff");
		expect(headers.get("x-frame-options")).toBe("DENY");
	}
});

test("the page is the same for every token, and contains no token", async () => {
	const pages = await Promise.all(
		["a".repeat(43), "%3Cscript%3E"].map(async (token) => (await get(`/links/${token}`)).text()),
	);
	expect(pages[0]).toBe(pages[1] ?? "");
	expect(pages[0]).toContain('<script type="module" src="/links/assets/page.js">');
	expect(pages[0]).not.toMatch(/<script(?![^>]*src=)|\son\w+=|<style|style=/);
});

test("the script contains no file paths and writes no markup", async () => {
	const script = await (await get("/links/assets/page.js")).text();
	expect(script.length).toBeGreaterThan(2_000);
	expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
	expect(script).not.toMatch(/plugins\/|\.ts\b/);
});

test("the script opens the link after all its constants are defined", async () => {
	const script = await (await get("/links/assets/page.js")).text();
	expect(script.trim()).toMatch(/await open\(\);?$/);
});

test("an unknown file name of the page is 404", async () => {
	for (const name of ["page.ts", "..%2Fpage.html", "constructor", "x"]) {
		expect((await get(`/links/assets/${name}`)).status).toBe(404);
	}
});

/** Stands for each element of the page. */
class Part {
	hidden = true;
	disabled = false;
	textContent = "";
	dataset: Record<string, string> = {};
	focus(): void {}
	append(): void {}
	replaceChildren(): void {}
}

/** Runs the page's script on a page of bare parts, and returns whether it says "Sandbox". */
async function saysSandbox(chainId: number, sandbox: boolean): Promise<boolean> {
	const script = await (await get("/links/assets/page.js")).text();
	const banner = new Part();
	const link = {
		...{ purpose: "confirm", planHash: "0x00", expiresInMs: 0, total: null, request: null },
		// Read where the page decides what to call itself; drawing it needs a browser.
		transactions: Object.assign([], { some: (is: (one: object) => boolean) => is({ chain }) }),
	};
	const chain = { id: chainId };
	const globals = {
		document: { getElementById: (id: string) => (id === "sandbox" ? banner : null) },
		location: { pathname: `/links/${"a".repeat(43)}`, origin: "https://app.example" },
		fetch: async () => ({
			ok: true,
			headers: new Headers(sandbox ? { "x-svc-sandbox": "true" } : {}),
			json: async () => link,
		}),
		...{ HTMLElement: Part, HTMLButtonElement: Part, HTMLTemplateElement: Part },
		...{ HTMLSelectElement: Part, localStorage: {} },
	};
	const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
	await new AsyncFunction(...Object.keys(globals), script)(...Object.values(globals));
	return !banner.hidden;
}

test("the page of a sandbox says so on 31337 and on the sandbox's 4663, and only there", async () => {
	expect(await saysSandbox(31_337, false)).toBe(true);
	expect(await saysSandbox(4_663, true)).toBe(true);
	expect(await saysSandbox(1, true)).toBe(true);
	expect(await saysSandbox(4_663, false)).toBe(false);
});
