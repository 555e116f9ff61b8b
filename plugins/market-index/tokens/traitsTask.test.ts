import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import {
	REREAD_LIFE_MS,
	REREAD_WAIT_MS,
	TRAITS_EVERY_MS,
} from "#plugins/market-index/tokens/model.ts";
import { learnTokensTask, readTokensTask } from "#plugins/market-index/tokens/readTokensTask.ts";
import { learnTokens } from "#plugins/market-index/tokens/sql/tokens.ts";
import {
	createTokenLab,
	documentOf,
	nameAtProvider,
	storedTokens,
} from "#plugins/market-index/tokens/testing/tokenLab.ts";
import { TRAIT_FLOORS_TASK, TRAITS_TASK } from "#plugins/market-index/tokens/tokenJobs.ts";
import {
	countTraitsNow,
	rankTokensNow,
	traitFloorsTask,
	traitsTask,
} from "#plugins/market-index/tokens/traitsTask.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("traitFloorsTask", () => {
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
			`insert into market_index.market_order (collection_id, order_hash, kind, is_active,
				generation,
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
		return Object.fromEntries(
			rows.map(({ value, floor }) => [value, floor && BigInt(floor) / ETH]),
		);
	}

	test("[API-20] a value's floor is the best ask for a token with it, and unknown without an ask", async () => {
		await list(1, 5);
		await list(3, 3);
		await run();
		expect(await floors()).toEqual({ Red: 3n, Blue: null });
	});

	test("[API-20] asks that nobody can fill give no floor", async () => {
		await list(1, 9);
		await list(1, 1, { is_active: false });
		await list(1, 2, { is_private: true });
		await list(3, 3, { expires_at: new Date(NOW_MS - 1) });
		await list(2, 4, { kind: 1 });
		await run();
		expect(await floors()).toEqual({ Red: 9n, Blue: null });
	});

	test("[API-20] without listings of ours the provider's trait floors are used, converted to ETH", async () => {
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

	test("[API-20] floors are deleted with the last listing if there is no provider", async () => {
		await list(1, 5);
		await run();
		await database.db.execute("delete from market_index.market_order where collection_id = $1", [
			id,
		]);
		await run();
		expect(await floors()).toEqual({ Red: null, Blue: null });
	});

	test("[API-20] a new book empties floors by itself, and reads the provider only with the next count", async () => {
		await nameAtProvider(database.db, id, `cats-${id}`);
		await list(1, 5);
		await run(true);
		expect(await floors()).toEqual({ Red: 5n, Blue: null });
		await database.db.execute("delete from market_index.market_order where collection_id = $1", [
			id,
		]);
		await run(true);
		expect(await floors()).toEqual({ Red: null, Blue: null });
		await database.db.execute("delete from market_index.token where collection_id = $1", [id]);
		await run(true);
		expect(made.jobs()).toMatchObject([{ task: TRAITS_TASK, delayMs: 0, keepsTime: true }]);
		expect(made.lab.fake.calls).toEqual([]);
	});
});

describe("traitsTask", () => {
	let database: TestDatabase;
	let fixture: Fixture;
	let made: ReturnType<typeof createTokenLab>;
	let next = 0x100;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db, [ethereum]);
	});
	afterAll(() => database.drop());
	beforeEach(() => {
		made = createTokenLab(database.db);
	});

	type Traits = Record<string, string>;

	/** A collection of tokens that tell these traits; null tells a document that speaks of none. */
	async function collectionOf(hats: readonly (Traits | null)[], standard?: "erc1155") {
		const contract = contractOf(++next);
		await fixture.seed(
			ethereum,
			hats.map((_, token) =>
				mintOf(contract, { tokenId: BigInt(token), standard: standard ?? "erc721" }),
			),
		);
		const id = await fixture.idOf(ethereum, contract);
		await tell(id, hats, standard);
		return id;
	}

	async function tell(id: number, hats: readonly (Traits | null)[], standard?: "erc1155") {
		for (const [token, traits] of hats.entries()) {
			made.tell(BigInt(token), `ipfs://${token}`, standard ?? "erc721");
			made.lab.documents.set(
				`ipfs://${token}`,
				traits ? documentOf(traits) : documentOf({}, { traits: null }),
			);
		}
		await database.db.transaction((tx) =>
			learnTokens(tx, { collectionId: id, at: new Date(NOW_MS) }),
		);
		await database.db.execute(
			"update market_index.token set next_at = $2 where collection_id = $1",
			[id, new Date(NOW_MS)],
		);
		await made.run(readTokensTask(made.context), { collectionId: id });
		made.jobs();
	}

	const count = (collectionId: number, forced = false) =>
		made.run(traitsTask(made.context), { collectionId, forced });
	const counts = (id: number) =>
		database.db.query<object>(
			`select trait_type as type, value, tokens from market_index.trait_count
		where collection_id = $1 order by 1, 2`,
			[id],
		);
	const stateOf = async (id: number) =>
		(
			await database.db.query<{ state: string }>(
				"select reveal_state as state from market_index.collection where id = $1",
				[id],
			)
		)[0]?.state;
	const ranks = async (id: number) => (await storedTokens(database.db, id)).map(({ rank }) => rank);
	const set = (id: number, assignment: string) =>
		database.db.execute(`update market_index.collection set ${assignment} where id = $1`, [id]);

	test("[IDX-07] traits are counted by type and value, and a trait that is gone is deleted", async () => {
		const id = await collectionOf([{ Hat: "Red", Eye: "1" }, { Hat: "Red" }, { Hat: "Blue" }]);
		await count(id);
		expect(await counts(id)).toEqual([
			{ type: "Eye", value: "1", tokens: 1 },
			{ type: "Hat", value: "Blue", tokens: 1 },
			{ type: "Hat", value: "Red", tokens: 2 },
		]);
		expect(made.jobs()).toMatchObject([{ task: TRAIT_FLOORS_TASK }]);
		await tell(id, [{ Hat: "Red" }, { Hat: "Red" }, { Hat: "Green" }]);
		await count(id, true);
		expect(await counts(id)).toEqual([
			{ type: "Hat", value: "Green", tokens: 1 },
			{ type: "Hat", value: "Red", tokens: 2 },
		]);
	});

	test("[IDX-07] traits are counted once in 15 minutes, unless a count is forced", async () => {
		const id = await collectionOf([{ Hat: "a" }, { Hat: "b" }]);
		await count(id);
		await tell(id, [{ Hat: "c" }, { Hat: "b" }]);
		made.lab.nowMs += TRAITS_EVERY_MS - 1_000;
		await count(id);
		expect(made.jobs()).toMatchObject([{ task: TRAITS_TASK, delayMs: 1_000 }]);
		expect(await counts(id)).toMatchObject([{ value: "a" }, { value: "b" }]);
		await count(id, true);
		expect(await counts(id)).toMatchObject([{ value: "b" }, { value: "c" }]);
		await tell(id, [{ Hat: "d" }, { Hat: "b" }]);
		made.lab.nowMs += TRAITS_EVERY_MS;
		await count(id);
		expect(await counts(id)).toMatchObject([{ value: "b" }, { value: "d" }]);
	});

	test("[RVL-04] [IDX-07] the provider's counts are used only if no token has its own traits", async () => {
		const { fake } = made.lab;
		fake.answers.traits = async () => [{ type: "Hat", values: [{ value: "told", count: 5 }] }];
		const empty = await collectionOf([null, null]);
		await nameAtProvider(database.db, empty, "empty");
		await count(empty);
		expect(await counts(empty)).toEqual([{ type: "Hat", value: "told", tokens: 5 }]);
		const own = await collectionOf([{ Hat: "own" }, { Hat: "other" }]);
		await nameAtProvider(database.db, own, "own");
		await count(own);
		expect(await counts(own)).toMatchObject([{ value: "other" }, { value: "own" }]);
		expect(fake.callsOf("traits")).toHaveLength(1);
	});

	test("[IDX-08] tokens are ranked, ties share a rank, and one without traits has no rank", async () => {
		const id = await collectionOf([{ Hat: "a" }, { Hat: "a" }, { Hat: "b" }, { Hat: "a" }, null]);
		await set(id, "total_supply = 4");
		await count(id);
		expect(await ranks(id)).toEqual([2, 2, 1, 2, null]);
	});

	test("[IDX-08] ranks follow traits, and only changed ones are written", async () => {
		const id = await collectionOf([{ Hat: "a" }, { Hat: "a" }, { Hat: "b" }]);
		await count(id);
		expect(await ranks(id)).toEqual([2, 2, 1]);
		const versions = () =>
			database.db.query("select xmin::text from market_index.token where collection_id = $1", [id]);
		const before = await versions();
		await count(id, true);
		expect(await versions()).toEqual(before);
		await tell(id, [{ Hat: "z" }, { Hat: "b" }, { Hat: "b" }]);
		await count(id, true);
		expect(await ranks(id)).toEqual([1, 2, 2]);
	});

	test("[IDX-08] no token has a rank before the reveal, nor after a return to it", async () => {
		const same = await collectionOf([{ State: "Hidden" }, { State: "Hidden" }]);
		await count(same);
		expect(await ranks(same)).toEqual([null, null]);
		const id = await collectionOf([{ Hat: "a" }, { Hat: "b" }]);
		await count(id);
		expect(await ranks(id)).toEqual([1, 1]);
		await tell(id, [{ State: "Hidden" }, { State: "Hidden" }]);
		await count(id, true);
		expect(await ranks(id)).toEqual([null, null]);
		expect(await stateOf(id)).toBe("placeholder");
	});

	test("revealed tokens move a collection out of unknown, and all of them out of placeholder", async () => {
		const art = await collectionOf([{ Hat: "a" }, { Hat: "b" }]);
		await count(art);
		expect(await stateOf(art)).toBe("revealed");
		const id = await collectionOf([{ State: "Hidden" }, { State: "Hidden" }, { State: "Hidden" }]);
		await count(id);
		expect(await stateOf(id)).toBe("placeholder");
		await tell(id, [{ Hat: "a" }]);
		await database.db.execute(
			"update market_index.token set traits = '[]' where collection_id = $1 and token_id > 0",
			[id],
		);
		await count(id, true);
		expect(await stateOf(id)).toBe("placeholder");
		expect(await ranks(id)).toEqual([null, null, null]);
		await tell(id, [{ Hat: "a" }, { Hat: "b" }, { Hat: "c" }]);
		await count(id, true);
		expect(await stateOf(id)).toBe("revealed");
		expect(await ranks(id)).toEqual([1, 1, 1]);
	});

	test("[RVL-04] while all tokens are read again no count runs, not even a forced one", async () => {
		const id = await collectionOf([{ Hat: "a" }, { Hat: "b" }]);
		await database.db.execute(
			"update market_index.collection set reread_since = $2 where id = $1",
			[id, new Date(made.lab.nowMs)],
		);
		made.jobs();
		await count(id, true);
		expect(await ranks(id)).toEqual([null, null]);
		expect(made.jobs()).toMatchObject([{ task: TRAITS_TASK, delayMs: REREAD_WAIT_MS }]);
		// Whoever reads them all ranks although the collection is not called revealed yet.
		await set(id, "reveal_state = 'placeholder'");
		await countTraitsNow(made.context, id, made.lab.signal);
		await rankTokensNow(made.context, id);
		expect(await ranks(id)).toEqual([1, 1]);
		// One that was given up holds nothing up for ever.
		made.lab.nowMs += REREAD_LIFE_MS;
		await count(id, true);
		expect(await stateOf(id)).toBe("revealed");
	});

	test("[IDX-08] a part of a collection is not ranked as the whole", async () => {
		const id = await collectionOf([{ Hat: "a" }, { Hat: "b" }]);
		await set(id, "total_supply = 100");
		await count(id);
		expect(await ranks(id)).toEqual([null, null]);
		await set(id, "total_supply = 2");
		await count(id, true);
		expect(await ranks(id)).toEqual([1, 1]);
	});

	test("[IDX-08] ranks of a part are deleted once more tokens are known, and are written again later", async () => {
		const id = await collectionOf([{ Hat: "a" }, { Hat: "b" }]);
		await count(id);
		expect(await ranks(id)).toEqual([1, 1]);
		made.jobs();
		await set(id, "provider_supply = 4");
		await made.run(learnTokensTask(made.context), { collectionId: id });
		expect(made.jobs()).toMatchObject([{ task: TRAITS_TASK, payload: { collectionId: id } }]);
		await count(id, true);
		expect(await ranks(id)).toEqual([null, null]);
		made.jobs();
		await made.run(learnTokensTask(made.context), { collectionId: id });
		expect(made.jobs()).toEqual([]);
		await set(id, "provider_supply = 2");
		await count(id, true);
		expect(await ranks(id)).toEqual([1, 1]);
	});

	test("[IDX-08] a walk that found no mint does not make a part of a collection complete", async () => {
		const id = await collectionOf([{ Hat: "a" }, { Hat: "b" }]);
		await set(id, "provider_supply = 4");
		await database.db.execute(
			`insert into market_index.ownership (collection_id, chain_id, address, next_block, end_block)
		select id, chain_id, address, 101, 100 from market_index.collection where id = $1`,
			[id],
		);
		await count(id);
		expect(await ranks(id)).toEqual([null, null]);
	});

	test("[IDX-08] tokens with several units are not ranked", async () => {
		const id = await collectionOf([{ Hat: "a" }, { Hat: "b" }], "erc1155");
		await count(id);
		expect(await counts(id)).toHaveLength(2);
		expect(await ranks(id)).toEqual([null, null]);
	});
});
