import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { LIFECYCLES, type LifecycleFacts } from "#plugins/market-index/lifecycle/Lifecycle.ts";
import { lifecycleOf } from "#plugins/market-index/lifecycle/lifecycleOf.ts";
import {
	type LifecycleFilter,
	lifecycleFilterSql,
	lifecycleSql,
} from "#plugins/market-index/lifecycle/lifecycleSql.ts";
import { presentedLifecycle } from "#plugins/market-index/lifecycle/presentedLifecycle.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("[IDX-04] a filter selects what is presented, and `ended` what is stored as minted out", async () => {
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
