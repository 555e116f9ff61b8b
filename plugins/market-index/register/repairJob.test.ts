import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { silentLog } from "#core/log.ts";
import type { NewJob } from "#core/queue.ts";
import {
	COLLECTION_METADATA_TASK,
	COLLECTIONS_PER_JOB_MAX,
	OWED_NAMES_TASK,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { LACKING_AFTER_MS, repairJob } from "#plugins/market-index/register/repairJob.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	polygon,
} from "#plugins/market-index/testing/marketFixture.ts";
import { LEARN_TOKENS_TASK } from "#plugins/market-index/tokens/tokenJobs.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a collection without metadata or tokens gets them, whatever became of its first jobs.

let database: TestDatabase;
let fixture: Fixture;
let jobs: NewJob[];
let isBehind = false;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum, polygon]);
});
afterAll(() => database.drop());
beforeEach(async () => {
	jobs = [];
	isBehind = false;
	await database.db.execute(
		`truncate market_index.collection, market_index.sync, market_index.event,
			market_index.rollup_minute, market_index.rollup_hour, market_index.rollup_day
		restart identity cascade`,
	);
});

/** A tick of a process that indexes Ethereum, so long after everything was registered. */
async function tick(afterMs = LACKING_AFTER_MS + 1): Promise<void> {
	await database.db.execute("update market_index.collection set registered_at = $1", [
		new Date(NOW_MS),
	]);
	const core = {
		db: database.db,
		clock: { nowMs: () => NOW_MS + afterMs },
		log: silentLog,
		queue: { add: async (_tx: unknown, added: readonly NewJob[]) => void jobs.push(...added) },
		indexed: [{ chain: ethereum }],
		scanner: {
			progress: async (chainId: number, lane: string) => {
				const indexedBlock = isBehind ? 100 : 1_000;
				return { chainId, lane, headBlock: 1_000, indexedBlock, indexedAtMs: 0 };
			},
		},
	} as unknown as Parameters<typeof repairJob>[0];
	await repairJob(core).run({ signal: new AbortController().signal });
}

const asked = (task: string) =>
	jobs
		.filter((job) => job.task === task)
		.flatMap(({ payload }) => {
			const { collectionId, collectionIds } = payload as Record<string, number | number[]>;
			return collectionIds ?? collectionId;
		});
const set = (columns: string, id: number) =>
	database.db.execute(`update market_index.collection set ${columns} where id = $1`, [id]);

test("collections without metadata, or whose tokens were never looked for, are queued again", async () => {
	await fixture.seed(
		ethereum,
		[1, 2, 3, 4].map((number) => mintOf(contractOf(number))),
	);
	await set("metadata_at = now()", 2);
	await set("metadata_at = now(), learned_at = now()", 3);
	await set("excluded = true", 4);
	await tick();
	expect(asked(COLLECTION_METADATA_TASK)).toEqual([1]);
	expect(asked(LEARN_TOKENS_TASK)).toEqual([2]);
});

test("a collection is not repaired before its own first jobs had time to run", async () => {
	await fixture.seed(ethereum, [mintOf(contractOf(1))]);
	await tick(LACKING_AFTER_MS - 1);
	expect(jobs).toEqual([]);
	await tick();
	expect(asked(COLLECTION_METADATA_TASK)).toEqual([1]);
});

test("names of a chain whose lanes are behind stay owed, and their one job is queued", async () => {
	isBehind = true;
	await fixture.seed(ethereum, [mintOf(contractOf(1))]);
	await tick();
	expect(asked(COLLECTION_METADATA_TASK)).toEqual([]);
	expect(jobs.map(({ task }) => task)).toEqual([OWED_NAMES_TASK]);
	isBehind = false;
	await tick();
	expect(asked(COLLECTION_METADATA_TASK)).toEqual([1]);
});

test("a contract of a chain that is not indexed is not asked, and its tokens are looked for", async () => {
	await fixture.seed(polygon, [mintOf(contractOf(1))]);
	await tick();
	expect(asked(COLLECTION_METADATA_TASK)).toEqual([]);
	expect(asked(LEARN_TOKENS_TASK)).toEqual([1]);
});

test("a repair neither replaces nor delays a waiting job", async () => {
	const many = COLLECTIONS_PER_JOB_MAX + 1;
	await fixture.seed(
		ethereum,
		Array.from({ length: many }, (_, index) => mintOf(contractOf(index + 1))),
	);
	await tick();
	expect(jobs.map(({ key, keepsTime }) => ({ key, keepsTime }))).toEqual([
		{ key: `${COLLECTION_METADATA_TASK}:1:repair`, keepsTime: true },
		{ key: `${COLLECTION_METADATA_TASK}:${many}:repair`, keepsTime: true },
	]);
	expect(asked(COLLECTION_METADATA_TASK)).toHaveLength(many);
});
