import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Address, padHex } from "viem";
import { inProcessBus } from "#core/bus.ts";
import type { Database, Queryable, SqlValue, Tx } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createOutbox } from "#core/outbox.ts";
import { NAMES_ASKED_MAX } from "#core/plugin/Tool.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import {
	ACCOUNT_TYPES,
	accountStatement,
	unwalkedStatement,
} from "#plugins/market-index/accounts/accountEvents.ts";
import { readHeldCollections, readHeldTokens } from "#plugins/market-index/accounts/heldTokens.ts";
import { readFacts } from "#plugins/market-index/accounts/readActivity.ts";
import { readKnownNames } from "#plugins/market-index/agent/resolveCollection.ts";
import type { EventRow } from "#plugins/market-index/event/MarketEvent.ts";
import { NO_SPANS } from "#plugins/market-index/figures/coverage.ts";
import {
	readFloorAt,
	readFloorRange,
	readFloorsAt,
	readFloorsSince,
} from "#plugins/market-index/floor.ts";
import { readDiscover, readDiscoverRows } from "#plugins/market-index/read/trending.ts";
import { resolveCollections } from "#plugins/market-index/register/registerCollections.ts";
import { type CandleInterval, WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windows.ts";
import { readAlike, readChoices } from "#plugins/market-index/search/alikeNames.ts";
import { readNamesakes } from "#plugins/market-index/search/sql.ts";
import { blockBefore, chainStatement } from "#plugins/market-index/sql/chainEvents.ts";
import { chooseSales } from "#plugins/market-index/sql/chooseSales.ts";
import {
	type CollectionOrder,
	listCollections,
} from "#plugins/market-index/sql/collectionLists.ts";
import { readNamedCollections } from "#plugins/market-index/sql/collectionNames.ts";
import { readCollection } from "#plugins/market-index/sql/collectionRows.ts";
import { insertEvents } from "#plugins/market-index/sql/events.ts";
import { filterStatement } from "#plugins/market-index/sql/filterEvents.ts";
import {
	findLastSales,
	readActivity,
	readEventSpans,
	readSaleImage,
} from "#plugins/market-index/sql/readEvents.ts";
import { readWindowPairs } from "#plugins/market-index/sql/windowChanges.ts";
import {
	readCandles,
	readCandleUpdates,
	readPeriodSums,
	readTileFigures,
} from "#plugins/market-index/sql/windowSums.ts";
import { base, ethereum, NOW_MS, saleOf } from "#plugins/market-index/testing/marketFixture.ts";
import { dueTokens, wasSpokenOf } from "#plugins/market-index/tokens/sql/dueTokens.ts";
import { pickProbeTokens, revealSample } from "#plugins/market-index/tokens/sql/ranks.ts";
import { tokenPageStatement } from "#plugins/market-index/tokens/sql/tokenPages.ts";
import { readToken, readTokenFacts } from "#plugins/market-index/tokens/sql/tokens.ts";
import { readRarestTraits, readTraitPage } from "#plugins/market-index/tokens/sql/traits.ts";
import { fillIndex } from "#test/bench/fill/fillIndex.ts";
import { fakePrices } from "#test/harness/fakes.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;

type Statement = { text: string; values: readonly SqlValue[] };

// As large as it takes for an index to be worth its while, and no larger.
beforeAll(async () => {
	database = await createTestDatabase();
	await fillIndex(database.connectionString, {
		events: 40_000,
		recentEvents: 10_000,
		collections: 2_000,
		marketed: 0,
		days: 60,
		nowMs: NOW_MS,
		chainIds: [ethereum.id, base.id],
	});
	const columns = `block_number, chain_id, collection_id, log_index, sub_index, kind, accepted,
		onchain_verified, block_hash, transaction_hash, from_address, to_address, token_id, quantity`;
	await database.db.execute(
		`insert into market_index.event (occurred_at, ${columns})
		select occurred_at - interval '20 years', ${columns} from market_index.event limit 5000`,
	);
	await database.db.execute(
		`insert into core.stream_frame (topic, seq_first, seq_last, at, frames)
		select 'topic-' || n % 50, n, n, now(), '[]' from generate_series(1, 5000) as n`,
	);
	await database.db.execute(
		`insert into market_index.token (collection_id, token_id, traits, image_url)
		select n % 50, n / 50, '[{"type":"a","value":"b"}]', 'ipfs://image'
		from generate_series(1, 20000) as n`,
	);
	await database.db.execute(
		`insert into market_index.trait_count (collection_id, trait_type, value, tokens)
		select n % 50, 'Trait ' || n % 7, n, 1 from generate_series(1, 20000) as n`,
	);
	await database.db.execute(
		`insert into market_index.floor_snapshot (collection_id, at, floor_native, floor_usd)
		select n % 500, $1::timestamptz - n / 500 * interval '1 hour', 10 + n % 7, 1
		from generate_series(1, 50000) as n on conflict do nothing`,
		[new Date(NOW_MS)],
	);
	await database.db.execute(
		`insert into market_index.owned_span
		select n % 50, n, n, '\\x000000000000000000000000'::bytea || int8send(n % 900), n
		from generate_series(1::int8, 20000) as n`,
	);
	await database.db.execute(
		`insert into market_index.owned_units
		select set_id + 50, from_id, owner, 1 from market_index.owned_span`,
	);
	await database.db.execute(
		`insert into market_index.holder
		select set_id, owner, count(*) from market_index.owned_span group by 1, 2`,
	);
	await database.db.execute("analyze");
});
afterAll(() => database.drop());

/** Passes everything on, and remembers the statements: what is explained is what really runs. */
function recorded<Of extends Queryable>(queryable: Of, statements: Statement[]): Of {
	return {
		...queryable,
		query: <Row>(text: string, values: readonly SqlValue[] = []) => {
			statements.push({ text, values });
			return queryable.query<Row>(text, values);
		},
		execute: (text: string, values: readonly SqlValue[] = []) => {
			statements.push({ text, values });
			return queryable.execute(text, values);
		},
	};
}

function recordedDatabase(statements: Statement[]): Database {
	const keepingPlans = recorded(database.db.keepingPlans, statements);
	return { ...recorded(database.db, statements), keepingPlans };
}

const chainIds = [ethereum.id, base.id];
const contract: Address = padHex("0x3", { size: 20 });
const window = windowOf(NOW_MS, WINDOW_MS["24h"]);
const list = (
	order: CollectionOrder,
	given: Partial<Parameters<typeof listCollections>[1]> = {},
) => {
	return (db: Database) =>
		listCollections(db, { chainIds, nowMs: NOW_MS, window, order, limit: 50, ...given });
};
const candles = (interval: CandleInterval) => (db: Database) =>
	readCandles(db, { collectionId: 3, interval, before: null, limit: 500 });
const activity = (given: Partial<Parameters<typeof readActivity>[1]>) => (db: Database) =>
	readActivity(db, {
		collectionId: 3,
		kinds: ["sale", "mint", "transfer"],
		acceptedOnly: false,
		since: null,
		after: null,
		limit: 51,
		...given,
	});
const filtered = {
	...{ collectionId: 3, chainId: ethereum.id, acceptedOnly: false, since: null, after: null },
	...{ kinds: ["sale", "mint", "transfer"] as const, limit: 51 },
};
const ofChain = {
	...{ chainId: ethereum.id, kinds: ["sale"] as const, since: null, until: null, after: null },
	...{ start: 5_000, limit: 51, steps: [1_000] },
};
const unbounded = { min: null, max: null };
const listed = {
	...{ collectionId: 3, sort: "tokenId" as const, traits: [], rank: unbounded, price: unbounded },
	...{ owner: null, after: null, nowMs: NOW_MS, limit: 51 },
};
const account = padHex("0x7", { size: 20 });
const didBy = (given: Partial<Parameters<typeof accountStatement>[0]>) =>
	accountStatement({
		...{ address: account, types: ACCOUNT_TYPES, chainIds, collectionId: null },
		...{ since: null, until: null, after: null, scanned: 51, limit: 50 },
		...given,
	});
const run =
	({ text, values }: Statement) =>
	(db: Database) =>
		db.query(text, values);
const ago = (ms: number) => new Date(NOW_MS - ms);
const after = { occurredAtMs: NOW_MS, blockNumber: 1e8, logIndex: 1, subIndex: 0 };
const outbox = (db: Database) =>
	createOutbox({ db, bus: inProcessBus(silentLog), clock: { nowMs: () => NOW_MS } });

const SILENT: Parameters<typeof readDiscover>[0]["scanner"] = {
	progress: async (chainId, lane) => {
		return { chainId, lane, headBlock: null, indexedBlock: null, indexedAtMs: null };
	},
};

const READS: Record<string, (db: Database) => Promise<unknown>> = {
	"trending, 24 hours": list("trending"),
	"trending, 7 days": list("trending", { window: windowOf(NOW_MS, WINDOW_MS["7d"]) }),
	"trending, 5 minutes": list("trending", { window: windowOf(NOW_MS, WINDOW_MS["5m"]) }),
	"trending, a page that is not full": list("trending", { lifecycle: "upcoming" }),
	"collections by volume of 24 hours": list("market"),
	"collections by volume": list("top"),
	"collections, newest first": list("new"),
	"discover, all sections": (db) =>
		readDiscover(
			{ core: { db, clock: { nowMs: () => NOW_MS } }, scanner: SILENT, prices: fakePrices() },
			[ethereum, base],
			50,
		),
	"a collection by name": (db) =>
		readNamedCollections(db, { chainIds, slugs: ["collection-3"], address: contract }),
	"collections by their whole name": (db) =>
		readNamesakes(db, { chainIds, name: "Collection 3", limit: 5 }),
	"collections whose names are nearly this": (db) =>
		readAlike(db, { chainIds, text: "colection thre" }),
	"collections as choices": (db) => readChoices(db, { ids: [3, 4, 5], limit: 5 }),
	"groups of words that may be names": (db) =>
		readKnownNames(db, {
			chainIds,
			names: Array.from({ length: NAMES_ASKED_MAX }, (_, n) => `collection ${n * 3}`),
		}),
	"a collection": (db) => readCollection(db, 3, { nowMs: NOW_MS }),
	"a collection's floor": (db) =>
		readCollection(db, 3, { nowMs: NOW_MS, columns: ["floorNative", "floorBefore"] }),
	"a collection's tiles": (db) => readTileFigures(db, 3, NOW_MS),
	"what tokens of a page say": (db) => readTokenFacts(db, 3, ["1", "2", "5000"]),
	"a token": (db) => readToken(db, 3, 7n),
	"a token of an event": (db) => wasSpokenOf(db, 3, 7n),
	"tokens whose time has come": (db) =>
		dueTokens(db, { collectionId: 3, after: 5n, at: new Date(NOW_MS), limit: 200 }),
	"tokens that are read again": (db) => {
		const at = new Date(NOW_MS);
		return dueTokens(db, {
			collectionId: 3,
			after: 5n,
			at,
			limit: 200,
			reread: { since: at, again: [9n] },
		});
	},
	"tokens to look at for a reveal": (db) => pickProbeTokens(db, 3, 8),
	"what stored tokens show": (db) => revealSample(db, 3),
	"a page of traits": (db) =>
		readTraitPage(db, {
			collectionId: 3,
			type: null,
			after: { type: "Trait 1", value: "2" },
			limit: 51,
		}),
	"the image of a last sale": (db) =>
		readSaleImage(db, {
			id: 3,
			lastSaleAt: new Date(NOW_MS),
			lastSaleTokenId: "1",
			lastSaleTransaction: padHex("0x1", { size: 32 }),
		}),
	"the rarest traits": (db) => readRarestTraits(db, { collectionId: 3, type: null, limit: 5 }),
	"sales of a past period, to the minute": (db) =>
		readPeriodSums(db, 3, { from: ago(20 * DAY_MS + 7 * MINUTE_MS), until: ago(5 * MINUTE_MS) }),
	"sales of a period that is long ago": (db) =>
		readPeriodSums(db, 3, { from: ago(50 * DAY_MS + HOUR_MS), until: ago(40 * DAY_MS) }),
	"since when events are known": (db) => readEventSpans(db, 3),
	"the floor of a past moment": (db) => readFloorAt(db, { collectionId: 3, at: ago(9 * DAY_MS) }),
	"the floors of a past period": (db) =>
		readFloorRange(db, { collectionId: 3, from: ago(30 * DAY_MS), until: ago(DAY_MS) }),
	"since when floors are kept": (db) => readFloorsSince(db, 3),
	"floors of a past moment, of several": (db) =>
		readFloorsAt(db, { collectionIds: [3, 4, 5], times: [ago(DAY_MS)] }),
	"changes of rows of lists": (db) => readWindowPairs(db, [3, 4, 5], NOW_MS),
	"minute candles": candles("1m"),
	"candles of 30 minutes": candles("30m"),
	"hour candles": candles("1h"),
	"day candles": candles("1d"),
	activity: activity({}),
	"activity, second page": activity({ after }),
	"sales of a range": activity({ kinds: ["sale"], acceptedOnly: true, since: window.start }),
	"events of a token": run(filterStatement({ ...filtered, filter: { tokenId: "7" } }, 1_000)),
	"events of a block": run(filterStatement({ ...filtered, filter: { block: 7 } }, 1_000)),
	"sales of tokens with a trait": run(
		filterStatement(
			{ ...filtered, filter: { traits: [{ type: "a", values: ["b"] }] }, after, kinds: ["sale"] },
			1_000,
		),
	),
	"sales that a chart draws": (db) =>
		chooseSales(db, { collectionId: 3, since: ago(40 * DAY_MS), until: null, max: 50 }),
	"events of a chain": run(chainStatement(ofChain, 1_000)),
	"events of a chain, second page": run(
		chainStatement({ ...ofChain, after, since: ago(40 * DAY_MS), until: ago(DAY_MS) }, 1_000),
	),
	"the block of a time": (db) => blockBefore(db, ethereum.id, ago(DAY_MS)),
	"tokens by id": run(tokenPageStatement(listed)),
	"tokens by rank": run(tokenPageStatement({ ...listed, sort: "rank" })),
	"tokens with a trait, second page": run(
		tokenPageStatement({
			...{ ...listed, sort: "rank", traits: [{ type: "a", values: ["b"] }] },
			after: { key: "5", tokenId: "7" },
		}),
	),
	"the last sales of tokens": (db) =>
		findLastSales(db, { collectionId: 3, tokenIds: ["1", "2", "3"] }),
	"what an account did": run(didBy({})),
	"what an account did, of one collection, second page": run(
		didBy({
			...{ after: { ...after, chainId: base.id }, since: ago(40 * DAY_MS), until: ago(DAY_MS) },
			...{ collectionId: 3, scanned: 1_000, types: ["bought"] },
		}),
	),
	"collections that only an account's events tell of": run(
		unwalkedStatement({
			...{ address: account, chainIds, collectionId: null, scanned: 500, limit: 50 },
		}),
	),
	"collections that an account holds": (db) =>
		readHeldCollections(db, { address: account, chainIds, collectionId: null, limit: 50 }),
	"tokens that an account holds": (db) =>
		readHeldTokens(db, { address: account, sets: [{ setId: 3, id: 3 }], after: "7", limit: 51 }),
	"what tokens of several collections say": (db) =>
		readFacts(db, [
			{ collectionId: 3, tokenId: "1" },
			{ collectionId: 4, tokenId: "2" },
		]),
	"frames to resume from": (db) => outbox(db).read("topic-7", 4_000),
};

for (const [name, read] of Object.entries(READS)) {
	test(`no growing table is scanned sequentially for ${name}`, async () => {
		const statements: Statement[] = [];
		await read(recordedDatabase(statements));
		await expectIndexed(statements);
	});
}

/** Any index spares a sequential scan; these spare reading and sorting a whole chain. */
const ORDERS: Record<string, string> = {
	"trending, 7 days": "rollup_day_busy",
	"collections by volume of 24 hours": "rollup_day_volume",
	"trending, a page that is not full": "collection_last_sale",
	"collections by volume": "collection_volume",
	"collections, newest first": "collection_newest",
	"collections by their whole name": "collection_name",
	"discover, all sections": "collection_last_mint",
};

for (const [name, index] of Object.entries(ORDERS)) {
	test(`${name}: collections are read in the order of the index ${index}`, async () => {
		const statements: Statement[] = [];
		await READS[name]?.(recordedDatabase(statements));
		for (const prefix of ["explain", "explain (generic_plan)"]) {
			const plans = await Promise.all(
				statements.map(({ text, values }) =>
					explain(`${prefix} ${text}`, prefix === "explain" ? values : []),
				),
			);
			expect(plans.join("\n")).toContain(`Index Scan using ${index}`);
		}
	});
}

test("what an account did is read in the order of its indexes, and never all of it sorted", async () => {
	const plan = await database.db.transaction(async (tx) => {
		await tx.execute("set local enable_sort = off");
		const { text } = didBy({});
		return tx.query<{ "QUERY PLAN": string }>(`explain (generic_plan, costs off) ${text}`);
	});
	const lines = plan.map((line) => line["QUERY PLAN"]);
	const sorts = lines.filter((line) => /-> {2}Sort$/.test(line));
	// That of a page's rows, which are few; what an account did comes presorted by time.
	expect(sorts).toHaveLength(1);
	expect(lines.join("\n")).toContain("Presorted Key: event.occurred_at");
});

const row: EventRow = { ...saleOf(contract), collectionId: 3, totalNative: 1n };

const WRITES: Record<string, (tx: Tx) => Promise<unknown>> = {
	"the contracts of a batch": (tx) =>
		resolveCollections(
			tx,
			{ add: async () => {} },
			{ chainId: ethereum.id, contracts: new Map([[contract, "erc721"]]) },
		),
	"events that are stored already": (tx) => insertEvents(tx, ethereum.id, [row, row]),
	"the candles that a batch moved": (tx) =>
		readCandleUpdates(tx, [{ collectionId: 3, bucketMs: window.hours.getTime() }]),
	"the discover rows that a batch moved": (tx) =>
		readDiscoverRows(tx, ethereum, [1, 2, 3, 4], { nowMs: NOW_MS, spans: NO_SPANS }),
};

for (const [name, write] of Object.entries(WRITES)) {
	test(`no growing table is scanned sequentially by a lane for ${name}`, async () => {
		const statements: Statement[] = [];
		await database.db.transaction((tx) => write(recorded(tx, statements)));
		await expectIndexed(statements);
	});
}

/** Planned for its values, as on a first call, and for any, as a prepared statement may be. */
async function expectIndexed(statements: readonly Statement[]): Promise<void> {
	expect(statements.length).toBeGreaterThan(0);
	for (const { text, values } of statements) {
		expect(readThrough(await explain(`explain ${text}`, values))).toEqual([]);
		expect(readThrough(await explain(`explain (generic_plan) ${text}`, []))).toEqual([]);
	}
}

async function explain(text: string, values: readonly SqlValue[]): Promise<string> {
	const rows = await database.db.query<{ "QUERY PLAN": string }>(text, values);
	const plan = rows.map((line) => line["QUERY PLAN"]).join("\n");
	expect(plan).toContain("cost=");
	return plan;
}

function readThrough(plan: string): string[] {
	const scans = [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table = ""]) => table);
	return scans.filter((table) =>
		/^(event|rollup_|collection$|floor_snapshot|stream_frame|token$|trait_count|owned_|holder$)/.test(
			table,
		),
	);
}
