import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTokenLab, nameAtProvider } from "#plugins/market-index/tokens/testing/tokenLab.ts";
import { TRAITS_TASK } from "#plugins/market-index/tokens/tokenJobs.ts";
import { traitFloorsTask } from "#plugins/market-index/tokens/traitFloorsTask.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let fixture: Fixture;
let made: ReturnType<typeof createTokenLab>;
let id: number;
let next = 0x100;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum]);
});
afterAll(() => database.drop());

/** Token 1 has a red hat, token 2 a blue one, token 3 a red one. */
beforeEach(async () => {
	made = createTokenLab(database.db);
	const contract = contractOf(++next);
	await fixture.seed(ethereum, [mintOf(contract)]);
	id = await fixture.idOf(ethereum, contract);
	for (const [token, value] of ["Red", "Blue", "Red"].entries()) {
		await database.db.execute(
			"insert into market_index.token (collection_id, token_id, traits) values ($1, $2, $3::jsonb)",
			[id, token + 1, JSON.stringify([{ type: "Hat", value }])],
		);
	}
	await database.db.execute(
		`insert into market_index.trait_count (collection_id, trait_type, value, tokens)
		values ($1, 'Hat', 'Red', 2), ($1, 'Hat', 'Blue', 1)`,
		[id],
	);
});

let hashes = 0;
async function list(tokenId: number, eth: number, given: Record<string, unknown> = {}) {
	const columns = { is_active: true, is_private: false, expires_at: null, kind: 0, ...given };
	await database.db.execute(
		`insert into market_index.market_order (collection_id, order_hash, kind, is_active, generation,
			token_id, maker, quantity, symbol, decimals, total_raw, unit_native, is_private, expires_at,
			seen_at)
		values ($1, $2, $3, $4, 1, $5, '\\x00', 1, 'ETH', 18, $6, $6, $7, $8, now())`,
		[
			id,
			Buffer.from([++hashes]),
			columns.kind,
			columns.is_active,
			tokenId,
			BigInt(eth) * ETH,
			columns.is_private,
			columns.expires_at,
		],
	);
}

const run = (isNewBook = false) =>
	made.run(traitFloorsTask(made.context), { collectionId: id, isNewBook });
async function floors() {
	const rows = await database.db.query<{ value: string; floor: string | null }>(
		`select value, floor_native as floor from market_index.trait_count where collection_id = $1`,
		[id],
	);
	return Object.fromEntries(rows.map(({ value, floor }) => [value, floor && BigInt(floor) / ETH]));
}

test("[API-20] a value's floor is the best ask for a token that has it; unsold it has none", async () => {
	await list(1, 5);
	await list(3, 3);
	await run();
	expect(await floors()).toEqual({ Red: 3n, Blue: null });
});

test("[API-20] asks that nobody can take make no floor", async () => {
	await list(1, 9);
	await list(1, 1, { is_active: false });
	await list(1, 2, { is_private: true });
	await list(3, 3, { expires_at: new Date(NOW_MS - 1) });
	await list(2, 4, { kind: 1 });
	await run();
	expect(await floors()).toEqual({ Red: 9n, Blue: null });
});

test("[API-20] without listings of our own the provider's floors count, converted, and 0 is none", async () => {
	await nameAtProvider(database.db, id, `cats-${id}`);
	made.lab.fake.answers.traitFloors = async () => [
		{ type: "Hat", value: "Red", floor: 2, symbol: "ETH" },
		{ type: "Hat", value: "Blue", floor: 0, symbol: "ETH" },
		{ type: "Hat", value: "Unknown", floor: 2, symbol: "ETH" },
	];
	await run();
	expect(await floors()).toEqual({ Red: 2n, Blue: null });
	await list(2, 7);
	await run();
	expect(await floors()).toEqual({ Red: null, Blue: 7n });
	expect(made.lab.fake.callsOf("traitFloors")).toHaveLength(1);
});

test("[API-20] a floor in a coin without a rate is unknown", async () => {
	await nameAtProvider(database.db, id, `cats-${id}`);
	made.lab.fake.answers.traitFloors = async () => [
		{ type: "Hat", value: "Red", floor: 2, symbol: "DOGE" },
	];
	await run();
	expect(await floors()).toEqual({ Red: null, Blue: null });
});

test("[API-20] floors do not outlive the last listing, with no provider to ask", async () => {
	await list(1, 5);
	await run();
	await database.db.execute("delete from market_index.market_order where collection_id = $1", [id]);
	await run();
	expect(await floors()).toEqual({ Red: null, Blue: null });
});

test("[API-20] a new book empties floors by itself, and asks the provider with the next counts only", async () => {
	await nameAtProvider(database.db, id, `cats-${id}`);
	await list(1, 5);
	await run(true);
	expect(await floors()).toEqual({ Red: 5n, Blue: null });
	await database.db.execute("delete from market_index.market_order where collection_id = $1", [id]);
	await run(true);
	expect(await floors()).toEqual({ Red: null, Blue: null });
	await database.db.execute("delete from market_index.token where collection_id = $1", [id]);
	await run(true);
	expect(made.jobs()).toMatchObject([{ task: TRAITS_TASK, delayMs: 0, keepsTime: true }]);
	expect(made.lab.fake.calls).toEqual([]);
});
