import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import type { NewJob } from "#core/queue.ts";
import {
	COLLECTION_METADATA_TASK,
	COLLECTIONS_PER_JOB_MAX,
	OWED_NAMES_TASK,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	LACKING_AFTER_MS,
	type MetContract,
	registerCollections,
	repairJob,
	resolveCollections,
} from "#plugins/market-index/register/registerCollections.ts";
import {
	base,
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

describe("registerCollections", () => {
	describe("registerCollections", () => {
		let database: TestDatabase;
		let jobs: NewJob[];
		const queue = { add: async (_tx: Tx, added: readonly NewJob[]) => void jobs.push(...added) };

		beforeAll(async () => {
			database = await createTestDatabase();
		});
		afterAll(() => database.drop());
		beforeEach(async () => {
			jobs = [];
			await database.db.execute("truncate market_index.collection restart identity cascade");
		});

		const register = (contracts: readonly MetContract[], chainId: number = ethereum.id) =>
			database.db.transaction((tx) => registerCollections(tx, queue, { chainId, contracts }));
		const met = (number: number, given: Partial<MetContract> = {}): MetContract => {
			return { address: contractOf(number), standard: "erc721", ...given };
		};
		const rows = () =>
			database.db.query(
				`select id, chain_id as "chainId", slug, standard, name, image_url as image,
			sync_status as status
		from market_index.collection order by id`,
			);
		const asked = () =>
			jobs.flatMap((job) => (job.payload as { collectionIds: number[] }).collectionIds);

		test("a new contract gets a row under its address, and a job for its metadata", async () => {
			const named = met(1, {
				standard: "erc1155",
				name: "Cats",
				imageUrl: "https://images.test/1",
			});
			const fresh = await register([met(2), named]);
			expect(fresh.map(({ address }) => address)).toEqual([contractOf(1), contractOf(2)]);
			const shared = { chainId: ethereum.id, status: "queued" };
			expect(await rows()).toEqual([
				{
					id: 1,
					slug: contractOf(1),
					standard: "erc1155",
					name: "Cats",
					image: named.imageUrl,
					...shared,
				},
				{ id: 2, slug: contractOf(2), standard: "erc721", name: null, image: null, ...shared },
			]);
			expect(jobs.map(({ task }) => task)).toEqual([COLLECTION_METADATA_TASK]);
			expect(asked()).toEqual([1, 2]);
		});

		test("a contract that is already registered gets no second row and no second job", async () => {
			await register([met(1, { name: "First" })]);
			jobs = [];
			expect(await register([met(1, { name: "Second" }), met(1)])).toEqual([]);
			expect(await register([])).toEqual([]);
			expect(jobs).toEqual([]);
			expect(await rows()).toMatchObject([{ name: "First" }]);
			expect(await register([met(1)], base.id)).toHaveLength(1);
			expect(asked()).toHaveLength(1);
		});

		test("a contract that is registered twice simultaneously gets one row and one job", async () => {
			expect(await register([met(7, { name: "a" }), met(7, { name: "b" })])).toHaveLength(1);
			expect(asked()).toEqual([1]);
		});

		test("contracts found while lanes are behind share one job of the chain for their names", async () => {
			const meet = (contracts: readonly MetContract[]) =>
				database.db.transaction((tx) =>
					registerCollections(tx, queue, { chainId: base.id, contracts, areOwed: true }),
				);
			await meet(Array.from({ length: 60 }, (_, index) => met(index + 1)));
			const job = {
				task: OWED_NAMES_TASK,
				payload: { chainId: base.id, afterId: 0 },
				keepsTime: true,
			};
			expect(jobs).toMatchObject([job]);
			await meet([met(1)]);
			expect(jobs).toHaveLength(1);
			await meet([met(100)]);
			expect(jobs).toMatchObject([job, job]);
			expect(new Set(jobs.map(({ key }) => key)).size).toBe(1);
		});
	});

	describe("resolveCollections", () => {
		let database: TestDatabase;
		beforeAll(async () => {
			database = await createTestDatabase();
		});
		afterAll(() => database.drop());

		const queue = { add: async () => {} };
		const resolve = (chainId: number, contracts: readonly Address[]) =>
			database.db.transaction((tx) =>
				resolveCollections(tx, queue, {
					chainId,
					contracts: new Map(contracts.map((one) => [one, "erc721" as const])),
				}),
			);
		const [A, B, C] = [contractOf(0xa), contractOf(0xb), contractOf(0xc)] as const;

		test("[ING-04] an unknown contract is registered under its address, and reported as new once", async () => {
			const first = await resolve(1, [A, B]);
			expect([...first.keys()].sort()).toEqual([A, B]);
			expect(first.get(A)).toMatchObject({ slug: A, name: null, excluded: false, isNew: true });
			const second = await resolve(1, [C, A]);
			expect(second.get(A)).toEqual({ ...first.get(A), isNew: false } as never);
			expect(second.get(C)?.isNew).toBe(true);
		});

		test("an address on two chains is two collections, each under the address", async () => {
			const here = await resolve(1, [A]);
			const there = await resolve(8453, [A]);
			expect(there.get(A)).toMatchObject({ slug: A, isNew: true });
			expect(there.get(A)?.id).not.toBe(here.get(A)?.id);
		});

		test("a known collection is returned with its current name, image and exclusion", async () => {
			await resolve(10, [A]);
			await database.db.execute(
				`update market_index.collection
		set slug = 'cats', name = 'Cats', image_url = 'ipfs://cat', excluded = true
		where chain_id = 10`,
			);
			expect((await resolve(10, [A])).get(A)).toMatchObject({
				address: A,
				slug: "cats",
				name: "Cats",
				imageUrl: "ipfs://cat",
				excluded: true,
			});
		});

		test("five thousand new contracts at once get five thousand rows", async () => {
			const contracts = Array.from({ length: 5_000 }, (_, index) => contractOf(0x10_000 + index));
			const known = await resolve(137, contracts);
			expect(known.size).toBe(5_000);
			expect(new Set([...known.values()].map(({ id }) => id)).size).toBe(5_000);
			expect((await resolve(137, [])).size).toBe(0);
		});
	});
});

describe("repairJob", () => {
	// Guarantee: a collection without metadata or tokens gets them, whatever became of its first
	// jobs.

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

	test("collections without metadata, or whose tokens were never searched, are queued again", async () => {
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

	test("names of a chain whose lanes are behind are left for later, and one job for them is queued", async () => {
		isBehind = true;
		await fixture.seed(ethereum, [mintOf(contractOf(1))]);
		await tick();
		expect(asked(COLLECTION_METADATA_TASK)).toEqual([]);
		expect(jobs.map(({ task }) => task)).toEqual([OWED_NAMES_TASK]);
		isBehind = false;
		await tick();
		expect(asked(COLLECTION_METADATA_TASK)).toEqual([1]);
	});

	test("a contract of a chain that is not indexed is not called, and its tokens are searched", async () => {
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
});
