import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Log } from "#core/log.ts";
import { type MarketLab, openMarketLab } from "#test/harness/openMarketLab.ts";
import { until } from "#test/harness/until.ts";
import type { Fault } from "#test/sandbox/provider/faults.ts";
import type { ProviderEmulator } from "#test/sandbox/provider/startProviderEmulator.ts";

// Guarantee: whatever the provider answers, and whether it does, the market stays up with figures
// that are right or unknown, logs it once, and is complete again when the provider is.

type Api = Awaited<ReturnType<MarketLab["openApi"]>>["api"];

const SLUG = "kiln-folk";
const EMPTY = "night-ferry";
const DETAIL = `/collections/${SLUG}?chain=anvil`;
/** Longer than a page is cached, and than the longest pause after a failure. */
const PAGE_MS = 91_000;
const BACKOFF_MS = 1_801_000;
/** The longest pause that the service accepts. */
const BLOCK_S = 300;

let lab: MarketLab;
let client: { api: Api; provider: ProviderEmulator };
let known: any;
const lines: string[] = [];
beforeAll(async () => {
	lab = await openMarketLab({ only: [SLUG, EMPTY], log: listening() });
	await lab.runJob("discovery");
	await lab.drainQueue();
	known = await figures();
	expect(known.floorNative).toBeGreaterThan(0);
	expect(known.ownersCount).toBeGreaterThan(0);
	client = await lab.openApi();
});
afterAll(() => lab?.close());

/**
 * Remembers warnings, but not those about the chain: on a busy machine its node is silent for long,
 * which says nothing about the provider.
 */
function listening(): Log {
	const keep = (message: string) => {
		if (!message.startsWith("a head socket ended")) lines.push(message);
	};
	const log: Log = { debug() {}, info() {}, warn: keep, error: keep, with: () => log };
	return log;
}

/** Returns the collection's row of a page made just now. It does not open the collection. */
async function row() {
	lab.advance(PAGE_MS);
	const { normalized, data } = await lab.read("/collections?chain=anvil");
	expect(data.collections.length).toBeGreaterThan(1);
	return normalized.find((one: any) => one.slug === SLUG);
}
async function figures() {
	const { floorNative, ownersCount, listedCount, totalSupply, name } = await row();
	return { floorNative, ownersCount, listedCount, totalSupply, name };
}

/** Returns the collection's page when no sync of it is queued: looking at it may queue one. */
async function settled(): Promise<any> {
	let market: any;
	await until(
		async () => {
			({ market } = await lab.read(DETAIL));
			return !["queued", "syncing"].includes(market.sync.status);
		},
		() => `a sync ends, and not: ${market.sync.status}`,
	);
	return market;
}

async function resync(): Promise<void> {
	lab.advance(5_000);
	const path = `/v1/nft-market${DETAIL.replace("?", "/resync?")}`;
	const response = await fetch(`${lab.service.url}${path}`, { method: "POST" });
	expect(response.status).toBe(202);
	await lab.drainQueue();
}

/**
 * Expects that a failure is retried when its time has come, without a request, and that all is
 * complete then.
 */
async function recovers(): Promise<void> {
	// Queued syncs end first: begun before the clock moves, they would belong to the time before.
	await lab.drainQueue();
	lab.emulator.clearFaults();
	lab.advance(BACKOFF_MS);
	const before = lab.nowMs();
	await lab.runJob("full-sync");
	await lab.drainQueue();
	const { syncStatus, lastProviderAt, health } = await row();
	// Reading the list queues the next sync, which may have begun by the time it is read.
	expect(["synced", "queued", "syncing"]).toContain(syncStatus);
	expect(Date.parse(lastProviderAt)).toBeGreaterThanOrEqual(before);
	expect(health.providerConnected).toBe(true);
	expect(await figures()).toEqual(known);
}

const UNAVAILABLE = "the provider does not answer";
const UNREADABLE = "the provider answered something that cannot be read";
const TOO_OFTEN = "the provider says that it is asked too often";

for (const [fault, line] of [
	[{ kind: "500" }, UNAVAILABLE],
	[{ kind: "html" }, UNREADABLE],
	[{ kind: "wrong_types" }, UNREADABLE],
	[{ kind: "huge" }, UNREADABLE],
] satisfies [Fault, string][]) {
	test(`[MRG-12] [MRG-15] a provider that answers with ${fault.kind}: figures are kept, one line is logged, and everything recovers by itself`, async () => {
		lab.advance(60_000);
		lines.length = 0;
		lab.emulator.fault(fault);
		// Two collections, a book, recent events and three lists fail.
		await resync();
		for (const job of ["full-sync", "order-books", "lean-sync", "discovery"]) await lab.runJob(job);
		await lab.drainQueue();
		const { sync, floor, owners } = await settled();
		expect([sync.status, floor, owners]).toEqual(["failed", known.floorNative, known.ownersCount]);
		expect(lines).toEqual([line]);
		expect(await figures()).toEqual(known);
		await recovers();
	});
}

test("[MRG-02] a floor of 0 is never shown, and does not replace a known floor", async () => {
	lab.emulator.fault({ kind: "zero_floor" });
	await resync();
	const { floorNative, ...rest } = await figures();
	// The best ask replaces it.
	expect(floorNative).toBeGreaterThan(0);
	const { floorNative: _, ...others } = known;
	expect(rest).toEqual(others);
	const { stats } = await lab.read(DETAIL);
	expect(stats.data.total.floor_price).toBeNull();
	await recovers();
});

test("[MRG-06] [MRG-15] collections on no chain and on three, and names with markup, are correct or unknown", async () => {
	lab.emulator.fault({ kind: "odd_data" });
	await resync();
	await lab.runJob("discovery");
	await lab.drainQueue();
	lab.advance(PAGE_MS);
	for (const mode of ["trending", "top", "new"]) {
		const { normalized } = await lab.read(`/collections?chain=anvil&mode=${mode}&scope=all`);
		const mine = normalized.find((one: any) => one.slug === SLUG);
		expect(mine.contractAddress).toBe(lab.addressOf(SLUG));
		expect([known.floorNative, null]).toContain(mine.floorNative);
		expect([known.ownersCount, null]).toContain(mine.ownersCount);
		for (const { name } of normalized) expect(name).not.toMatch(/\p{Cc}|[\u202a-\u202e]/u);
	}
	await recovers();
});

test("[MRG-08] a burst of 599 is retried once after its wait, and no client notices", async () => {
	lines.length = 0;
	lab.emulator.clearCalls();
	lab.emulator.fault({ kind: "599", times: 1, retryAfter: 1 });
	await resync();
	expect(lab.emulator.calls().byPath[`GET /api/v2/collections/${SLUG}`]).toBe(2);
	expect((await settled()).sync.status).toBe("synced");
	expect(lines).toEqual([]);
});

for (const [form, retryAfter] of [
	["seconds", () => BLOCK_S],
	["a date", () => new Date(lab.nowMs() + BLOCK_S * 1_000).toUTCString()],
] as const) {
	test(`[MRG-08] [MRG-11] during a 429 with its wait as ${form} no call is sent, and nothing counts as failed`, async () => {
		lab.advance(60_000);
		lines.length = 0;
		lab.emulator.clearCalls();
		lab.emulator.fault({ kind: "429", retryAfter: retryAfter() });
		await resync();
		expect(lab.emulator.calls().total).toBe(1);
		lab.advance(100_000);
		for (const job of ["full-sync", "order-books", "lean-sync", "discovery"]) await lab.runJob(job);
		await lab.drainQueue();
		expect(lab.emulator.calls().total).toBe(1);
		expect(lines).toEqual([TOO_OFTEN]);
		expect((await lab.read(DETAIL)).market.sync.status).toBe("queued");
		expect((await lab.read("/collections?chain=anvil&limit=7")).normalized).not.toEqual([]);
		await recovers();
	});
}

test("[MRG-09] a client gets the provider's refusal only if there is no stale answer", async () => {
	const list = () => client.api.get("/v1/nft-market/collections?chain=anvil&mode=new");
	// No worker has read the lists for a quarter of an hour.
	lab.advance(901_000);
	expect((await list()).status).toBe(200);
	client.provider.fault({ kind: "429", retryAfter: 300 });
	lab.advance(60_000);
	const stale = await list();
	expect([stale.status, stale.headers.get("x-svc-cache")]).toEqual([200, "stale"]);
	lab.advance(31_000);
	const { status, body, headers } = await list();
	expect(status).toBe(429);
	expect(body).toMatchObject({ code: "rate_limited", provider: "opensea" });
	expect(body.retryAfterMs).toBeGreaterThan(200_000);
	expect(body.retryAfterMs).toBeLessThanOrEqual(300_000);
	expect(Number(headers.get("retry-after"))).toBe(Math.ceil(body.retryAfterMs / 1_000));
	client.provider.clearFaults();
	lab.advance(body.retryAfterMs);
	expect((await list()).body.normalized.length).toBeGreaterThan(1);
});

test("[MRG-12] a long provider outage costs a log line, and no figure; its return is noticed", async () => {
	lab.advance(60_000);
	lines.length = 0;
	const port = Number(new URL(lab.emulator.url).port);
	await lab.emulator.stop();
	await resync();
	await lab.runJob("discovery");
	await lab.drainQueue();
	const { sync, health } = await settled();
	expect([sync.status, health.providerConnected]).toEqual(["failed", false]);
	expect(lines).toEqual([UNAVAILABLE]);
	expect(await figures()).toEqual(known);
	const search = await lab.read("/search?chain=anvil&q=kiln");
	expect(search.data.map(({ slug }: any) => slug)).toEqual([SLUG]);
	const back = lab.start({ port });
	await back.sync();
	await recovers();
});
