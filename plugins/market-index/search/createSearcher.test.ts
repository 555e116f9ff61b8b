import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Queryable, SqlValue } from "#core/db/Database.ts";
import { nativeCurrency } from "#plugins/market-index/display.ts";
import type { SearchHit } from "#plugins/market-index/schemas/lists.ts";
import {
	createCollectionSearch,
	createHitCache,
} from "#plugins/market-index/search/createSearcher.ts";
import { searchTerms } from "#plugins/market-index/search/readSearch.ts";
import { COMMON_KEPT_MS, HIT_KEPT_MS, type HitPlace } from "#plugins/market-index/search/sql.ts";
import { ethereum } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createCollectionSearch", () => {
	// Guarantee: however many collections a word begins, a search finds them by volume, each once,
	// and reads a bounded part of them.

	/** More than are read and sorted. */
	const COMMON = 1_400;
	const RARE = 40;

	type Row = { id: number; chainId: number; slug: string; name: string; volume: string };

	/** More than the common words have, and none of them ever traded. */
	const CROWD = 3_000;

	let database: TestDatabase;
	let rows: Row[];
	beforeAll(async () => {
		database = await createTestDatabase();
		const { db } = database;
		// Volumes of one and of many digits, many of them alike.
		await db.execute(
			`insert into market_index.collection
			(chain_id, address, standard, slug, name, excluded, volume_native)
		select case when n % 3 = 0 then 10 else 1 end,
			int8send(n) || '\\x000000000000000000000000'::bytea, 'erc721',
			'common-' || n, 'Common Cats ' || n, n % 50 = 7,
			((n * 7919) % 211)::numeric * power(10::numeric, n % 20)
		from generate_series(1, $1::int4) as n`,
			[COMMON],
		);
		await db.execute(
			`insert into market_index.collection
			(chain_id, address, standard, slug, name, volume_native)
		select 1, int8send(1000000 + n) || '\\x000000000000000000000000'::bytea, 'erc721', 'rare-' || n,
			'Rarity of ' || n, n % 5
		from generate_series(1, $1::int4) as n`,
			[RARE],
		);
		await db.execute(
			`insert into market_index.collection (chain_id, address, standard, slug, name)
		select 1, int8send(2000000 + n) || '\\x000000000000000000000000'::bytea, 'erc721',
			'mint-' || n, case when n % 2 = 0 then 'Free Mint ' else 'Paid Mint ' end || n
		from generate_series(1, $1::int4) as n`,
			[CROWD],
		);
		rows = await db.query<Row>(
			`select id, chain_id as "chainId", slug, name, trim_scale(volume_native)::text as volume
		from market_index.collection where not excluded`,
		);
	});
	afterAll(() => database.drop());

	const CHAINS = [1, 10];

	/** The same question to the rows themselves. */
	function expected(text: string, chainIds: readonly number[]): number[] {
		const terms = searchTerms(text);
		const matches = rows.filter(({ chainId, name, slug }) => {
			const words = searchTerms(`${name} ${slug.replaceAll("-", " ")}`);
			return (
				chainIds.includes(chainId) &&
				terms.every((term) => words.some((word) => word.startsWith(term)))
			);
		});
		const isExact = ({ slug }: Row) => Number(slug === text);
		return matches
			.sort((a, b) => {
				const [one, other] = [BigInt(a.volume), BigInt(b.volume)];
				return isExact(b) - isExact(a) || (one < other ? 1 : one > other ? -1 : a.id - b.id);
			})
			.map(({ id }) => id);
	}

	type Asked = { chainIds?: number[]; after?: HitPlace | null; limit: number };
	const clock = { nowMs: () => 1_000_000 };
	const fresh = () => createCollectionSearch(clock);

	const queryOf = (text: string, { chainIds = CHAINS, after = null, limit }: Asked) => ({
		...{ chainIds, terms: searchTerms(text), address: null, slug: text, after, limit },
	});

	/** All pages, as a client follows them: each begins where the one before says. */
	async function walk(
		search: ReturnType<typeof fresh>,
		text: string,
		{ limit, chainIds }: { limit: number; chainIds?: number[] },
	): Promise<{ ids: number[]; pages: number }> {
		const ids: number[] = [];
		let after: HitPlace | null = null;
		for (let pages = 1; ; pages++) {
			const asked: Asked = { limit, after, ...(chainIds && { chainIds }) };
			const found = await search(database.db, queryOf(text, asked));
			ids.push(...found.hits.map(({ id }) => id));
			after = found.next;
			if (after === null) return { ids, pages };
			expect(pages).toBeLessThan(5_000);
		}
	}

	for (const text of [
		"c",
		"common",
		"cats",
		"common cats 12",
		"rare",
		"rarity of",
		"common-9",
		"x",
		"free mint",
		"m",
		"mint-12",
	]) {
		test(`"${text}" finds the same rows as a full comparison, in order, each once`, async () => {
			const all = expected(text, CHAINS);
			for (const limit of [1, 51]) {
				const { hits } = await fresh()(database.db, queryOf(text, { limit }));
				expect(hits.map(({ id }) => id)).toEqual(all.slice(0, limit));
			}
			const search = fresh();
			expect((await walk(search, text, { limit: 200 })).ids).toEqual(all);
			expect((await walk(search, text, { limit: 33 })).ids).toEqual(all);
			const onOne = await walk(search, text, { limit: 200, chainIds: [10] });
			expect(onOne.ids).toEqual(expected(text, [10]));
		});

		test(`"${text}" finds the same if each page may read few collections`, async () => {
			const search = createCollectionSearch(clock, { step: 20, max: 60 });
			for (const chainIds of [CHAINS, [10]]) {
				const { ids } = await walk(search, text, { limit: 60, chainIds });
				expect(ids).toEqual(expected(text, chainIds));
			}
		});
	}

	test("a page whose matches lie beyond what one page reads is short and has a next cursor", async () => {
		const search = createCollectionSearch(clock, { step: 20, max: 60 });
		const { hits, next } = await search(database.db, queryOf("mint", { limit: 51 }));
		expect(hits).toEqual([]);
		expect(next).not.toBeNull();
		const { ids, pages } = await walk(search, "mint", { limit: 51 });
		expect(ids).toEqual(expected("mint", CHAINS));
		expect(pages).toBeLessThan(120);
	});

	type Plan = { Plans?: Plan[]; "Actual Loops": number; [name: string]: unknown };

	/** Rows that the plan's nodes read from tables and indexes, those that they left out too. */
	function rowsRead(plan: Plan): number {
		const isScan =
			String(plan["Node Type"]).includes("Scan") && plan["Relation Name"] !== undefined;
		const read = Number(plan["Actual Rows"] ?? 0) + Number(plan["Rows Removed by Filter"] ?? 0);
		const own = isScan ? read * plan["Actual Loops"] : 0;
		return (plan.Plans ?? []).reduce((sum, inner) => sum + rowsRead(inner), own);
	}

	/** The rows that each statement of a search reads. */
	async function readBy(search: ReturnType<typeof fresh>, text: string): Promise<number[]> {
		const sent: [string, readonly SqlValue[]][] = [];
		const recording = {
			query: (sql: string, values: readonly SqlValue[] = []) => {
				sent.push([sql, values]);
				return database.db.query(sql, values);
			},
		} as Queryable;
		await search(recording, queryOf(text, { limit: 51 }));
		const counts: number[] = [];
		for (const [sql, values] of sent) {
			const [row] = await database.db.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
				`explain (analyze, format json) ${sql}`,
				values,
			);
			counts.push(row ? rowsRead(row["QUERY PLAN"][0].Plan) : 0);
		}
		return counts;
	}

	for (const text of ["c", "co", "common", "cats common", "m", "free mint"]) {
		test(`"${text}", with which thousands of names begin, is found by reading few of them`, async () => {
			await database.db.execute("analyze market_index.collection");
			const time = { nowMs: 1_000_000 };
			const search = createCollectionSearch({ nowMs: () => time.nowMs }, { step: 200, max: 400 });
			// The first time it may be asked how common the words are.
			await search(database.db, queryOf(text, { limit: 51 }));
			time.nowMs += HIT_KEPT_MS;
			const counts = await readBy(search, text);
			// Its candidates, of each chain by the index alone and then by rows, and all of the last
			// step.
			for (const count of counts) expect(count).toBeLessThan(900);
		});
	}

	test("words known to be common are not searched in the index of words again", async () => {
		const time = { nowMs: 1_000_000 };
		const search = createCollectionSearch({ nowMs: () => time.nowMs });
		expect(await readBy(search, "common")).toHaveLength(2);
		expect(await readBy(search, "common")).toHaveLength(1);
		expect(await readBy(search, "common")).toHaveLength(0);
		time.nowMs += COMMON_KEPT_MS;
		expect(await readBy(search, "common")).toHaveLength(2);
	});

	test("an address finds its collection only", async () => {
		const [row] = rows;
		const [found] = await database.db.query<{ address: string }>(
			"select '0x' || encode(address, 'hex') as address from market_index.collection where id = $1",
			[row?.id ?? 0],
		);
		const { hits } = await fresh()(database.db, {
			chainIds: CHAINS,
			terms: searchTerms(found?.address ?? ""),
			address: (found?.address ?? "0x") as `0x${string}`,
			slug: found?.address ?? "",
			after: null,
			limit: 51,
		});
		expect(hits.map(({ id }) => id)).toEqual([row?.id ?? 0]);
	});
});

describe("createHitCache", () => {
	const hitOf = (id: number): SearchHit => ({
		slug: `cats-${id}`,
		chain: ethereum.slug,
		contractAddress: null,
		name: null,
		imageUrl: null,
		floorNative: null,
		volume24hNative: null,
		volumeRaw: null,
		volumeCurrency: nativeCurrency,
		sales24h: null,
		ownersCount: null,
		coverage: {},
		source: "svc_index",
	});

	/** Collections below 100 are there. */
	function open() {
		const time = { nowMs: 1_000_000 };
		const asked: number[][] = [];
		const hitsOf = createHitCache({ nowMs: () => time.nowMs }, async (_, ids) => {
			asked.push([...ids]);
			return new Map(ids.filter((id) => id < 100).map((id) => [id, hitOf(id)]));
		});
		const slugs = async (...ids: number[]) =>
			(await hitsOf([ethereum], ids)).map(({ slug }) => slug);
		return { time, asked, slugs };
	}

	test("hits are returned in the requested order, and each is read once a second", async () => {
		const { slugs, asked, time } = open();
		expect(await slugs(2, 1)).toEqual(["cats-2", "cats-1"]);
		expect(await slugs(1, 3, 2)).toEqual(["cats-1", "cats-3", "cats-2"]);
		expect(await slugs(1, 2, 3)).toHaveLength(3);
		expect(asked).toEqual([[2, 1], [3]]);
		time.nowMs += 1_000;
		await slugs(1);
		expect(asked.at(-1)).toEqual([1]);
		time.nowMs -= 60_000;
		await slugs(1);
		expect(asked).toHaveLength(4);
	});

	test("a deleted collection is left out, and an empty list of ids reads nothing", async () => {
		const { slugs, asked } = open();
		expect(await slugs(100, 1)).toEqual(["cats-1"]);
		expect(await slugs()).toEqual([]);
		expect(asked).toHaveLength(1);
	});
});
