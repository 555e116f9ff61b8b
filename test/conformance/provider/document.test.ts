import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
	findOperation,
	problemsOf,
	readDocument,
	requestProblems,
} from "#test/conformance/provider/document/requestProblems.ts";
import {
	answers,
	type Provider,
	startProvider,
} from "#test/conformance/provider/emulator/startProvider.ts";
import { makeWorld } from "#test/conformance/provider/world/makeWorld.ts";

// Guarantee: the emulator answers as the published document says, nothing less and nothing more,
// so what the product does beside it, it would do beside whatever else follows that document.

const document = readDocument();
const NOW_MS = Date.UTC(2026, 10, 1, 12);

let provider: Provider;
let clockMs = NOW_MS;
beforeAll(() => {
	const world = makeWorld({ seed: 3, nowMs: NOW_MS, minor: 120 });
	provider = startProvider({ world, nowMs: () => clockMs, perMinute: 100_000 });
});
afterAll(() => provider?.stop());

async function get(target: string): Promise<any> {
	const response = await fetch(`${provider.url}${target}`);
	expect({ target, status: response.status }).toEqual({ target, status: 200 });
	return response.json();
}

const lanterns = () => provider.world.collections.get("copper-lanterns");
const contract = () => lanterns()?.places[0]?.address;

/** One target for each operation that the emulator has, with what its answer must have in it. */
const targets = (): [string, string][] => [
	["/api/v2/chains", "chains"],
	["/api/v2/collections?limit=100&order_by=created_date", "collections"],
	["/api/v2/collections/trending?timeframe=one_day&chains=base,ethereum", "collections"],
	["/api/v2/collections/top?sort_by=one_day_volume&limit=100", "collections"],
	["/api/v2/collections/copper-lanterns", "fees"],
	["/api/v2/collections/copper-lanterns/stats", "intervals"],
	["/api/v2/collections/copper-lanterns/holders?limit=100", "holders"],
	["/api/v2/collection/copper-lanterns/nfts?limit=200", "nfts"],
	["/api/v2/traits/copper-lanterns", "categories"],
	["/api/v2/traits/copper-lanterns/floors", "floors"],
	["/api/v2/events/collection/copper-lanterns?event_type=sale&event_type=mint", "asset_events"],
	["/api/v2/events/collection/passing-hands?limit=200", "asset_events"],
	["/api/v2/listings/collection/copper-lanterns/all", "listings"],
	["/api/v2/listings/collection/copper-lanterns/best?limit=200", "listings"],
	["/api/v2/listings/collection/copper-lanterns/nfts/1/best", "price"],
	["/api/v2/offers/collection/copper-lanterns/all", "offers"],
	["/api/v2/offers/collection/copper-lanterns", "offers"],
	[`/api/v2/orders/chain/base/protocol/0x1/${lanterns()?.orders[0]?.hash}`, "order"],
	[`/api/v2/chain/base/contract/${contract()}`, "contract_standard"],
	[`/api/v2/chain/base/contract/${contract()}/nfts`, "nfts"],
	[`/api/v2/chain/base/contract/${contract()}/nfts/1`, "nft"],
	["/api/v2/chain/base/payment_token/0x4200000000000000000000000000000000000006", "decimals"],
	["/api/v2/drops?type=upcoming", "drops"],
	["/api/v2/drops/kites-minting", "stages"],
	["/api/v2/search?query=kites&limit=50", "results"],
];

test("each answer has the form in the provider's document, with no other member", async () => {
	const seen = new Set<string>();
	for (const [target, member] of targets()) {
		const pathname = new URL(target, provider.url).pathname;
		const found = findOperation(document, { method: "GET", pathname });
		const schema = found?.operation.responses["200"]?.content?.["application/json"]?.schema;
		const value = await get(target);
		if (found) seen.add(found.name);
		expect(Object.keys(value)).toContain(member);
		expect(value[member]).not.toEqual([]);
		if (schema) expect(problemsOf(document, { schema, value, at: target })).toEqual([]);
	}
	const reads = Object.keys(answers).filter((name) => name.startsWith("GET"));
	expect([...seen].sort()).toEqual(reads.sort());
});

test("the check of answers finds missing, wrong and additional members", () => {
	const schema = { $ref: "#/components/schemas/CollectionStatsResponse" };
	const total = {
		volume: 1,
		volume_symbol: "ETH",
		sales: 1,
		num_owners: 1,
		floor_price: 1,
		floor_price_symbol: "ETH",
	};
	const problems = (value: unknown) => problemsOf(document, { schema, value, at: "$" });
	expect(problems({ total, intervals: [] })).toEqual([]);
	expect(problems({ total })).toEqual(["$.intervals is missing"]);
	expect(problems({ total: { ...total, sales: 1.5 }, intervals: [] })).toHaveLength(1);
	expect(problems({ total: { ...total, more: 1 }, intervals: [] })).toHaveLength(1);
	expect(problems({ total: null, intervals: {} })).toHaveLength(2);
});

test("the check of calls finds parameters and values that the document lacks", () => {
	const problems = (target: string) => {
		const { pathname, searchParams } = new URL(target, "http://localhost");
		const found = findOperation(document, { method: "GET", pathname });
		return found ? requestProblems(document, found, searchParams) : ["unknown"];
	};
	expect(problems("/api/v2/collections?order_by=seven_day_volume&limit=100&chain=base")).toEqual(
		[],
	);
	for (const wrong of [
		"/api/v2/collections?limit=101",
		"/api/v2/collections?chain=matic",
		"/api/v2/collections?order_by=one_day_volume",
		"/api/v2/collections/top?sort_by=seven_day_volume",
		"/api/v2/collections/trending?limit=500",
		"/api/v2/events/collection/a?event_type=cancel",
		"/api/v2/events/collection/a?limit=0",
		"/api/v2/events/collection/a?after=today",
		"/api/v2/collections/a?chain=base",
		"/api/v2/search?limit=10",
		"/api/v2/collections/a/b/c",
	]) {
		expect({ wrong, problems: problems(wrong).length }).toEqual({ wrong, problems: 1 });
	}
});

describe("pages", () => {
	test("cursors lead through every item once, newest first, and are opaque", async () => {
		const all: any[] = [];
		for (let next = ""; ; ) {
			const body = await get(`/api/v2/events/collection/copper-lanterns?limit=7${next}`);
			all.push(...body.asset_events);
			if (!body.next) break;
			expect(body.next).toMatch(/^[\w-]{40,}$/);
			next = `&next=${body.next}`;
		}
		expect(all).toHaveLength(60);
		const times = all.map((event) => event.event_timestamp);
		expect(times).toEqual([...times].sort((a, b) => b - a));
		expect(new Set(all.map((event) => event.transaction)).size).toBe(60);
	});

	test("a cursor expires, and belongs to one request", async () => {
		const { next } = await get("/api/v2/events/collection/copper-lanterns?limit=7");
		const ask = (target: string) => fetch(`${provider.url}${target}`);
		const other = await ask(`/api/v2/events/collection/old-glory?limit=7&next=${next}`);
		expect([other.status, await other.json()]).toEqual([400, { errors: ["Invalid cursor"] }]);
		clockMs += 3_600_000;
		const late = await ask(`/api/v2/events/collection/copper-lanterns?limit=7&next=${next}`);
		expect([late.status, await late.json()]).toEqual([400, { errors: ["Cursor has expired"] }]);
		clockMs = NOW_MS;
	});

	test("the parameters after and before are in seconds, and exclude their own second", async () => {
		const [, second, , , fifth] = lanterns()?.events ?? [];
		const range = `after=${fifth?.atS}&before=${second?.atS}`;
		const body = await get(`/api/v2/events/collection/copper-lanterns?${range}`);
		expect(body.asset_events).toHaveLength(2);
	});
});

test("refusals have the document's form, and headers show the limit", async () => {
	const missing = await fetch(`${provider.url}/api/v2/collections/nobody/stats`);
	const body: any = await missing.json();
	const schema = { $ref: "#/components/schemas/V1ErrorWrapper" };
	expect(missing.status).toBe(404);
	expect(problemsOf(document, { schema, value: body, at: "$" })).toEqual([]);
	for (const name of ["limit", "remaining", "reset"]) {
		expect(missing.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
	}
	const limited = startProvider({ world: provider.world, nowMs: () => clockMs, perMinute: 2 });
	const statuses: number[] = [];
	for (let n = 0; n < 3; n++) statuses.push((await fetch(`${limited.url}/api/v2/chains`)).status);
	expect(statuses).toEqual([200, 200, 429]);
	const refused = await fetch(`${limited.url}/api/v2/chains`);
	expect(refused.headers.get("retry-after")).toBe("60");
	clockMs += 61_000;
	expect((await fetch(`${limited.url}/api/v2/chains`)).status).toBe(200);
	const unkeyed = await fetch(`${limited.url}/api/v2/chains`, { headers: { "x-api-key": "" } });
	expect(unkeyed.status).toBe(401);
	await limited.stop();
});

test("the same seed gives the same world, and another seed another one", () => {
	const text = (seed: number) => {
		const { collections } = makeWorld({ seed, nowMs: NOW_MS, busy: [100] });
		return JSON.stringify([...collections], (_, value) => {
			return typeof value === "bigint" ? value.toString() : value;
		});
	};
	expect(text(5)).toBe(text(5));
	expect(text(5)).not.toBe(text(6));
});
