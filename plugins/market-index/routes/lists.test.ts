import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import type { LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { createDiscoveryLab } from "#plugins/market-index/discovery/testing/discoveryLab.ts";
import { readDiscoverRows } from "#plugins/market-index/read/trending.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	saleOf,
	wholeSpans,
} from "#plugins/market-index/testing/marketFixture.ts";
import {
	countedSales,
	minuteOf,
	randomTrades,
	volumeOf,
} from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const UNCHANGED = { floorPercent: null, volumePercent: null };
const NO_CHANGES = {
	changes: {
		"5m": UNCHANGED,
		"1h": UNCHANGED,
		"6h": UNCHANGED,
		"24h": UNCHANGED,
		"7d": UNCHANGED,
	},
	supply: null,
	listedPercent: null,
};

describe("getDiscover.200", () => {
	const TRADED = Array.from({ length: 9 }, (_, index) => contractOf(0x100 + index));
	const QUIET = contractOf(0x200);
	const EXCLUDED = contractOf(0x201);
	const MINTING = contractOf(0x202);
	const trades = randomTrades({ seed: 21, contracts: TRADED, count: 500, days: 2 });
	const baseTrades = randomTrades({ seed: 22, contracts: TRADED, count: 60, days: 1 });
	const mints = [
		...Array.from({ length: 12 }, (_, index) =>
			mintOf(MINTING, { occurredAtMs: NOW_MS - index * 1_000 }),
		),
		mintOf(MINTING, { occurredAtMs: NOW_MS, accepted: false }),
	];

	let database: TestDatabase;
	let fixture: Fixture;
	let ask: (path: string) => Promise<Answer>;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db);
		await fixture.seed(ethereum, [
			...trades,
			...mints,
			saleOf(QUIET, { occurredAtMs: NOW_MS - 9 * DAY_MS }),
			mintOf(EXCLUDED, { occurredAtMs: NOW_MS }),
		]);
		await fixture.seed(base, baseTrades);
		await database.db.execute(
			"update market_index.collection set excluded = (address = $1), name = 'N ' || slug, image_url = 'https://images.test/' || slug",
			[Buffer.from(EXCLUDED.slice(2), "hex")],
		);
		ask = createAsk(fixture);
	});
	afterAll(() => database.drop());

	const FIGURES = { nowMs: NOW_MS, spans: wholeSpans(NOW_MS) };

	type Row = { slug: string; chain: string; id: string };

	test("[API-11] [API-23] trending is ordered by sales in 24 hours of tracked collections", async () => {
		const { status, body } = await ask("/discover?chain=ethereum&limit=9");
		expect(status).toBe(200);
		const since = minuteOf(NOW_MS - DAY_MS);
		const expected = TRADED.map((contract) => {
			const { sales, priced } = countedSales(
				trades.filter((event) => event.contract === contract),
				since,
			);
			return { contract, sales: sales.length, volume: volumeOf(priced) };
		}).sort((a, b) => b.sales - a.sales || b.volume - a.volume);
		expect(body.trending.map(({ slug }: Row) => slug)).toEqual(
			expected.map(({ contract }) => contract),
		);
		expect(body.trending[0].sales24h).toBe(expected[0]?.sales);
		const byVolume = expected
			.toSorted((a, b) => b.volume - a.volume)
			.map(({ contract }) => contract);
		expect(body.market.map(({ slug }: Row) => slug)).toEqual(byVolume);
	});

	test("[API-11] market has all collections that ever sold, except excluded ones, with an unknown floor change", async () => {
		const { body } = await ask("/discover?chain=ethereum&limit=200");
		const market = body.market.map(({ slug }: Row) => slug);
		expect(market).toContain(QUIET);
		expect(market).not.toContain(MINTING);
		expect(body.market[0]).toMatchObject({ floorNative: null, floorChange24hPercent: null });
		expect(JSON.stringify(body)).not.toContain(EXCLUDED);
	});

	test("[API-23] mints are the newest accepted ones of all collections, with name and image", async () => {
		const all = [
			...trades.map((event) => ({ event, chain: "ethereum" })),
			...mints.map((event) => ({ event, chain: "ethereum" })),
			...baseTrades.map((event) => ({ event, chain: "base" })),
		]
			.filter(({ event }) => event.kind === "mint" && event.accepted)
			.sort(
				(a, b) =>
					b.event.occurredAtMs - a.event.occurredAtMs ||
					b.event.blockNumber - a.event.blockNumber ||
					b.event.logIndex - a.event.logIndex,
			);
		for (const limit of [1, 5, 13, 100, 200]) {
			const { body } = await ask(`/discover?limit=${limit}`);
			const expected = all
				.slice(0, limit)
				.map(({ event, chain }) => `${chain} ${event.transactionHash}`);
			const got = body.mints.map(
				(row: { chain: string; transactionHash: string }) => `${row.chain} ${row.transactionHash}`,
			);
			expect(got).toEqual(expected);
		}
		const { body } = await ask("/discover?chain=ethereum&limit=1");
		expect(body.mints[0]).toMatchObject({
			eventType: "mint",
			contractAddress: MINTING,
			collection: {
				slug: MINTING,
				name: `N ${MINTING}`,
				imageUrl: `https://images.test/${MINTING}`,
			},
		});
	});

	test("[API-23] minting has the collections with mints in the last hour, most mints first", async () => {
		const since = minuteOf(NOW_MS - HOUR_MS);
		const counts = new Map<string, number>();
		for (const event of [...trades, ...mints]) {
			if (event.kind !== "mint" || !event.accepted || event.occurredAtMs < since) continue;
			counts.set(event.contract, (counts.get(event.contract) ?? 0) + 1);
		}
		const { body } = await ask("/discover?chain=ethereum");
		const got = body.minting.map((row: { slug: string; mints1h: number }) => [
			row.slug,
			row.mints1h,
		]);
		expect(new Map(got)).toEqual(counts);
		expect(got[0]).toEqual([MINTING, 12]);
		const mints1h = got.map(([, count]: [string, number]) => count);
		expect(mints1h).toEqual(mints1h.toSorted((a: number, b: number) => b - a));
	});

	test("[API-11] discover without a chain covers all indexed chains, each row with its own", async () => {
		const { body } = await ask("/discover?limit=200");
		for (const section of ["trending", "mints", "market"]) {
			const chains = new Set(body[section].map(({ chain }: Row) => chain));
			expect(chains).toEqual(new Set(["ethereum", "base"]));
		}
	});

	test("[API-11] a row of the discover page has exactly the documented fields", async () => {
		const { body } = await ask("/discover?chain=ethereum&limit=1");
		expect(body.minting[0]).toEqual({
			slug: MINTING,
			chain: "ethereum",
			name: `N ${MINTING}`,
			imageUrl: `https://images.test/${MINTING}`,
			floorNative: null,
			volume24hNative: 0,
			volumeRaw: "0",
			volumeCurrency: { symbol: "ETH", decimals: 18 },
			sales24h: 0,
			floorChange24hPercent: null,
			mints1h: 12,
			lastMintAt: new Date(NOW_MS).toISOString(),
			revealState: "unknown",
			lifecycle: "minting",
			coverage: {},
			...NO_CHANGES,
		});
		expect(body.trending[0].why).toMatchObject({ terms: { sales: body.trending[0].sales24h } });
	});

	test("rows for frames are the same rows as the route's, without excluded ones", async () => {
		const ids = await Promise.all(
			[...TRADED, EXCLUDED, MINTING].map((contract) => fixture.idOf(ethereum, contract)),
		);
		const rows = await readDiscoverRows(database.db, ethereum, ids, FIGURES);
		const { body } = await ask("/discover?chain=ethereum&limit=200");
		expect(rows).toHaveLength(10);
		for (const row of rows) {
			const listed = body.trending.find(({ slug }: Row) => slug === row.slug);
			const { changes, supply, listedPercent, why, ...same } = listed;
			expect(row).toEqual(same);
		}
		expect(await readDiscoverRows(database.db, ethereum, [], FIGURES)).toEqual([]);
	});
});

describe("getSearch.200", () => {
	let database: TestDatabase;
	let lab: ReturnType<typeof createDiscoveryLab>;

	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createDiscoveryLab(database.db);
		const names = ["Tidal Cats", "Cats of Paris", "Paper Cats", "Dogs", "Überkatzen 猫"];
		for (const [index, name] of names.entries()) {
			const contract = contractOf(10 + index);
			const chain = index === 2 ? base : ethereum;
			await lab.fixture.seed(chain, [saleOf(contract, { totalRaw: BigInt(index + 1) * ETH })]);
			await database.db.execute(
				"update market_index.collection set name = $2, slug = $3 where address = $1",
				[Buffer.from(contract.slice(2), "hex"), name, name.toLowerCase().replace(/[^a-z]+/g, "-")],
			);
		}
	});
	afterAll(() => database.drop());
	beforeEach(() => {
		lab = createDiscoveryLab(database.db);
	});

	const found = async (query: string) => {
		const { status, body } = await lab.ask(`/search?${query}`);
		expect(status).toBe(200);
		return body.data.map(({ slug }: { slug: string }) => slug);
	};

	test("[API-14] words match the beginnings of words, by volume; an equal slug comes first", async () => {
		expect(await found("q=cat")).toEqual(["paper-cats", "cats-of-paris", "tidal-cats"]);
		expect(await found("q=cat%20PAR")).toEqual(["cats-of-paris"]);
		expect(await found("q=tidal-cats")).toEqual(["tidal-cats"]);
		expect(await found("q=%E7%8C%AB")).toHaveLength(1);
		expect(await found(`q=${contractOf(13).toUpperCase().replace("0X", "0x")}`)).toEqual(["dogs"]);
		expect(await found("q=at")).toEqual([]);
		await database.db.execute(
			"update market_index.collection set slug = 'cats' where slug = 'tidal-cats'",
		);
		lab.pass(1_000);
		expect((await found("q=cats"))[0]).toBe("cats");
		await database.db.execute(
			"update market_index.collection set slug = 'tidal-cats' where slug = 'cats'",
		);
	});

	test("[API-14] a search covers one chain only if it is given, and pages give each hit once", async () => {
		expect(await found("q=cat&chain=ethereum")).toEqual(["cats-of-paris", "tidal-cats"]);
		const walked: string[] = [];
		let cursor = "";
		do {
			const { body } = await lab.ask(`/search?q=cat&limit=1${cursor}`);
			walked.push(...body.data.map(({ slug }: { slug: string }) => slug));
			cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
		} while (cursor !== "");
		expect(walked).toEqual(["paper-cats", "cats-of-paris", "tidal-cats"]);
	});

	test("[API-14] [MRG-06] a hit of the provider becomes our collection if we have its slug; else its chain is unknown", async () => {
		await database.db.execute(
			`insert into market_index.sync (collection_id, chain_id, provider_slug)
		select id, chain_id, 'their-dogs' from market_index.collection where slug = 'dogs'`,
		);
		const hit = (slug: string, isDisabled = false) => ({
			slug,
			name: slug,
			imageUrl: null,
			isDisabled,
		});
		lab.fake.answers.search = async () => [hit("their-dogs"), hit("stranger"), hit("gone", true)];
		const { body } = await lab.ask("/search?q=zzz");
		expect(body.data).toMatchObject([
			{ slug: "dogs", chain: "ethereum", source: "svc_index", floorNative: null },
			{ slug: "stranger", chain: null, contractAddress: null, source: "provider" },
		]);
		expect(await found("q=zzz&chain=ethereum")).toEqual(["dogs"]);
		expect(lab.fake.callsOf("search").map(({ purpose }) => purpose)).toEqual(["search", "search"]);
		expect(lab.discovered.length).toBeGreaterThan(0);
		await database.db.execute("truncate market_index.sync");
	});

	test("[API-14] a search that our own rows can answer sends the provider no call, letter by letter", async () => {
		lab.fake.answers.search = async () => [];
		for (let length = 1; length <= "tidal cats".length; length++) {
			expect(await found(`q=${encodeURIComponent("tidal cats".slice(0, length))}`)).not.toEqual([]);
		}
		expect(lab.fake.callsOf("search")).toHaveLength(0);
		const unknown = Array.from({ length: 30 }, () => found("q=nobody%20has%20this"));
		expect(await Promise.all(unknown)).toEqual(unknown.map(() => []));
		expect(await found("q=Nobody%20has%20THIS")).toEqual([]);
		expect(lab.fake.callsOf("search")).toHaveLength(1);
	});

	test("[API-14] while the provider is down only its hits are missing", async () => {
		for (const fault of [lab.fake.faults.rateLimited(), lab.fake.faults.unreadable()]) {
			lab.fake.fail("search", fault);
			expect(await found("q=dogs")).toEqual(["dogs"]);
		}
	});

	test("a query without any word finds nothing; an invalid query is refused", async () => {
		for (const q of ["'", "%26%26", ":*", "%21%21%21", "%F0%9F%90%88", "%25", "a%27b", "%5C"]) {
			const { status } = await lab.ask(`/search?q=${q}`);
			expect({ q, status }).toEqual({ q, status: 200 });
		}
		for (const q of ["", "q=", "q=%20%20", `q=${"a".repeat(129)}`, "q=a%00b"]) {
			const { status, body } = await lab.ask(`/search?${q}`);
			expect({ q, status, code: body.code }).toEqual({ q, status: 422, code: "validation_error" });
		}
		expect((await lab.ask("/search?q=cat&cursor=abc")).status).toBe(422);
	});
});

describe("getTrending.200", () => {
	const TRADED = Array.from({ length: 6 }, (_, index) => contractOf(0x100 + index));
	const JUST_OUT = contractOf(0x200);
	const LONG_OUT = contractOf(0x201);
	const DROPPED = contractOf(0x202);
	const trades = [
		...randomTrades({ seed: 31, contracts: TRADED, count: 300, days: 8 }),
		...randomTrades({ seed: 32, contracts: TRADED, count: 60, days: 0.2 }),
	];

	let database: TestDatabase;
	let fixture: Fixture;
	let ask: (path: string) => Promise<Answer>;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db, [ethereum, base]);
		await fixture.seed(ethereum, [
			...trades,
			mintOf(JUST_OUT, { quantity: 10n, occurredAtMs: NOW_MS - 15 * MINUTE_MS }),
			mintOf(LONG_OUT, { quantity: 10n, occurredAtMs: NOW_MS - 16 * MINUTE_MS }),
			saleOf(DROPPED, { accepted: false, reason: "zero_price" }),
		]);
		// Nothing that counts was seen of it; that its mint was announced makes it upcoming.
		await database.db.execute(
			`insert into market_index.drop
			(chain_id, contract, provider_slug, type, is_minting, stages, starts_at, seen_at)
		values (1, $1, 'dropped', 'seadrop_v1_erc721', false, '[]', $2, now())`,
			[Buffer.from(DROPPED.slice(2), "hex"), new Date(NOW_MS + HOUR_MS)],
		);
		await fixture.seed(base, [saleOf(contractOf(0x300), { totalRaw: 2n * ETH })]);
		await database.db.execute(
			`update market_index.collection set max_supply = 10, provider_owners = 4, listed_count = 2,
			floor_native = 1e18 where slug = any($1::text[])`,
			[[JUST_OUT, LONG_OUT]],
		);
		ask = createAsk(fixture);
	});
	afterAll(() => database.drop());

	type Row = {
		slug: string;
		chain: string;
		lifecycle: string;
		sales: number;
		volumeNative: number;
	};

	test("pages of trending, and of collections in each order, hold each row of the whole once", async () => {
		for (const [path, rowsOf] of [
			["/trending?window=7d", ({ rows }: Answer["body"]) => rows],
			["/trending?window=1h&chain=ethereum", ({ rows }: Answer["body"]) => rows],
			["/collections?scope=all", ({ normalized }: Answer["body"]) => normalized],
			["/collections?scope=all&mode=top", ({ normalized }: Answer["body"]) => normalized],
			["/collections?scope=all&mode=new", ({ normalized }: Answer["body"]) => normalized],
		] as const) {
			const whole = await ask(`${path}&limit=200`);
			expect(whole.body.page).toEqual({ nextCursor: null, hasMore: false });
			const keysOf = (body: Answer["body"]) => {
				return rowsOf(body).map(({ slug, chain }: Row) => `${chain}/${slug}`);
			};
			for (const limit of [1, 4, keysOf(whole.body).length]) {
				const keys: string[] = [];
				let cursor = "";
				do {
					const { status, body } = await ask(`${path}&limit=${limit}&cursor=${cursor}`);
					expect({ path, status }).toEqual({ path, status: 200 });
					keys.push(...keysOf(body));
					expect(body.page.hasMore).toBe(body.page.nextCursor !== null);
					cursor = body.page.nextCursor ?? "";
				} while (cursor !== "");
				expect({ path, limit, keys }).toEqual({ path, limit, keys: keysOf(whole.body) });
			}
		}
	});

	test("[API-12] [IDX-10] each trending window counts its own accepted sales, most first", async () => {
		const windows = {
			"5m": 5 * MINUTE_MS,
			"1h": HOUR_MS,
			"6h": 6 * HOUR_MS,
			"24h": DAY_MS,
			"7d": 7 * DAY_MS,
		};
		for (const [window, lengthMs] of Object.entries(windows)) {
			const since = minuteOf(NOW_MS - lengthMs);
			const { status, body } = await ask(`/trending?chain=ethereum&window=${window}&limit=200`);
			expect(status).toBe(200);
			const rows: Row[] = body.rows;
			for (const contract of TRADED) {
				const mine = trades.filter((event) => event.contract === contract);
				const { sales, priced } = countedSales(mine, since);
				const row = rows.find(({ slug }) => slug === contract);
				expect([window, row?.sales]).toEqual([window, sales.length]);
				if (priced.length > 0) expect(row?.volumeNative).toBeCloseTo(volumeOf(priced), 9);
				else expect(row).toMatchObject({ volumeNative: sales.length > 0 ? null : 0 });
			}
			const sales = rows.map((row) => row.sales);
			expect(sales).toEqual(sales.toSorted((a, b) => b - a));
		}
		const unnamed = await ask("/trending?chain=ethereum");
		const day = await ask("/trending?chain=ethereum&window=24h");
		expect(unnamed.body.rows).toEqual(day.body.rows);
	});

	test("[API-12] limit cuts the list, and collections without sales fill it up", async () => {
		const three = await ask("/trending?chain=ethereum&limit=3");
		const all = await ask("/trending?chain=ethereum&limit=200");
		expect(three.body.rows).toEqual(all.body.rows.slice(0, 3));
		expect(all.body.rows).toHaveLength(9);
	});

	test("[API-22] a row has slug, lifecycle, soldOut, lastMintAt and the five figures", async () => {
		const { body } = await ask("/trending?chain=ethereum&lifecycle=minted_out");
		expect(body.rows).toEqual([
			{
				slug: JUST_OUT,
				chain: "ethereum",
				contractAddress: JUST_OUT,
				name: null,
				imageUrl: null,
				lifecycle: "minted_out",
				soldOut: true,
				lastMintAt: new Date(NOW_MS - 15 * MINUTE_MS).toISOString(),
				holders: 4,
				listed: 2,
				volumeNative: 0,
				volumeRaw: "0",
				volumeCurrency: { symbol: "ETH", decimals: 18 },
				floorNative: 1,
				sales: 0,
				coverage: {},
				...NO_CHANGES,
				why: {
					formula:
						"sales, then volumeRaw, then lastSaleAt, then lastMintAt: the greatest first, null last",
					terms: {
						sales: 0,
						volumeRaw: "0",
						lastSaleAt: null,
						lastMintAt: new Date(NOW_MS - 15 * MINUTE_MS).toISOString(),
					},
				},
			},
		]);
	});

	test("[IDX-04] [API-12] [API-22] `ended` lists sold-out collections, also when displayed as secondary", async () => {
		const { body } = await ask("/trending?chain=ethereum&lifecycle=ended");
		const shown = body.rows.map((row: Row & { soldOut: boolean }) => [
			row.slug,
			row.lifecycle,
			row.soldOut,
		]);
		expect(shown).toEqual([
			[JUST_OUT, "minted_out", true],
			[LONG_OUT, "secondary", false],
		]);
	});

	test("[API-12] every other lifecycle lists exactly the rows that show it", async () => {
		const all: Row[] = (await ask("/trending?limit=200")).body.rows;
		for (const lifecycle of ["upcoming", "minting", "minted_out", "secondary"]) {
			const { body } = await ask(`/trending?limit=200&lifecycle=${lifecycle}`);
			const expected = all.filter((row) => row.lifecycle === lifecycle).map(({ slug }) => slug);
			expect(body.rows.map(({ slug }: Row) => slug)).toEqual(expected);
			expect(expected.length).toBeGreaterThan(0);
		}
	});

	function lane(chainId: number, lag: number): LaneProgress {
		return {
			chainId,
			lane: "sale",
			headBlock: 900,
			indexedBlock: 900 - lag,
			indexedAtMs: NOW_MS - 500,
		};
	}

	test("[API-12] [API-18] freshness is the chain's, and without a chain that of the one that lags most", async () => {
		fixture.progress.set(ethereum.id, lane(ethereum.id, 1));
		fixture.progress.set(base.id, lane(base.id, 70));
		const all = await ask("/trending");
		expect(all.body.freshness).toEqual({
			chain: "base",
			headBlock: 900,
			indexedBlock: 830,
			indexedAt: new Date(NOW_MS - 500).toISOString(),
			lagBlocks: 70,
			listRefreshedAt: null,
			servedAt: new Date(NOW_MS).toISOString(),
		});
		expect(new Set(all.body.rows.map(({ chain }: Row) => chain))).toEqual(
			new Set(["ethereum", "base"]),
		);
		const one = await ask("/trending?chain=eth");
		expect(one.body.freshness).toMatchObject({ chain: "ethereum", lagBlocks: 1 });
		expect(new Set(one.body.rows.map(({ chain }: Row) => chain))).toEqual(new Set(["ethereum"]));
	});
});
