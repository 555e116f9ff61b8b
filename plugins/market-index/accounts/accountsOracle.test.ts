import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import {
	createAccountWorlds,
	type World,
} from "#plugins/market-index/accounts/testing/accountWorld.ts";
import {
	type ActivityFilter,
	expectedActivity,
	expectedHoldings,
	expectedResults,
	rateAt,
} from "#plugins/market-index/accounts/testing/expectedAccounts.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	createMarketFixture,
	ethereum,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createDice } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { TEST_LIMIT_MS } from "#test/harness/testLimits.ts";
import { TEST_SEED } from "#test/harness/testSeed.ts";

// Guarantee: what the routes say of an account equals what an oracle makes of the same events and
// moves, after a fork as well, by every filter and size of a page. ACCOUNT_SEED replays one seed.

const { ACCOUNT_SEED, PROVE } = process.env;
const COUNT = PROVE === "1" ? 2_000 : 200;
const seeds =
	ACCOUNT_SEED === undefined
		? Array.from({ length: COUNT }, (_, at) => (TEST_SEED + at) >>> 0)
		: [Number(ACCOUNT_SEED)];
const LIMIT_MS = Math.ceil(COUNT / 100) * TEST_LIMIT_MS;

let database: TestDatabase;
/** What differs, by kind; each line replays its seed. */
const problems = { activity: [] as string[], holdings: [] as string[], result: [] as string[] };

beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db, [ethereum, base]);
	const context = { ...fixture, prices: { ...fixture.prices, ethUsd: rateAt } };
	const ask = createAsk(context);
	const tellWorld = createAccountWorlds(database.db);
	for (const seed of seeds) {
		const world = await tellWorld(seed);
		const dice = createDice(seed + 1);
		const [account = "0x", other = "0x"] = world.accounts;
		const tell = (kind: keyof typeof problems, about: unknown) =>
			problems[kind].push(`ACCOUNT_SEED=${seed}: ${JSON.stringify(about)}`);
		for (const filter of filtersOf(world, dice)) {
			const one = dice(2) === 0 ? account : other;
			const found = await activityOf(ask, one, { filter, limit: 1 + dice(12) });
			const wanted = expectedActivity(world, one, filter);
			if (!Bun.deepEquals(found, wanted)) tell("activity", { filter, found, wanted });
		}
		const held = await holdingsOf(ask, account, 1 + dice(4));
		const owned = expectedHoldings(world, account);
		for (const list of [owned.tokens, owned.notWalked]) list.sort();
		if (!Bun.deepEquals(held, owned)) tell("holdings", { held, owned });
		const results = await resultsOf(ask, account, 1 + dice(4));
		const wanted = [...expectedResults(world, account)].map(([key, { usd, ...one }]) => {
			return `${key} ${Object.values(one).join(" ")} ${usd?.toFixed(4) ?? null}`;
		});
		if (!Bun.deepEquals(results, wanted.sort())) tell("result", { results, wanted });
	}
}, LIMIT_MS);
afterAll(() => database.drop());

describe(`${seeds.length} worlds from ACCOUNT_SEED=${seeds[0]}`, () => {
	test("what an account did equals the oracle's, by every filter and size of a page", () => {
		expect(problems.activity.slice(0, 3)).toEqual([]);
	});

	test("what an account holds equals the oracle's, with its sum and what is not walked", () => {
		expect(problems.holdings.slice(0, 3)).toEqual([]);
	});

	test("what an account realised equals the oracle's, first in, first out, to the wei", () => {
		expect(problems.result.slice(0, 3)).toEqual([]);
	});
});

/** Four ways to ask, other ones with each seed. */
function filtersOf(world: World, dice: ReturnType<typeof createDice>): ActivityFilter[] {
	const slug = world.contracts.filter(({ state }) => state !== "hidden")[dice(8)]?.address ?? "";
	const fromMs = NOW_MS - 20 * DAY_MS + dice(10) * HOUR_MS;
	const type = ["bought", "sold", "minted", "moved"][dice(4)] ?? "sold";
	const chain = dice(2) === 0 ? "ethereum" : "base";
	const times = { afterMs: fromMs, beforeMs: fromMs + (1 + dice(6)) * HOUR_MS };
	return [{}, { type }, dice(2) === 0 ? { chain } : { slug }, { ...times, type, chain }];
}

type Ask = (path: string) => Promise<Answer>;

/** Reads all pages of a list of an account. */
async function pagesOf(ask: Ask, path: string, limit: number) {
	const pages: Answer["body"][] = [];
	let cursor = "";
	do {
		const query = `${path.includes("?") ? "&" : "?"}limit=${limit}&cursor=${cursor}`;
		const { status, body } = await ask(`${path}${query}`);
		if (status !== 200) throw new Error(`${path} answers ${status} ${body.detail}`);
		if (pages.push(body) > 200) throw new Error(`${path} has no end`);
		cursor = body.page.nextCursor ?? "";
	} while (cursor !== "");
	return pages;
}

async function activityOf(
	ask: Ask,
	account: Address,
	{ filter, limit }: { filter: ActivityFilter; limit: number },
): Promise<string[]> {
	const { afterMs, beforeMs, ...same } = filter;
	const query = new URLSearchParams(same);
	if (afterMs !== undefined) query.set("after", new Date(afterMs).toISOString());
	if (beforeMs !== undefined) query.set("before", new Date(beforeMs).toISOString());
	const pages = await pagesOf(ask, `/accounts/${account}/activity?${query}`, limit);
	return pages.flatMap(({ data }) =>
		data.map((one: Record<string, string>) =>
			[one.action, one.chain, one.contractAddress, one.tokenId, one.id].join(" "),
		),
	);
}

async function holdingsOf(ask: Ask, account: Address, limit: number) {
	const pages = await pagesOf(ask, `/accounts/${account}`, limit);
	const { summary, coverage } = pages[0];
	return {
		tokens: pages
			.flatMap(({ data }) => data)
			.map((one) => `${one.contractAddress} ${one.tokenId} ${one.units}`)
			.sort(),
		valueRaw: summary.valueRaw,
		collections: summary.collections,
		collectionsWithoutFloor: summary.collectionsWithoutFloor,
		notWalked: coverage.notWalked
			.map((one: Record<string, string>) => `${one.contractAddress} ${one.state}`)
			.sort(),
	};
}

async function resultsOf(ask: Ask, account: Address, limit: number): Promise<string[]> {
	const pages = await pagesOf(ask, `/accounts/${account}/result`, limit);
	return pages
		.flatMap(({ data }) => data)
		.map((one) =>
			[
				...[one.contractAddress, one.tokenId, one.unitsSold, one.unitsRealised],
				...[one.proceedsRaw, one.costRaw, one.unitsWithoutUsd, one.leftOut.cost_not_seen],
				...[one.leftOut.cost_unknown, one.leftOut.price_unknown],
				one.realisedUsd?.toFixed(4) ?? "null",
			].join(" "),
		)
		.sort();
}
