import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	LIFECYCLES,
	type LifecycleFacts,
	type LifecycleFilter,
	lifecycleFilterSql,
	lifecycleOf,
	lifecycleSql,
	presentedLifecycle,
} from "#plugins/market-index/lifecycle.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("lifecycleOf", () => {
	const NOW = 1_700_000_000_000;
	const DAY = 86_400_000;

	function at(facts: Partial<LifecycleFacts>): string | null {
		const minted = facts.mintedUnits ?? 0n;
		const mintAt = minted > 0n ? NOW - 1_000 : null;
		return lifecycleOf(
			{
				mintedUnits: minted,
				maxSupply: null,
				firstMintAtMs: mintAt,
				lastMintAtMs: mintAt,
				sales: 0,
				isTraded: false,
				isAnnounced: false,
				...facts,
			},
			NOW,
		);
	}

	test("[IDX-04] a collection changes from upcoming to minting to minted out by its facts alone", () => {
		expect(at({ maxSupply: 3n, isAnnounced: true })).toBe("upcoming");
		expect(at({ maxSupply: 3n, mintedUnits: 1n })).toBe("minting");
		expect(at({ maxSupply: 3n, mintedUnits: 3n })).toBe("minted_out");
		expect(at({ maxSupply: 3n, mintedUnits: 4n })).toBe("minted_out");
	});

	test("[IDX-04] a collection of unknown size is secondary after sales and a day without mints", () => {
		const silent = { mintedUnits: 1n, firstMintAtMs: NOW - DAY, lastMintAtMs: NOW - DAY };
		expect(at({ ...silent, sales: 1 })).toBe("secondary");
		expect(at({ ...silent, sales: 1, maxSupply: 0n })).toBe("secondary");
		expect(at({ ...silent, sales: 0 })).toBe("minting");
		expect(at({ ...silent, sales: 1, maxSupply: 5n })).toBe("minting");
		expect(at({ ...silent, sales: 1, lastMintAtMs: NOW - DAY + 1 })).toBe("minting");
	});

	test("[IDX-04] a collection with sales and without an observed mint is secondary", () => {
		expect(at({ sales: 1 })).toBe("secondary");
		expect(at({ isTraded: true })).toBe("secondary");
		expect(at({ sales: 1, maxSupply: 10_000n })).toBe("secondary");
	});

	test("[MRG-02] a collection without any data is not upcoming: that requires an announced mint", () => {
		expect(at({})).toBeNull();
		expect(at({ maxSupply: 10_000n })).toBeNull();
		expect(at({ isAnnounced: true })).toBe("upcoming");
		expect(at({ isAnnounced: true, sales: 1 })).toBe("secondary");
		expect(at({ isAnnounced: true, isTraded: true })).toBe("secondary");
	});
});

describe("lifecycleSql", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		for (const [contract, endsAt] of [
			[ANNOUNCED, null],
			[OVER, new Date(NOW)],
		] as const) {
			await database.db.execute(
				`insert into market_index.drop
				(chain_id, contract, provider_slug, type, is_minting, stages, ends_at, seen_at)
			values (1, $1, 'drop', 'seadrop_v1_erc721', false, '[]', $2, now())`,
				[contract, endsAt],
			);
		}
	});
	afterAll(() => database.drop());

	const NOW = 1_700_000_000_000;
	/** Where answers change, and a millisecond to each side. */
	const EDGES = [0, 900_000, 86_400_000].flatMap((age) => [age - 1, age, age + 1]);
	const time = fc.option(
		fc.constantFrom(...EDGES).map((age) => NOW - age),
		{ nil: null },
	);
	const amount = fc.constantFrom(0n, 1n, 2n, 2n ** 255n);

	const facts: fc.Arbitrary<LifecycleFacts> = fc.record({
		mintedUnits: amount,
		maxSupply: fc.option(amount, { nil: null }),
		firstMintAtMs: time,
		lastMintAtMs: time,
		sales: fc.nat(1),
		isTraded: fc.boolean(),
		isAnnounced: fc.boolean(),
	});

	const ANNOUNCED = Buffer.alloc(20, 1);
	const OVER = Buffer.alloc(20, 2);
	const UNKNOWN = Buffer.alloc(20, 3);
	/** One whose mint is over was announced once; the other never was. */
	const notAnnounced = (index: number) => (index % 2 === 0 ? OVER : UNKNOWN);

	/** Reads an expression over every collection of facts at once, in order. */
	async function read<Value>(given: readonly LifecycleFacts[], expression: string) {
		const date = (ms: number | null) => (ms === null ? null : new Date(ms));
		const rows = await database.db.query<{ value: Value }>(
			`select ${expression} as value
		from unnest($2::numeric[], $3::numeric[], $4::timestamptz[], $5::timestamptz[], $6::int8[],
			$7::int4[], $8::numeric[], $9::int8[], $10::bytea[]) with ordinality as c (minted_units,
			max_supply, first_mint_at, last_mint_at, sales, provider_owners, floor_native, chain_id,
			address, n)
		where $1::timestamptz is not null order by n`,
			[
				new Date(NOW),
				given.map(({ mintedUnits }) => mintedUnits),
				given.map(({ maxSupply }) => maxSupply),
				given.map(({ firstMintAtMs }) => date(firstMintAtMs)),
				given.map(({ lastMintAtMs }) => date(lastMintAtMs)),
				given.map(({ sales }) => sales),
				given.map(({ isTraded }, index) => (isTraded && index % 2 === 0 ? 3 : 0)),
				given.map(({ isTraded }, index) => (isTraded && index % 2 === 1 ? 1n : null)),
				given.map(() => 1),
				given.map(({ isAnnounced }, index) => (isAnnounced ? ANNOUNCED : notAnnounced(index))),
			],
		);
		return rows.map(({ value }) => value);
	}

	test("[IDX-04] SQL and the function give every set of facts the same lifecycle", async () => {
		const given = fc.sample(facts, { numRuns: 3_000, seed: 4 });
		const stored = given.map((one) => lifecycleOf(one, NOW));
		expect(await read<string | null>(given, lifecycleSql("$1::timestamptz"))).toEqual(stored);
		expect(new Set(stored)).toEqual(new Set([...LIFECYCLES, null]));
	});

	test("[IDX-04] the filters select the displayed lifecycle, and `ended` the stored minted_out", async () => {
		const given = fc.sample(facts, { numRuns: 3_000, seed: 5 });
		for (const filter of [...LIFECYCLES, "ended"] satisfies LifecycleFilter[]) {
			const expected = given.map((one) => {
				const stored = lifecycleOf(one, NOW);
				if (filter === "ended") return stored === "minted_out";
				return presentedLifecycle(stored, one.lastMintAtMs, NOW) === filter;
			});
			const selected = await read<boolean | null>(
				given,
				lifecycleFilterSql(filter, "$1::timestamptz"),
			);
			// In a `where`, null is as good as false.
			expect(selected.map((one) => one === true)).toEqual(expected);
			expect(expected).toContain(true);
		}
	});
});

describe("presentedLifecycle", () => {
	const NOW = 1_700_000_000_000;
	const QUARTER = 15 * 60_000;

	test("[IDX-04] minted_out is displayed up to 15 minutes after the last mint, then secondary", () => {
		expect(presentedLifecycle("minted_out", NOW, NOW)).toBe("minted_out");
		expect(presentedLifecycle("minted_out", NOW - QUARTER, NOW)).toBe("minted_out");
		expect(presentedLifecycle("minted_out", NOW - QUARTER - 1, NOW)).toBe("secondary");
		expect(presentedLifecycle("minted_out", null, NOW)).toBe("secondary");
	});

	test("[IDX-04] every other lifecycle is displayed as it is stored", () => {
		for (const stored of ["upcoming", "minting", "secondary"] as const) {
			expect(presentedLifecycle(stored, NOW - QUARTER - 1, NOW)).toBe(stored);
		}
	});
});
