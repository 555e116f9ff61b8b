import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { Fault } from "../faults.ts";
import { type Lab, openLab } from "../testing/openLab.ts";

// Guarantee: the emulator requires its key, applies its limits and fails exactly as ordered.

let lab: Lab;
beforeAll(async () => {
	lab = await openLab(8);
});
afterAll(() => lab?.close());
afterEach(() => {
	lab.emulator.clearFaults();
	lab.emulator.clearCalls();
});

const STATS = "/api/v2/collections/kiln-folk/stats";
const ask = (path: string, init?: RequestInit, url = lab.emulator.url) =>
	fetch(`${url}${path}`, init);

async function spoiled(fault: Fault): Promise<Response> {
	lab.emulator.fault({ times: 1, ...fault });
	return await ask(STATS);
}

test("a key is required if one is set, and an empty header is always refused", async () => {
	const locked = lab.start({ apiKey: "secret" });
	const statuses = await Promise.all(
		[{}, { "x-api-key": "wrong" }, { "x-api-key": "" }, { "X-API-KEY": "secret" }].map(
			async (headers) => (await ask(STATS, { headers }, locked.url)).status,
		),
	);
	expect(statuses).toEqual([401, 401, 401, 200]);
	const refused = await ask(STATS, { headers: { "x-api-key": "" } });
	expect(refused.status).toBe(401);
	expect(await refused.json()).toEqual({ errors: ["Invalid or missing API key"] });
	const key = await ask("/api/v2/auth/keys", { method: "POST", body: "{}" }, locked.url);
	expect(key.status).toBe(201);
});

test("limits are counted by bucket and window, and shown in headers", async () => {
	let nowMs = 1_000_000;
	const window = { limit: 2, windowMs: 60_000 };
	const limited = lab.start({
		clock: { nowMs: () => nowMs },
		rateLimits: { read: window, write: window, fulfillment: window },
	});
	const first = await ask(STATS, {}, limited.url);
	expect(first.headers.get("x-ratelimit-remaining")).toBe("1");
	expect(first.headers.get("x-ratelimit-reset")).toBe("1060");
	await ask(STATS, {}, limited.url);
	nowMs += 15_000;
	const third = await ask(STATS, {}, limited.url);
	expect(third.status).toBe(429);
	expect(third.headers.get("retry-after")).toBe("45");
	expect(await third.json()).toEqual({ detail: "Request was throttled." });
	const path = "/api/v2/listings/fulfillment_data";
	expect((await ask(path, { method: "POST", body: "{}" }, limited.url)).status).toBe(400);
	nowMs += 45_000;
	expect((await ask(STATS, {}, limited.url)).status).toBe(200);
});

test("throttling is answered with 429 and 599, with the requested retry-after", async () => {
	const seconds = await spoiled({ kind: "429", retryAfter: 7 });
	expect([seconds.status, seconds.headers.get("retry-after")]).toEqual([429, "7"]);
	const date = "Sat, 21 Nov 2026 16:00:00 GMT";
	const other = await spoiled({ kind: "599", retryAfter: date });
	expect([other.status, other.headers.get("retry-after")]).toEqual([599, date]);
	expect((await spoiled({ kind: "500" })).status).toBe(500);
	expect((await ask(STATS)).status).toBe(200);
});

test("on request the emulator sends bodies that are HTML, cut off, too large, or of wrong types", async () => {
	const html = await spoiled({ kind: "html" });
	expect(html.headers.get("content-type")).toBe("text/html");
	const cut = await (await spoiled({ kind: "truncated" })).text();
	expect(() => JSON.parse(cut)).toThrow();
	const huge = await spoiled({ kind: "huge", bytes: 300_000 });
	expect((await huge.arrayBuffer()).byteLength).toBe(300_000);
	const wrong: any = await (await spoiled({ kind: "wrong_types" })).json();
	expect(wrong.total).toMatchObject({ floor_price: "many", floor_price_symbol: 12_345 });
	const zero: any = await (await spoiled({ kind: "zero_floor" })).json();
	expect(zero.total).toMatchObject({ floor_price: 0, floor_price_symbol: "" });
});

test("on request the emulator sends collections with no chain or three, and names with markup", async () => {
	lab.emulator.fault({ kind: "odd_data" });
	const { collections }: any = await (await ask("/api/v2/collections?limit=100")).json();
	const counts = new Set(collections.map((row: any) => row.contracts.length));
	expect([...counts].sort()).toEqual([0, 3]);
	expect(collections[0].name).toContain("<img");
	const nfts: any = await (await ask("/api/v2/collection/kiln-folk/nfts?limit=1")).json();
	expect(nfts.nfts[0].traits[0].value).toHaveProperty("odd");
});

test("on request no answer is sent until the client gives up, or a late one", async () => {
	lab.emulator.fault({ kind: "silence", times: 1 });
	const quiet = ask(STATS, { signal: AbortSignal.timeout(50) });
	expect(quiet).rejects.toThrow();
	await quiet.catch(() => {});
	expect((await spoiled({ kind: "slow", delayMs: 5 })).status).toBe(200);
});

test("faults are requested and cleared over HTTP, and calls counted by path", async () => {
	const order = (fault: unknown) =>
		ask("/_sandbox/faults", { method: "POST", body: JSON.stringify(fault) });
	expect((await order({ kind: "plague" })).status).toBe(400);
	expect((await order({ kind: "500", path: "(" })).status).toBe(400);
	await order({ kind: "500", path: "/stats" });
	expect((await ask(STATS)).status).toBe(500);
	expect((await ask("/api/v2/collections/kiln-folk")).status).toBe(200);
	await ask("/_sandbox/faults", { method: "DELETE" });
	expect((await ask(`${STATS}?x=1`)).status).toBe(200);
	const calls = await (await ask("/_sandbox/calls")).json();
	expect(calls).toEqual({
		total: 3,
		byPath: { [`GET ${STATS}`]: 2, "GET /api/v2/collections/kiln-folk": 1 },
		recent: [`GET ${STATS}`, "GET /api/v2/collections/kiln-folk", `GET ${STATS}?x=1`],
	});
});
