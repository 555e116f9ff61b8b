import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { databaseBudget } from "#core/budget/databaseBudget.ts";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { silentLog } from "#core/log.ts";
import type { Core } from "#core/plugin/Core.ts";
import { HOUR_MS } from "#core/time.ts";
import { dropsJob } from "#plugins/market-index/drops/dropsJob.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import type { ProviderDrop, ProviderDropStage } from "#plugins/provider/contract.ts";
import { createFakeProvider, type FakeProvider } from "#test/harness/fakes.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let ask: (path: string) => Promise<Answer>;
let provider: FakeProvider;
let core: Pick<Core, "db" | "clock" | "log" | "budget" | "indexed">;

beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db, [ethereum, base]);
	await fixture.seed(ethereum, [mintOf(contractOf(1))]);
	ask = createAsk(fixture);
	const indexed = [ethereum, base].map((chain) => ({ chain }));
	core = {
		...fixture.core,
		log: silentLog,
		budget: inProcessBudget(fixture.core),
		indexed: indexed as unknown as Core["indexed"],
	};
});
beforeEach(async () => {
	provider = createFakeProvider();
	core = { ...core, budget: inProcessBudget(core) };
	await database.db.execute("truncate market_index.drop");
});
afterAll(() => database.drop());

const run = () => dropsJob(core, provider.provider).run({ signal: new AbortController().signal });

function stage(given: Partial<ProviderDropStage> = {}): ProviderDropStage {
	return {
		uuid: crypto.randomUUID(),
		type: "public_sale",
		label: "Public",
		priceRaw: ETH / 10n,
		currency: ZERO_ADDRESS,
		startsAtMs: NOW_MS - HOUR_MS,
		endsAtMs: NOW_MS + HOUR_MS,
		maxPerWallet: 2n,
		...given,
	};
}

function dropOf(number: number, given: Partial<ProviderDrop> = {}): ProviderDrop {
	return {
		collectionSlug: `drop-${number}`,
		collectionName: `Drop ${number}`,
		chainId: ethereum.id,
		contract: contractOf(number),
		type: "seadrop_v1_erc721",
		isMinting: false,
		imageUrl: null,
		activeStage: null,
		nextStage: null,
		stages: [],
		totalSupply: null,
		maxSupply: null,
		...given,
	};
}

/** The provider lists these as upcoming, on one page. */
function lists(...drops: ProviderDrop[]) {
	provider.answers.drops = async ({ type, chainId }) => ({
		items: type === "upcoming" ? drops.filter((drop) => drop.chainId === chainId) : [],
		cursor: null,
	});
}

test("[MRG-14] [API-20] drops are returned with their stages, state and maximum", async () => {
	const active = stage();
	lists(dropOf(1, { isMinting: true, activeStage: active }));
	provider.answers.drop = async () =>
		dropOf(1, {
			isMinting: true,
			stages: [stage({ startsAtMs: NOW_MS + HOUR_MS, endsAtMs: NOW_MS + 2 * HOUR_MS }), active],
			maxSupply: 500n,
			totalSupply: 20n,
		});
	await run();
	const { body } = await ask("/drops");
	expect(body.data).toHaveLength(1);
	expect(body.data[0]).toMatchObject({
		slug: contractOf(1),
		isIndexed: true,
		chain: "ethereum",
		state: "minting",
		maxSupply: 500,
		totalSupply: 20,
		startsAt: new Date(NOW_MS - HOUR_MS).toISOString(),
		endsAt: new Date(NOW_MS + 2 * HOUR_MS).toISOString(),
	});
	expect(body.data[0].stages).toHaveLength(2);
	expect(body.data[0].stages[0]).toMatchObject({ priceNative: 0.1, maxPerWallet: "2" });
	// A drop's maximum is what decides that its collection is minted out.
	const [own] = await database.db.query<{ max: string }>(
		"select max_supply as max from market_index.collection",
	);
	expect(own?.max).toBe("500");
});

test("a list without details never erases a drop's own details", async () => {
	lists(dropOf(2, { isMinting: true, activeStage: stage() }));
	provider.answers.drop = async () =>
		dropOf(2, { isMinting: true, stages: [stage(), stage()], maxSupply: 9n });
	await run();
	provider.answers.drop = async () => null;
	await run();
	expect((await ask("/drops")).body.data[0]).toMatchObject({ maxSupply: 9 });
	expect((await ask("/drops")).body.data[0].stages).toHaveLength(2);
});

test("[MRG-14] the first 429 ends the run; the next run needs not read again what was read", async () => {
	lists(dropOf(3));
	await run();
	const before = provider.calls.length;
	provider.fail("drops", provider.faults.rateLimited(60_000));
	await run();
	// Two at a time, so at most two were on their way.
	expect(provider.calls.length - before).toBeLessThanOrEqual(2);
	expect((await ask("/drops")).body.data).toHaveLength(1);
});

/** Two processes on one database, whose time passes only where the test says so. */
function processes() {
	let aheadMs = 0;
	const clock = { nowMs: () => NOW_MS + aheadMs };
	const make = () => {
		const { db } = database;
		const shared = { db, clock, log: silentLog, aheadMs: () => aheadMs, timeoutMs: 30_000 };
		const job = dropsJob({ ...core, clock, budget: databaseBudget(shared) }, provider.provider);
		return () => job.run({ signal: new AbortController().signal });
	};
	const advance = (ms: number) => {
		aheadMs += ms;
	};
	return { one: make(), other: make(), advance };
}

test("[MRG-14] for five minutes after a refusal no process calls, however late in a run it came", async () => {
	await database.db.execute("truncate core.budget");
	const { one, other, advance } = processes();
	lists(...Array.from({ length: 6 }, (_, index) => dropOf(300 + index, { isMinting: true })));
	let asked = 0;
	provider.answers.drop = async () => {
		asked += 1;
		// What was asked before took its time: the run began minutes before the refusal.
		if (asked < 3) advance(100_000);
		if (asked === 3) throw provider.faults.rateLimited(1_000);
		return null;
	};
	await one();
	expect(asked).toBeLessThanOrEqual(4);
	const calls = provider.calls.length;
	for (const ms of [1, 100_000, 99_000]) {
		advance(ms);
		await one();
		await other();
		expect(provider.calls).toHaveLength(calls);
	}
	advance(101_000);
	await other();
	expect(provider.calls.length).toBeGreaterThan(calls);
});

test("[MRG-14] only a refusal by the provider starts the pause, not our own limits", async () => {
	await database.db.execute("truncate core.budget");
	const { one, advance } = processes();
	lists(dropOf(400));
	const pace = provider.faults.rateLimited(1_000);
	pace.meta["refusedBy"] = "pace";
	provider.fail("drops", pace);
	await one();
	const calls = provider.calls.length;
	provider.fail("drops", provider.faults.unavailable());
	advance(60_000);
	await one();
	expect(provider.calls.length).toBeGreaterThan(calls);
	advance(60_000);
	const before = provider.calls.length;
	await one();
	expect(provider.calls.length).toBeGreaterThan(before);
});

test("[MRG-14] drops are read by one process at a time, every five minutes, two calls at a time", async () => {
	const { schedule, lock, timeoutMs } = dropsJob(core, provider.provider);
	expect({ schedule, lock, timeoutMs }).toEqual({
		schedule: { everyMs: 300_000 },
		lock: "cluster",
		timeoutMs: 300_000,
	});
	lists(...Array.from({ length: 9 }, (_, index) => dropOf(200 + index, { isMinting: true })));
	let underWay = 0;
	let most = 0;
	provider.answers.drop = async () => {
		most = Math.max(most, ++underWay);
		await new Promise((resolve) => setImmediate(resolve));
		underWay--;
		return null;
	};
	await run();
	expect(provider.callsOf("drop")).toHaveLength(9);
	expect(most).toBe(2);
});

test("[MRG-14] drop calls have their own share of the limit, and the pace of the background", async () => {
	lists(...Array.from({ length: 60 }, (_, index) => dropOf(100 + index, { isMinting: true })));
	await run();
	expect(provider.calls.length).toBe(36);
	await run();
	expect(provider.calls.length).toBe(40);
	expect(provider.calls.every(({ purpose }) => purpose === "background")).toBe(true);
});

test("a drop of another chain, and details of another contract, are ignored", async () => {
	provider.answers.drops = async () => ({
		items: [dropOf(4, { chainId: 137 }), dropOf(5, { isMinting: true })],
		cursor: null,
	});
	provider.answers.drop = async () => dropOf(6, { maxSupply: 1n });
	await run();
	const { body } = await ask("/drops");
	expect(
		body.data.map(({ contractAddress }: { contractAddress: string }) => contractAddress),
	).toEqual([contractOf(5)]);
	expect(body.data[0].maxSupply).toBeNull();
});

test("[API-20] drops are paged by their start, upcoming ones the next first", async () => {
	const startOf = (index: number) => (index % 4 === 0 ? null : NOW_MS + (index % 5) * HOUR_MS);
	const all = Array.from({ length: 17 }, (_, index) =>
		dropOf(200 + index, {
			nextStage:
				startOf(index) === null ? null : stage({ startsAtMs: startOf(index), endsAtMs: null }),
		}),
	);
	lists(...all);
	await run();
	const walk = async (query: string) => {
		const found: { contractAddress: string; startsAt: string | null }[] = [];
		let cursor = "";
		do {
			const { body } = await ask(`/drops?${query}${cursor}`);
			found.push(...body.data);
			cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
		} while (cursor !== "");
		return found;
	};
	for (const limit of [1, 5, 200]) {
		const found = await walk(`limit=${limit}`);
		expect(new Set(found.map(({ contractAddress }) => contractAddress)).size).toBe(17);
		expect(found).toHaveLength(17);
	}
	const soon = (await walk("state=upcoming&limit=2")).map(({ startsAt }) => startsAt);
	expect(soon.length).toBeGreaterThan(5);
	expect(soon).toEqual([...soon].sort());
	expect((await ask("/drops?chain=base")).body.data).toEqual([]);
	// A cursor of other filters would begin elsewhere, or go the other way.
	const { body } = await ask("/drops?state=upcoming&limit=1");
	for (const query of ["limit=1", "state=minting", "state=upcoming&chain=ethereum"]) {
		const other = await ask(`/drops?${query}&cursor=${body.page.nextCursor}`);
		expect([query, other.status, other.body.code]).toEqual([query, 422, "cursor_mismatch"]);
	}
});

test("a disabled provider is not asked", async () => {
	await dropsJob(core, { ...provider.provider, isOn: false }).run({
		signal: new AbortController().signal,
	});
	expect(provider.calls).toEqual([]);
});
