import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MarketLab, openMarketLab } from "#test/harness/openMarketLab.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
import { until } from "#test/harness/until.ts";
import type { ProviderEmulator } from "#test/sandbox/provider/startProviderEmulator.ts";

// Guarantee: the provider's rate limit is spent on what clients need, however many ask for it.
// Calls for clients are counted at a provider of their own, apart from the worker's.

type Api = Awaited<ReturnType<MarketLab["openApi"]>>["api"];
type Asked = { path: string; count: number };

const CROWD = 50;
const SEARCHES_A_MINUTE = 15;
const MODES = ["trending", "top", "new"] as const;
const OPENED = "kiln-folk";

let lab: MarketLab;
let client: { api: Api; provider: ProviderEmulator };
beforeAll(async () => {
	lab = await openMarketLab();
	// The worker is told to wait, so that only the clients cause calls.
	lab.emulator.fault({ kind: "429", retryAfter: 90 });
	client = await lab.openApi();
});
afterAll(async () => {
	await lab?.close();
});

/** Returns how often the matching paths were called. */
function count(provider: ProviderEmulator, path: RegExp): number {
	const asked: Asked[] = Object.entries(provider.calls().byPath).map(([one, count]) => {
		return { path: one.replace(/^[A-Z]+ \/api\/v2/, ""), count };
	});
	return asked.filter((one) => path.test(one.path)).reduce((sum, one) => sum + one.count, 0);
}
const lists = () => count(client.provider, /^\/collections(\/trending|\/top)?$/);
const stats = () => count(client.provider, /\/stats$/);
/** Returns how many full syncs ran: each asks for its collection once. */
const syncs = (slug: string) => count(lab.emulator, new RegExp(`^/collections/${slug}$`));

const list = (mode: string, rest = "") =>
	client.api.get(`/v1/nft-market/collections?chain=anvil&mode=${mode}${rest}`);
/** Sends many requests at once; returns their outcomes, and when the list was read. */
async function crowd(mode: string) {
	const answers = await Promise.all(Array.from({ length: CROWD }, () => list(mode)));
	expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
	const [first] = answers;
	const times = new Set(answers.map(({ body }) => body.freshness.listRefreshedAt));
	expect(times.size).toBe(1);
	return {
		outcomes: new Set(answers.map(({ headers }) => headers.get("x-svc-cache"))),
		listRefreshedAt: Date.parse(first?.body.freshness.listRefreshedAt),
	};
}
const outcome = async (mode: string) => (await list(mode)).headers.get("x-svc-cache");
const rebuilt = (mode: string) =>
	until(async () => (await outcome(mode)) === "hit", "the page was rebuilt");
async function timesAtOnce(times: number, ask: (n: number) => Promise<{ status: number }>) {
	const answers = await Promise.all(Array.from({ length: times }, (_, n) => ask(n)));
	return [...new Set(answers.map(({ status }) => status))];
}

test("[API-02] [API-04] [API-05] a first page costs one list and eight rows' figures, for any number of clients", async () => {
	expect((await crowd("new")).outcomes).toEqual(new Set(["miss"]));
	expect(lists()).toBe(1);
	// Three seconds are reserved for them: a slow machine makes fewer, and each fills a row.
	const asked = stats();
	expect(asked).toBeLessThanOrEqual(8);
	expect(asked).toBeGreaterThan(0);
	const { body } = await list("new");
	expect(body.normalized.length).toBeGreaterThan(8);
	const counted = body.normalized.filter((row: any) => row.ownersCount !== null);
	expect(counted.length).toBeGreaterThan(0);
});

test("[API-05] a fresh page is a hit; a stale one is served at once, and rebuilt once meanwhile", async () => {
	client.provider.clearCalls();
	const fresh = await crowd("new");
	expect(fresh.outcomes).toEqual(new Set(["hit"]));
	expect(client.provider.calls().total).toBe(0);
	lab.advance(46_000);
	// The list is slow, so that the whole crowd comes before it.
	client.provider.fault({ kind: "slow", path: "/collections\\?", delayMs: 1_000 });
	const { outcomes, listRefreshedAt } = await crowd("new");
	expect(outcomes).toEqual(new Set(["stale"]));
	expect(listRefreshedAt).toBe(fresh.listRefreshedAt);
	await rebuilt("new");
	client.provider.clearFaults();
	expect((await crowd("new")).listRefreshedAt).toBeGreaterThan(fresh.listRefreshedAt + 45_000);
	expect(lists()).toBe(1);
	expect(stats()).toBeLessThanOrEqual(8);
});

test("[API-02] [API-05] with a recent list no mode, scope or limit calls the provider, cached or not", async () => {
	lab.emulator.clearFaults();
	lab.advance(100_000);
	await lab.runJob("discovery");
	const enqueued = "select max(enqueued_at)::text as at from market_index.sync";
	const [before] = await lab.service.core.db.query(enqueued);
	client.provider.clearCalls();
	for (const wait of [0, 20_000, 100_000]) {
		lab.advance(wait);
		for (const mode of MODES) {
			for (const rest of ["", "&limit=3", "&scope=all", "&limit=200&scope=all"]) {
				const { status, body } = await list(mode, rest);
				expect(status).toBe(200);
				expect(body.data.collections.length).toBeGreaterThan(2);
			}
			// Stale pages are rebuilt after their answers, which causes no call either.
			await rebuilt(mode);
		}
	}
	expect(client.provider.calls()).toMatchObject({ total: 0, byPath: {} });
	expect(await lab.service.core.db.query(enqueued)).toEqual([before]);
});

test("[API-16] for any number of viewers a collection is synced once in 20 seconds", async () => {
	const view = (n: number) => {
		const { api } = n % 2 === 0 ? client : { api: lab.service };
		const rest = n % 3 === 0 ? "/candles" : "";
		return api.get(`/v1/nft-market/collections/${OPENED}${rest}?chain=anvil`);
	};
	const look = async () => {
		lab.emulator.clearCalls();
		expect(await timesAtOnce(30, view)).toEqual([200]);
		await lab.drainQueue();
		return { calls: syncs(OPENED), lineMs: await putInLineMs(OPENED) };
	};
	const first = await look();
	expect(first.calls).toBe(1);
	const second = await look();
	// On a slow machine 20 seconds may be over by then, and it is synced again; but never before.
	const isLater = second.lineMs !== first.lineMs;
	if (isLater) expect(second.lineMs - first.lineMs).toBeGreaterThanOrEqual(20_000);
	expect(second.calls).toBe(isLater ? 1 : 0);
	lab.advance(20_000);
	expect((await look()).calls).toBe(1);
});

/** Returns when the collection was last queued for a sync. */
async function putInLineMs(slug: string): Promise<number> {
	const [row] = await lab.service.core.db.query<{ at: Date }>(
		`select s.enqueued_at as at from market_index.sync as s
		join market_index.collection as c on c.id = s.collection_id where c.slug = $1`,
		[slug],
	);
	if (!row) throw new Error(`${slug} is not in the index`);
	return row.at.getTime();
}

test("[API-16] for any number of searches the found collections are synced once in five minutes", async () => {
	const search = () => client.api.get("/v1/nft-market/search?chain=anvil&q=kiln");
	const find = async () => {
		lab.emulator.clearCalls();
		expect(await timesAtOnce(4, search)).toEqual([200]);
		await lab.drainQueue();
		return syncs(OPENED);
	};
	lab.advance(200_000);
	expect(await find()).toBe(0);
	lab.advance(100_000);
	expect(await find()).toBe(1);
});

test("[API-07] a repair that many clients request is accepted from each and done once", async () => {
	lab.emulator.clearCalls();
	lab.advance(5_000);
	const resync = (n: number) => {
		const { url } = n % 2 === 0 ? client.api : lab.service;
		const address = `10.9.0.${n}`;
		return fetch(`${url}/v1/nft-market/collections/${OPENED}/resync?chain=anvil`, {
			method: "POST",
			headers: { "x-forwarded-for": address },
		});
	};
	expect(await timesAtOnce(12, resync)).toEqual([202]);
	await lab.drainQueue();
	expect(syncs(OPENED)).toBe(1);
});

test("[MRG-08] [API-14] a client that keeps searching in two processes without Redis leaves the limit to others", async () => {
	const one = await lab.openApi();
	const { provider } = one;
	const two = await lab.openApi({ provider });
	const searches = () => count(provider, /^\/search/);
	const statuses = new Set<number>();
	for (let n = 0; n < 60; n++) {
		// Each call begins 250 ms after the one before it, by a clock that the test moves.
		lab.advance(251);
		const { api } = n % 2 === 0 ? one : two;
		statuses.add((await api.get(`/v1/nft-market/search?chain=anvil&q=no-${n}`)).status);
	}
	await until(() => searches() === SEARCHES_A_MINUTE, "as many as there may be were made");
	expect([...statuses]).toEqual([200]);
	for (const { api } of [one, two]) {
		const discovery = api.host.jobs.find(({ name }) => name === "market-index.discovery");
		await discovery?.run({ signal: AbortSignal.timeout(WAIT_LIMIT_MS) });
	}
	expect(count(provider, /^\/collections(\/trending|\/top)?$/)).toBeGreaterThanOrEqual(
		MODES.length,
	);
	expect(searches()).toBe(SEARCHES_A_MINUTE);
	expect(provider.calls().total).toBeLessThanOrEqual(120);
});
