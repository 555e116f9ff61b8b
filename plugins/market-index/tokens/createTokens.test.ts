import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTokens, dueTokensJob } from "#plugins/market-index/tokens/createTokens.ts";
import {
	createTokenLab,
	documentOf,
	storedTokens,
} from "#plugins/market-index/tokens/testing/tokenLab.ts";
import { learnTokensJob, tokensChanged } from "#plugins/market-index/tokens/tokenJobs.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createTokens", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	/** Does what is in line until nothing is, at once. */
	async function work(made: ReturnType<typeof createTokenLab>) {
		const { tasks } = createTokens(made.context);
		for (let jobs = made.jobs(); jobs.length > 0; jobs = made.jobs()) {
			for (const job of jobs) {
				const task = tasks.find(({ name }) => name === job.task);
				if (!task) throw new Error(`nobody does ${job.task}`);
				await made.run(task, job.payload);
			}
		}
	}

	test("[IDX-06] [IDX-07] [IDX-08] after a mint tokens get ranks without any request", async () => {
		const made = createTokenLab(database.db);
		const fixture = createMarketFixture(database.db, [ethereum]);
		const contract = contractOf(0x100);
		await fixture.seed(
			ethereum,
			[0n, 1n, 2n].map((tokenId) => mintOf(contract, { tokenId })),
		);
		const id = await fixture.idOf(ethereum, contract);
		for (const [token, hat] of ["a", "b", "a"].entries()) {
			made.tell(BigInt(token), `ipfs://${token}`);
			made.lab.documents.set(`ipfs://${token}`, documentOf({ Hat: hat }));
		}
		made.lab.node.jobs.push(learnTokensJob(id));
		await work(made);
		expect((await storedTokens(database.db, id)).map(({ rank }) => rank)).toEqual([2, 1, 2]);
	});

	test("a failed token is retried at its time, without any request", async () => {
		const made = createTokenLab(database.db);
		const [sweep] = createTokens(made.context).jobs;
		const { signal } = made.lab;
		await sweep?.run({ signal });
		expect(made.jobs()).toEqual([]);
		await database.db.execute(
			`insert into market_index.collection (id, chain_id, address, slug, standard)
		overriding system value
		values (77, $1, '\\x77', 'seventy', 'erc721'), (78, $1, '\\x78', 'eighty', 'erc721')`,
			[ethereum.id],
		);
		await database.db.execute(
			`insert into market_index.token (collection_id, token_id, next_at)
		values (77, 1, $1), (77, 2, $1), (78, 1, $2)`,
			[new Date(NOW_MS), new Date(NOW_MS + 60_000)],
		);
		await sweep?.run({ signal });
		expect(made.jobs()).toMatchObject([{ payload: { collectionId: 77 }, keepsTime: true }]);
		made.lab.nowMs += 60_000;
		await sweep?.run({ signal });
		expect(made.jobs().map(({ payload }) => payload)).toEqual([
			{ collectionId: 77 },
			{ collectionId: 78 },
		]);
	});
});

describe("dueTokensJob", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	test("due tokens are queued, and unreadable tokens do not take the place of others", async () => {
		const { db } = database;
		const fixture = createMarketFixture(db, [ethereum]);
		const made = createTokenLab(db);
		const ids: number[] = [];
		for (const seed of [1, 2, 3]) {
			const contract = contractOf(0x700 + seed);
			await fixture.seed(ethereum, [mintOf(contract, { tokenId: 1n })]);
			ids.push(await fixture.idOf(ethereum, contract));
		}
		const [excluded = -1, away = -1, due = -1] = ids;
		await db.execute("update market_index.collection set excluded = true where id = $1", [
			excluded,
		]);
		await db.execute("update market_index.collection set chain_id = 5 where id = $1", [away]);
		await db.execute(
			`insert into market_index.token (collection_id, token_id, next_at)
		select id, 1, '2020-01-01' from market_index.collection`,
		);
		await dueTokensJob(made.context.core).run({ signal: made.lab.signal });
		expect(made.jobs()).toMatchObject([{ payload: { collectionId: due } }]);
	});

	test("a collection that a fork removed gets no more tokens", async () => {
		const made = createTokenLab(database.db);
		await tokensChanged(made.context.core, 999_999, [1n]);
		const rows = await database.db.query(
			"select from market_index.token where collection_id = 999999",
		);
		expect(rows).toEqual([]);
	});
});
