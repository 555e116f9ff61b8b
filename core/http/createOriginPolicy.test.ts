import { describe, expect, test } from "bun:test";
import { createOriginPolicy, varyWith } from "#core/http/createOriginPolicy.ts";

describe("createOriginPolicy", () => {
	const policy = createOriginPolicy({
		allowedOrigins: ["https://app.example", "http://localhost:3000"],
		publicUrl: "https://api.example",
	});

	const HOST = "api.example";
	const from = (origin: string | null) =>
		new Request(`http://${HOST}/v1/x`, { headers: origin === null ? {} : { origin } });

	// `reads`: a page of that origin may read answers (CORS). `trusted`: it may act with cookies.
	const origins: [origin: string | null, reads: boolean, trusted: boolean][] = [
		["https://app.example", true, true],
		["http://localhost:3000", true, true],
		["https://api.example", false, true],
		["http://app.example", false, false],
		["https://app.example:8443", false, false],
		["https://app.example.evil.com", false, false],
		["https://evil-app.example", false, false],
		["https://sub.app.example", false, false],
		["HTTPS://APP.EXAMPLE", false, false],
		["https://app.example/", false, false],
		["https://app.example@evil.com", false, false],
		["https://app.example, https://evil.com", false, false],
		["http://api.example", false, false],
		["http://localhost:3001", false, false],
		["null", false, false],
		["*", false, false],
		["", false, false],
		[null, false, false],
	];

	describe("an origin is compared byte by byte [SEC-03]", () => {
		for (const [origin, reads, trusted] of origins) {
			const name = origin ?? "no origin";
			test(`${name}: ${reads ? "reads" : "reads not"}, ${trusted ? "acts" : "acts not"}`, () => {
				const headers = policy.readHeaders(from(origin), false);
				expect(headers["access-control-allow-origin"]).toBe(
					reads ? (origin ?? "") : (undefined as never),
				);
				expect(headers["access-control-allow-credentials"]).toBe(
					reads ? "true" : (undefined as never),
				);
				expect(headers.vary).toBe("Origin");
				expect(policy.trusts(from(origin), HOST)).toBe(trusted);
				expect(policy.preflightHeaders(from(origin), false) !== undefined).toBe(reads);
			});
		}
	});

	test("the headers our answers carry can be read by the page [SEC-03]", () => {
		const exposed = policy.readHeaders(from("https://app.example"), false)[
			"access-control-expose-headers"
		];
		for (const name of ["x-svc-cache", "x-request-id", "ratelimit-remaining", "retry-after"]) {
			expect(exposed).toContain(name);
		}
	});

	for (const [origin, isListed] of origins.map(([origin, reads]) => [origin, reads] as const)) {
		test(`a page of ${origin ?? "no origin"} reads public routes ${isListed ? "with" : "without"} credentials`, () => {
			const headers = policy.readHeaders(from(origin), true);
			expect(headers["access-control-allow-origin"]).toBe(isListed ? (origin ?? "") : "*");
			expect("access-control-allow-credentials" in headers).toBe(isListed);
			expect(headers.vary).toBe("Origin");
			const preflight = policy.preflightHeaders(from(origin), true);
			expect(preflight?.["access-control-allow-origin"]).toBe(isListed ? (origin ?? "") : "*");
			const asked = preflight?.["access-control-allow-headers"] ?? "";
			expect(asked.split(", ").includes("authorization")).toBe(isListed);
			expect(asked.split(", ")).toContain("content-type");
		});
	}

	test("a preflight names methods, headers and how long to remember", () => {
		const headers = policy.preflightHeaders(from("https://app.example"), false);
		expect(headers?.["access-control-allow-methods"]).toContain("DELETE");
		for (const name of ["authorization", "content-type", "idempotency-key", "x-api-key"]) {
			expect(headers?.["access-control-allow-headers"]).toContain(name);
		}
		expect(headers?.["access-control-max-age"]).toBe("600");
	});

	test("without a public URL the called host counts as the same origin", () => {
		const local = createOriginPolicy({ allowedOrigins: [] });
		expect(local.trusts(from("http://127.0.0.1:4000"), "127.0.0.1:4000")).toBe(true);
		expect(local.trusts(from("https://127.0.0.1:4000"), "127.0.0.1:4000")).toBe(true);
		expect(local.trusts(from("http://127.0.0.1:4001"), "127.0.0.1:4000")).toBe(false);
		expect(local.trusts(from("file://127.0.0.1:4000"), "127.0.0.1:4000")).toBe(false);
	});

	for (const entry of [
		"*",
		"null",
		"app.example",
		"https://app.example/",
		"https://*.example",
		"HTTPS://app.example",
		"",
	]) {
		test(`the setting ${JSON.stringify(entry)} is refused at the start [SEC-03]`, () => {
			const make = () => createOriginPolicy({ allowedOrigins: [entry] });
			if (entry === "https://*.example")
				expect(make().trusts(from("https://a.example"), HOST)).toBe(false);
			else expect(make).toThrow("WEB_ALLOWED_ORIGINS");
		});
	}

	test("an allowed page may send a tag, and read the tag of an answer", () => {
		const policy = createOriginPolicy({ allowedOrigins: ["https://app.example"] });
		const request = new Request("http://localhost/", {
			headers: { origin: "https://app.example" },
		});
		const allowed = policy.preflightHeaders(request, false)?.["access-control-allow-headers"] ?? "";
		expect(allowed.split(", ")).toContain("if-none-match");
		const exposed = policy.readHeaders(request, false)["access-control-expose-headers"] ?? "";
		expect(exposed.split(", ")).toContain("etag");
	});
});

describe("varyWith", () => {
	const cases: [existing: string | null | undefined, vary: string][] = [
		[null, "Origin"],
		[undefined, "Origin"],
		["", "Origin"],
		["Accept", "Accept, Origin"],
		["Accept,Cookie", "Accept,Cookie, Origin"],
		["X-Origin", "X-Origin, Origin"],
		["Origin", "Origin"],
		["accept, origin", "accept, origin"],
		["*", "*"],
	];
	for (const [existing, vary] of cases) {
		test(`${JSON.stringify(existing)} becomes ${vary}`, () => {
			expect(varyWith(existing, "Origin")).toBe(vary);
		});
	}
});
