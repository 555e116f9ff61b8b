import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { defineFaults, Fault, type FaultOptions } from "#core/fault.ts";
import { escapeHtml, problemResponse, wantsHtml } from "#core/http/problems.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

describe("escapeHtml", () => {
	test("no escaped text contains a tag, an attribute or an entity", () => {
		expect(escapeHtml(`<a href="x" b='y'>&amp;`)).toBe(
			"&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;",
		);
		expect(escapeHtml("plain ä€😀")).toBe("plain ä€😀");
	});
});

describe("wantsHtml", () => {
	const asks = (accept?: string) =>
		wantsHtml(
			new Request("http://localhost/", accept === undefined ? {} : { headers: { accept } }),
		);

	test("a browser's navigation gets a page", () => {
		expect(asks("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")).toBe(true);
		expect(asks("TEXT/HTML")).toBe(true);
		expect(asks("application/json;q=0.5, text/html")).toBe(true);
	});

	test("a client that names JSON, anything or nothing gets JSON", () => {
		for (const accept of [
			undefined,
			"*/*",
			"application/json",
			"text/html;q=0.1,application/json",
		]) {
			expect([accept, asks(accept)]).toEqual([accept, false]);
		}
		for (const accept of ["", "text/html;q=0", "text/htmlx", ";;,,", "text/plain", "q=1"]) {
			expect([accept, asks(accept)]).toEqual([accept, false]);
		}
	});
});

describe("problemResponse", () => {
	const gone: FaultOptions = {
		code: "gone",
		status: 409,
		retry: "never",
		publicDetail: "It is gone.",
	};
	const respond = (options: Partial<FaultOptions> = {}, publicUrl?: string) =>
		problemResponse(new Fault({ ...gone, ...options }), { requestId: "r-1", publicUrl });

	test("a problem has the standard members and ours [SEC-04]", async () => {
		const response = respond();
		expect(response.status).toBe(409);
		expect(response.headers.get("content-type")).toBe("application/problem+json");
		expect(response.headers.get("cache-control")).toBe("no-store");
		expect(await response.json()).toEqual({
			type: "/problems/gone",
			title: "Conflict",
			status: 409,
			detail: "It is gone.",
			code: "gone",
			message: "It is gone.",
			requestId: "r-1",
		});
	});

	test("the type is absolute where the public address is known", async () => {
		expect(await respond({}, "https://api.example/").json()).toMatchObject({
			type: "https://api.example/problems/gone",
		});
	});

	// Guarantee: data for operators only is never in the answer.
	test("private detail, meta and cause stay private [SEC-07]", async () => {
		const text = await respond({
			privateDetail: "c4n4ry",
			meta: { sql: "c4n4ry" },
			cause: new Error("c4n4ry"),
		}).text();
		expect(text).not.toContain("c4n4ry");
	});

	test("a fault's own members are sent, and cannot replace the standard ones", async () => {
		const members = {
			provider: "svc",
			status: 200,
			code: "forged",
			requestId: "forged",
			amount: 5n,
		};
		expect(await respond({ members }).json()).toMatchObject({
			provider: "svc",
			status: 409,
			code: "gone",
			requestId: "r-1",
			amount: "5",
		});
	});

	test("a refusal for want of a session says how to show one, and no other does", () => {
		const challenge = (status: number) => respond({ status }).headers.get("www-authenticate");
		expect([401, 403, 500].map(challenge)).toEqual(["Bearer", null, null]);
	});

	const waits: [name: string, options: Partial<FaultOptions>, retryAfter: string | null][] = [
		["a 409 has no Retry-After", {}, null],
		["a told wait is rounded up to seconds", { members: { retryAfterMs: 1_001 } }, "2"],
		["a wait is at least a second", { status: 429, members: { retryAfterMs: 0 } }, "1"],
		["a 503 always has one", { status: 503 }, "5"],
		["a 429 always has one", { status: 429 }, "5"],
		["a wait that is no number is ignored", { members: { retryAfterMs: "soon" } }, null],
	];
	for (const [name, options, retryAfter] of waits) {
		test(name, () => {
			expect(respond(options).headers.get("retry-after")).toBe(retryAfter);
		});
	}
});

describe("problemRoutes", () => {
	const fault = defineFaults({
		catAway: {
			status: 409,
			retry: "never",
			public: "The cat <is> away.",
			advice: "Call `/v1/cats` & wait.",
		},
		catAsleep: { code: "cat_away", status: 503, retry: "later", public: "The cat sleeps." },
	});
	const routes = new Elysia().get("/v1/cats", () => {
		throw fault.catAway();
	});
	const app = testHttpApp({ routes: [routes] });
	const get = (path: string, accept = "*/*") =>
		app.handle(new Request(`http://localhost${path}`, { headers: { accept } }));

	test("the URL in a problem's type answers with what its code means and what to do", async () => {
		const refused = await get("/v1/cats");
		const { type, code } = (await refused.json()) as { type: string; code: string };
		const target = new URL(type, "http://localhost/v1/cats").pathname;
		const page = await get(target);
		expect(page.headers.get("content-type")).toStartWith("application/json");
		expect(page.headers.get("vary")).toContain("Accept");
		const told = { standsIn: "problem" };
		const wait = "Retry-After";
		expect(await page.json()).toEqual({
			code,
			cases: [
				{ status: 409, ...told, meaning: "The cat <is> away.", advice: "Call `/v1/cats` & wait." },
				{ status: 503, ...told, meaning: "The cat sleeps.", advice: expect.stringContaining(wait) },
			],
		});
	});

	test("a browser gets the same text as a page without scripts and external files", async () => {
		const page = await get("/problems/cat_away", "text/html");
		expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
		const html = await page.text();
		expect(html).toContain("The cat &lt;is&gt; away.");
		expect(html).toContain("Call <code>/v1/cats</code> &amp; wait.");
		expect(html).toContain("HTTP 409 Conflict");
		expect(html).not.toMatch(/<script|\son\w+=|<link|https?:/);
		const policy = page.headers.get("content-security-policy") ?? "";
		expect(policy).toContain("default-src 'none'");
		const [, style = ""] = /<style>([\s\S]*)<\/style>/.exec(html) ?? [];
		const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
		expect(policy).toContain(`style-src 'sha256-${hash}'`);
	});

	test("the list has every code, with a link to each", async () => {
		const { problems } = await (await get("/problems")).json();
		const codes = problems.map((one: any) => one.code);
		expect(codes).toEqual([...codes].sort());
		expect(codes).toContain("cat_away");
		expect(codes).toContain("rate_limited");
		const html = await (await get("/problems", "text/html")).text();
		for (const code of codes) expect(html).toContain(`href="/problems/${code}"`);
	});

	test("an unknown code is 404, and a text that is no code is refused", async () => {
		const unknown = await get("/problems/no_such_code", "text/html");
		expect(unknown.status).toBe(404);
		expect(await unknown.json()).toMatchObject({ code: "not_found" });
		for (const name of ["%3Cscript%3E", "..%2f", "A", "x".repeat(65)]) {
			expect([name, (await get(`/problems/${name}`)).status]).toEqual([name, 422]);
		}
	});
});
