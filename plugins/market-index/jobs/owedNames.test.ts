import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { NewJob } from "#core/queue.ts";
import type { LaneKind, LaneProgress } from "#plugins/chain-scanner/contract.ts";
import {
	byLevel,
	LEVEL_BLOCKS,
	lanesAreLevel,
	OWED_PER_TURN_MAX,
	OWED_REST_MAX_MS,
	OWED_RESTS,
	owedNamesTask,
} from "#plugins/market-index/jobs/owedNames.ts";
import {
	COLLECTION_METADATA_TASK,
	COLLECTIONS_PER_JOB_MAX,
	OWED_NAMES_TASK,
	OWED_REST_MIN_MS,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { base, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("lanesAreLevel", () => {
	type Said = Partial<Pick<LaneProgress, "headBlock" | "indexedBlock" | "owes">>;

	const scannerOf = (said: Partial<Record<LaneKind, Said>>) => ({
		async progress(chainId: number, lane: LaneKind): Promise<LaneProgress> {
			const at = { headBlock: 1_000, indexedBlock: 1_000, indexedAtMs: 0 };
			return { ...at, ...said[lane], chainId, lane };
		},
	});

	test("level are lanes near the head that owe nothing, and chains that nobody follows", async () => {
		const near = { indexedBlock: 1_001 - LEVEL_BLOCKS };
		const unknown = { headBlock: null, indexedBlock: null };
		for (const said of [{}, { mint: near, sale: near }, { mint: unknown, sale: unknown }]) {
			expect(await lanesAreLevel(scannerOf(said), 1)).toBe(true);
		}
		// Owners are not asked about: their lane is the last in any case.
		expect(await lanesAreLevel(scannerOf({ transfer: { indexedBlock: 0 } }), 1)).toBe(true);
	});

	test("one lane that is behind, or owes, is enough", async () => {
		const far = { indexedBlock: 1_000 - LEVEL_BLOCKS };
		for (const said of [{ mint: far }, { sale: far }, { mint: { owes: true } }]) {
			expect(await lanesAreLevel(scannerOf(said), 1)).toBe(false);
			expect(await byLevel(scannerOf(said), [1, 2])).toEqual({ level: [], behind: [1, 2] });
		}
		expect(await byLevel(scannerOf({}), [1])).toEqual({ level: [1], behind: [] });
	});
});

describe("owedNamesTask", () => {
	let database: TestDatabase;
	let jobs: NewJob[];
	let read: number[][];
	let isBehind: boolean;
	let tookMs: number;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const COUNT = OWED_PER_TURN_MAX + 30;
	beforeEach(async () => {
		[jobs, read, isBehind, tookMs] = [[], [], true, 0];
		await database.db.execute("truncate market_index.collection restart identity cascade");
		await database.db.execute(
			`insert into market_index.collection (chain_id, address, slug, standard)
		select $1, decode(lpad(to_hex(n), 40, '0'), 'hex'), n::text, 'erc721'
		from generate_series(1, $2::int4) as n`,
			[ethereum.id, COUNT],
		);
	});

	/** A turn of the chain; the jobs that it queued. */
	async function turn(given: { chainId?: number; afterId?: number } = {}): Promise<NewJob[]> {
		jobs = [];
		let nowMs = NOW_MS;
		const task = owedNamesTask(
			{
				db: database.db,
				clock: { nowMs: () => nowMs },
				queue: { add: async (_tx, added) => void jobs.push(...added) },
				indexed: [{ chain: ethereum, rpcFor: () => fail(), headUrls: [] }],
				scanner: {
					async progress(chainId, lane) {
						const indexedBlock = isBehind ? 100 : 1_000;
						return { chainId, lane, headBlock: 1_000, indexedBlock, indexedAtMs: 0 };
					},
				},
			},
			async ({ collectionIds }) => {
				nowMs += tookMs;
				read.push(collectionIds);
				await database.db.execute(
					"update market_index.collection set metadata_at = now() where id = any($1::int4[])",
					[collectionIds],
				);
			},
		);
		const payload = { chainId: ethereum.id, afterId: 0, ...given };
		await task.run(payload, { signal: new AbortController().signal });
		return jobs;
	}
	const fail = () => {
		throw new Error("nobody is asked");
	};
	const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

	test("while lanes are behind a few names are read at a time, and a twentieth of the time goes by", async () => {
		tookMs = 100;
		expect(await turn()).toMatchObject([
			{ task: OWED_NAMES_TASK, payload: { chainId: ethereum.id }, delayMs: 100 * OWED_RESTS },
		]);
		expect(read).toEqual([idsUpTo(COLLECTIONS_PER_JOB_MAX)]);
		tookMs = 0;
		expect(await turn()).toMatchObject([{ delayMs: OWED_REST_MIN_MS }]);
		tookMs = 3_600_000;
		expect(await turn()).toMatchObject([{ delayMs: OWED_REST_MAX_MS }]);
		expect(read.flat()).toEqual(idsUpTo(3 * COLLECTIONS_PER_JOB_MAX));
	});

	test("a chain that stays behind has all its names in the end", async () => {
		for (let turns = 0; (await turn()).length > 0; turns++) expect(turns).toBeLessThan(COUNT);
		expect(read.flat()).toEqual(idsUpTo(COUNT));
	});

	test("once the lanes are level all that is owed is put in line, each once", async () => {
		isBehind = false;
		const first = await turn();
		const more = first.slice(-1);
		expect(more).toMatchObject([{ task: OWED_NAMES_TASK, delayMs: 0 }]);
		const [afterId = 0] = more.map(({ payload }) => (payload as { afterId: number }).afterId);
		const rest = await turn({ afterId });
		const queued = [...first.slice(0, -1), ...rest];
		expect(new Set(queued.map(({ task }) => task))).toEqual(new Set([COLLECTION_METADATA_TASK]));
		expect(
			queued.flatMap(({ payload }) => (payload as { collectionIds: number[] }).collectionIds),
		).toEqual(idsUpTo(COUNT));
		expect(read).toEqual([]);
	});

	test("where nothing is owed, or the chain is followed no more, nothing goes on", async () => {
		expect(await turn({ chainId: base.id })).toEqual([]);
		await database.db.execute("update market_index.collection set metadata_at = now()");
		expect(await turn()).toEqual([]);
		isBehind = false;
		expect(await turn()).toEqual([]);
		expect(read).toEqual([]);
	});
});
