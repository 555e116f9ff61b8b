import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { AssertionFailed } from "#core/fault.ts";
import type { LaneKind, LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { chainOfRow } from "#plugins/market-index/display.ts";
import {
	chainsOf,
	mostLagging,
	readCoverageEnd,
	readFreshness,
	resolveChain,
} from "#plugins/market-index/read/context.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	NOW_MS,
	polygon,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createFinder", () => {
	let database: TestDatabase;
	let fixture: Fixture;

	const CATS = contractOf(0xabc1);
	const DOGS = contractOf(0xabc2);
	const GONE = contractOf(0xabc3);

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db, [ethereum, base]);
		await fixture.seed(ethereum, [saleOf(CATS), saleOf(DOGS), saleOf(GONE)]);
		await fixture.seed(base, [saleOf(DOGS)]);
		// A chain that was indexed once: its collections are not found any more.
		await fixture.seed(polygon, [saleOf(contractOf(0xabc4))]);
		const { db } = database;
		await db.execute("update market_index.collection set slug = 'cats' where address = $1", [
			Buffer.from(CATS.slice(2), "hex"),
		]);
		await db.execute("update market_index.collection set excluded = true where address = $1", [
			Buffer.from(GONE.slice(2), "hex"),
		]);
		await db.execute("insert into market_index.former_slug values ($1, 'kittens', $2)", [
			ethereum.id,
			await fixture.idOf(ethereum, CATS),
		]);
	});
	afterAll(() => database.drop());

	const find = (slug: string, chain?: string) => fixture.index.find(slug, chain);
	const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`;

	test("[API-06] a collection is found by slug, former slug and address in any case", async () => {
		const cats = {
			id: await fixture.idOf(ethereum, CATS),
			chain: "ethereum",
			address: CATS,
			slug: "cats",
		};
		for (const name of ["cats", "Cats", "kittens", CATS, upper(CATS)]) {
			expect(await find(name)).toEqual(cats);
			expect(await find(name, "ethereum")).toEqual(cats);
		}
	});

	test("[API-06] the chain may be given by slug, alias or id", async () => {
		for (const name of ["ethereum", "ETHEREUM", "mainnet", "1"]) {
			expect(await find(DOGS, name)).toMatchObject({ chain: "ethereum" });
		}
		expect(await find(DOGS, "8453")).toMatchObject({ chain: "base" });
	});

	test("[API-06] a name that exists on several chains requires a chain", async () => {
		await expect(find(DOGS)).rejects.toMatchObject({
			status: 422,
			code: "chain_required",
			publicDetail: expect.stringContaining("base, ethereum"),
		});
	});

	test("[API-06] an unknown, an excluded and another chain's collection are not found", async () => {
		const notFound = { status: 404, code: "not_found" };
		await expect(find("nobody")).rejects.toMatchObject(notFound);
		await expect(find(GONE)).rejects.toMatchObject(notFound);
		await expect(find("cats", "base")).rejects.toMatchObject(notFound);
		await expect(find(contractOf(0xabc4))).rejects.toMatchObject(notFound);
		await expect(find("0xabc1")).rejects.toMatchObject(notFound);
		await expect(find("' or 1=1 --")).rejects.toMatchObject(notFound);
	});

	test("a chain that is unknown, or known but not indexed, is refused with a list of the indexed ones", async () => {
		for (const chain of ["polygon", "solana", "", "0", "99999999999999999999"]) {
			await expect(find("cats", chain)).rejects.toMatchObject({
				status: 422,
				code: "validation_error",
				publicDetail: expect.stringContaining("Indexed chains: ethereum, base."),
				members: { issues: [{ path: "chain" }] },
			});
		}
	});

	test("no contract can be found under another contract's address", async () => {
		const id = await fixture.idOf(base, DOGS);
		await database.db.execute("update market_index.collection set slug = $2 where id = $1", [
			id,
			CATS,
		]);
		await fixture.seed(base, [saleOf(contractOf(0xabc9))]);
		await database.db.execute(
			"update market_index.collection set slug = 'real', address = $2 where id = $1",
			[await fixture.idOf(base, contractOf(0xabc9)), Buffer.from(CATS.slice(2), "hex")],
		);
		expect(await find(CATS, "base")).toMatchObject({ slug: "real" });
	});
});

describe("mostLagging", () => {
	const NOW = 1_700_000_000_000;

	function lane(chainId: number, lag: number, ageMs: number): LaneProgress {
		const indexedBlock = 1_000 - lag;
		return { chainId, lane: "sale", headBlock: 1_000, indexedBlock, indexedAtMs: NOW - ageMs };
	}

	const silent: LaneProgress = {
		chainId: 9,
		lane: "sale",
		headBlock: null,
		indexedBlock: null,
		indexedAtMs: null,
	};

	const worst = (...lanes: LaneProgress[]) => mostLagging(lanes, NOW).chainId;

	test("[API-18] of all live lanes the lag of the one that is most blocks behind is shown", () => {
		expect(worst(lane(1, 2, 12_000), lane(2, 90, 500), lane(3, 0, 100))).toBe(2);
	});

	test("[API-18] a dead lane at the head is shown before a live one that lags", () => {
		expect(worst(lane(1, 0, 400_000), lane(2, 90, 500))).toBe(1);
		expect(worst(lane(1, 0, 60_000), lane(2, 90, 59_999))).toBe(1);
	});

	test("[API-18] a lane that never indexed anything is shown before all others", () => {
		expect(worst(lane(1, 50_000, 400_000), silent)).toBe(9);
	});
});

describe("readFreshness", () => {
	const asked: LaneKind[] = [];

	function lanes(lag: Record<number, number | null>) {
		return {
			async progress(chainId: number, lane: LaneKind): Promise<LaneProgress> {
				asked.push(lane);
				const blocks = lag[chainId] ?? null;
				if (blocks === null) {
					return { chainId, lane, headBlock: null, indexedBlock: null, indexedAtMs: null };
				}
				return { chainId, lane, headBlock: 100, indexedBlock: 100 - blocks, indexedAtMs: NOW_MS };
			},
		};
	}

	const at = { nowMs: NOW_MS, listRefreshedAt: null };

	test("[API-18] freshness is that of the sale lane, on the chain that lags most", async () => {
		const scanner = lanes({ [ethereum.id]: 3, [base.id]: 9 });
		expect(await readFreshness(scanner, [ethereum, base], at)).toMatchObject({
			chain: "base",
			lagBlocks: 9,
		});
		expect(await readFreshness(scanner, [ethereum], at)).toMatchObject({ chain: "ethereum" });
		expect(new Set(asked)).toEqual(new Set(["sale"]));
	});

	test("coverage ends where both lanes are, and is unknown while one lags, has a gap or is silent", async () => {
		expect(await readCoverageEnd(lanes({ 1: 0 }), 1)).toEqual(new Date(NOW_MS));
		expect(await readCoverageEnd(lanes({ 1: 1 }), 1)).toBeNull();
		const owing = lanes({ 1: 0 });
		const progress = async (id: number, lane: LaneKind) => {
			return { ...(await owing.progress(id, lane)), owes: lane === "mint" };
		};
		expect(await readCoverageEnd({ progress }, 1)).toBeNull();
		expect(await readCoverageEnd(lanes({}), 1)).toBeNull();
	});

	test("the coverage of a chain without new blocks ends at the last check of its lanes", async () => {
		const idle = lanes({ 1: 0 });
		const progress = async (id: number, lane: LaneKind) => {
			const lookedAtMs = NOW_MS + (lane === "mint" ? 60_000 : 90_000);
			return { ...(await idle.progress(id, lane)), coveredUntilMs: lookedAtMs };
		};
		expect(await readCoverageEnd({ progress }, 1)).toEqual(new Date(NOW_MS + 60_000));
	});
});

describe("resolveChain", () => {
	const core = {
		chains: createChainRegistry(builtinChains),
		indexed: [{ chain: polygon }, { chain: ethereum }],
	};

	test("a chain is given by slug, alias or id", () => {
		for (const name of ["polygon", "matic", "MATIC", "137"]) {
			expect(resolveChain(core, name)).toBe(polygon);
		}
	});

	test("the error for a chain says whether it is unknown or not indexed, and lists the indexed ones", () => {
		expect(() => resolveChain(core, "base")).toThrow(
			'The chain "base" is not indexed here. Indexed chains: polygon, ethereum.',
		);
		expect(() => resolveChain(core, "bass")).toThrow('There is no chain "bass".');
	});

	test("an answer without a chain covers all indexed chains, in their order", () => {
		expect(chainsOf(core, undefined)).toEqual([polygon, ethereum]);
		expect(chainsOf(core, "1")).toEqual([ethereum]);
	});

	test("a row of a chain that was not requested fails an assertion", () => {
		expect(chainOfRow([polygon, base], { chainId: base.id })).toBe(base);
		expect(() => chainOfRow([polygon], { chainId: 1 })).toThrow(AssertionFailed);
	});
});
