import { afterAll, describe, expect, test } from "bun:test";
import { callOut } from "#core/http/call.ts";
import { readJson } from "#core/json.ts";

const SECRET = "s3cret-value";
const never = new Promise<Response>(() => {});
const heldBody = () =>
	new ReadableStream({
		start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
	});

const server: Bun.Server<undefined> = Bun.serve({
	port: 0,
	hostname: "127.0.0.1",
	idleTimeout: 60,
	async fetch(request): Promise<Response> {
		const { pathname } = new URL(request.url);
		switch (pathname) {
			case "/echo":
				return Response.json({
					method: request.method,
					body: await request.text(),
					headers: Object.fromEntries(request.headers),
				});
			case "/elsewhere":
				return Response.redirect(`${server.url}echo`);
			case "/no":
				return new Response("because", { status: 422, headers: { "retry-after": "7" } });
			case "/page":
				return new Response("x".repeat(100_000), { status: 502 });
			case "/long":
				return new Response("x".repeat(5_000));
			case "/bomb":
				return new Response(Bun.gzipSync("0".repeat(5_000_000)), {
					headers: { "content-encoding": "gzip" },
				});
			case "/half":
				return new Response(heldBody());
			default:
				return never;
		}
	},
});
afterAll(() => server.stop(true));

const urlOf = (path: string) => new URL(path, server.url).href;
const terms = { timeoutMs: 10_000, bytesMax: 4_096 };

describe("callOut", () => {
	test("callOut returns the status, headers and text of an answer", async () => {
		const headers = { authorization: `Bearer ${SECRET}`, "content-type": "application/json" };
		const answer = await callOut({ url: urlOf("/echo"), headers, body: '{"a":1}' }, terms);
		expect(answer).toMatchObject({ kind: "read", status: 200 });
		const echo = answer.kind === "read" ? readJson(answer.text) : null;
		expect(echo).toMatchObject({
			method: "POST",
			body: '{"a":1}',
			headers: { ...headers, accept: "application/json", "accept-encoding": "gzip" },
		});
	});

	test("a call without a body is a GET, and a method that is named is kept", async () => {
		const get = await callOut({ url: urlOf("/echo") }, terms);
		expect(get.kind === "read" && get.text).toContain('"method":"GET"');
		const put = await callOut({ url: urlOf("/echo"), method: "PUT", body: "{}" }, terms);
		expect(put.kind === "read" && put.text).toContain('"method":"PUT"');
	});

	test("a refusal keeps its status, its headers and its text", async () => {
		const answer = await callOut({ url: urlOf("/no") }, terms);
		expect(answer).toMatchObject({ kind: "refused", status: 422, text: "because", isWhole: true });
		expect(answer.kind === "refused" && answer.headers.get("retry-after")).toBe("7");
	});

	test("a long refusal keeps its status without its text", async () => {
		const answer = await callOut({ url: urlOf("/page") }, terms);
		expect(answer).toMatchObject({ kind: "refused", status: 502, text: "", isWhole: false });
	});

	test("an answer beyond the size limit is unreadable, also when it is compressed", async () => {
		for (const path of ["/long", "/bomb"]) {
			const answer = await callOut({ url: urlOf(path) }, terms);
			expect(answer).toMatchObject({
				kind: "unreadable",
				status: 200,
				detail: "more than 4096 bytes",
			});
		}
	});

	test("a redirect is not followed", async () => {
		const answer = await callOut({ url: urlOf("/elsewhere") }, terms);
		expect(answer).toMatchObject({ kind: "silent", isUnsent: false });
	});

	test("one time limit covers the answer and its body", async () => {
		const short = { ...terms, timeoutMs: 50 };
		expect(await callOut({ url: urlOf("/never") }, short)).toEqual({
			kind: "silent",
			detail: "no answer in time",
			isUnsent: false,
		});
		expect(await callOut({ url: urlOf("/half") }, short)).toMatchObject({
			kind: "silent",
			detail: "not whole in time",
		});
	});

	test("a caller that gives up gets its own error, not the error that nothing was sent", async () => {
		const caller = new AbortController();
		const asked = callOut(
			{ url: urlOf("/never") },
			{ ...terms, signals: [undefined, caller.signal] },
		);
		caller.abort();
		expect(await asked).toEqual({ kind: "silent", detail: "given up", isUnsent: false });
	});

	test("a closed port is reported as nothing sent", async () => {
		const gone = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => never });
		const url = gone.url.href;
		await gone.stop(true);
		expect(await callOut({ url }, terms)).toMatchObject({ kind: "silent", isUnsent: true });
	});

	test("no error contains the URL, a header or the underlying error", async () => {
		const broken: typeof fetch = Object.assign(
			() => Promise.reject(new Error(`failed: https://a.example/?key=${SECRET}`)),
			{ preconnect: fetch.preconnect },
		);
		const call = { url: `https://a.example/?key=${SECRET}`, headers: { "x-api-key": SECRET } };
		const answer = await callOut(call, { ...terms, fetch: broken });
		expect(answer).toEqual({ kind: "silent", detail: "no answer: failed", isUnsent: false });
	});
});

test("invalid JSON gives undefined, and the text null gives null", () => {
	expect(readJson("null")).toBeNull();
	expect(readJson("{")).toBeUndefined();
	expect(readJson("")).toBeUndefined();
});
