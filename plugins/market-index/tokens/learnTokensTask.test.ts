import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { learnTokensTask } from "#plugins/market-index/tokens/learnTokensTask.ts";
import { TOKENS_MAX, WALKING_AGAIN_MS } from "#plugins/market-index/tokens/limits.ts";
import { createTokenLab, storedTokens } from "#plugins/market-index/tokens/testing/tokenLab.ts";
import {
	LEARN_TOKENS_TASK,
	learnTokensJob,
	READ_TOKENS_TASK,
} from "#plugins/market-index/tokens/tokenJobs.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

const learn = (collectionId: number, again = false) =>
	made.run(learnTokensTask(made.context), { collectionId, again });
const ids = async (collectionId: number) =>
	(await storedTokens(database.db, collectionId)).map(({ tokenId }) => tokenId);

async function collectionOf(tokenIds: readonly bigint[]) {
	const contract = contractOf(++next);
	await fixture.seed(ethereum, [
		saleOf(contract, { tokenId: 7n }),
		...tokenIds.map((tokenId) => mintOf(contract, { tokenId })),
	]);
	return { contract, id: await fixture.idOf(ethereum, contract) };
}

/** The contract's owners as a walk left them. */
async function walked(collectionId: number, given: { done: boolean; spans: string }) {
	await database.db.execute(
		`with walk as (
			insert into market_index.ownership (collection_id, chain_id, address, next_block, end_block)
			select id, chain_id, address, $2, 100 from market_index.collection where id = $1
			returning set_id
		)
		insert into market_index.owned_span (set_id, from_id, to_id, owner, position)
		select set_id, from_id, to_id, decode(lpad(owner, 40, '0'), 'hex'), 1
		from walk, (values ${given.spans}) as given (from_id, to_id, owner)`,
		[collectionId, given.done ? 101 : 50],
	);
}

test("a token that was only ever moved is known too", async () => {
	const contract = contractOf(++next);
	await fixture.seed(ethereum, [mintOf(contract, { kind: "transfer", tokenId: 9n })]);
	const id = await fixture.idOf(ethereum, contract);
	await learn(id);
	expect(await ids(id)).toEqual(["9"]);
});

test("tokens that events spoke of are known, each once, and are read next", async () => {
	const { id } = await collectionOf([1n, 2n, 2n ** 256n - 1n]);
	await learn(id);
	await learn(id);
	expect(await ids(id)).toEqual(["1", "2", "7", (2n ** 256n - 1n).toString()]);
	expect(made.jobs()).toMatchObject([
		{ task: READ_TOKENS_TASK, payload: { collectionId: id } },
		{ task: READ_TOKENS_TASK },
	]);
});

test("tokens that somebody owns are known, and those that were destroyed are not", async () => {
	const { id } = await collectionOf([]);
	await walked(id, { done: true, spans: "(10::numeric, 12::numeric, 'aa'), (20, 21, '00')" });
	await learn(id);
	expect(await ids(id)).toEqual(["7", "10", "11", "12"]);
});

test("a range of 2^200 ids makes no more rows than there may be", async () => {
	const { id } = await collectionOf([]);
	await walked(id, { done: true, spans: `(10::numeric, ${2n ** 200n}::numeric, 'aa')` });
	await learn(id);
	const [row] = await database.db.query<{ count: number }>(
		"select count(*)::int4 as count from market_index.token where collection_id = $1",
		[id],
	);
	expect(row?.count).toBe(TOKENS_MAX);
	await learn(id);
});

test("while a contract is being walked there is more to come, and it is looked for again", async () => {
	const { id } = await collectionOf([]);
	await walked(id, { done: false, spans: "(10::numeric, 12::numeric, 'aa')" });
	await learn(id);
	expect(made.jobs()).toMatchObject([
		{ task: READ_TOKENS_TASK },
		{ task: LEARN_TOKENS_TASK, delayMs: WALKING_AGAIN_MS },
	]);
});

test("asked for again, tokens are read anew, also those that were given up", async () => {
	const { id } = await collectionOf([1n]);
	await learn(id);
	await database.db.execute(
		"update market_index.token set next_at = null, failures = 8, source = 'chain' where collection_id = $1",
		[id],
	);
	made.jobs();
	await learn(id);
	expect(made.jobs()).toEqual([]);
	await learn(id, true);
	expect(made.jobs()).toMatchObject([{ task: READ_TOKENS_TASK }]);
	expect(await storedTokens(database.db, id)).toMatchObject([
		{ failures: 0, waitsMs: 0 },
		{ failures: 0, waitsMs: 0 },
	]);
});

test("an excluded collection's tokens are not looked for", async () => {
	const { id } = await collectionOf([1n]);
	await database.db.execute("update market_index.collection set excluded = true where id = $1", [
		id,
	]);
	await learn(id);
	expect(await ids(id)).toEqual([]);
});

test("a mint at every block does not put the search off, and a wish to read anew is not lost", () => {
	const [mint, anew] = [learnTokensJob(1), learnTokensJob(1, { again: true, delayMs: 0 })];
	expect(mint).toMatchObject({ keepsTime: true });
	expect(mint.delayMs).toBeGreaterThan(0);
	expect(anew.key).not.toBe(mint.key);
});
