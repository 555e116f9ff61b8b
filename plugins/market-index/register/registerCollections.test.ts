import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { NewJob } from "#core/queue.ts";
import {
	COLLECTION_METADATA_TASK,
	OWED_NAMES_TASK,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	type MetContract,
	registerCollections,
	resolveCollections,
} from "#plugins/market-index/register/registerCollections.ts";
import { base, contractOf, ethereum } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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
		const named = met(1, { standard: "erc1155", name: "Cats", imageUrl: "https://images.test/1" });
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

	test("a contract that is registered on the chain gets no second row and no second job", async () => {
		await register([met(1, { name: "First" })]);
		jobs = [];
		expect(await register([met(1, { name: "Second" }), met(1)])).toEqual([]);
		expect(await register([])).toEqual([]);
		expect(jobs).toEqual([]);
		expect(await rows()).toMatchObject([{ name: "First" }]);
		expect(await register([met(1)], base.id)).toHaveLength(1);
		expect(asked()).toHaveLength(1);
	});

	test("a contract that is named twice at once gets one row and one job", async () => {
		expect(await register([met(7, { name: "a" }), met(7, { name: "b" })])).toHaveLength(1);
		expect(asked()).toEqual([1]);
	});

	test("contracts met while lanes are behind share one job of the chain for their names", async () => {
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

	test("[ING-04] an unknown contract is registered under its address, and is new only once", async () => {
		const first = await resolve(1, [A, B]);
		expect([...first.keys()].sort()).toEqual([A, B]);
		expect(first.get(A)).toMatchObject({ slug: A, name: null, excluded: false, isNew: true });
		const second = await resolve(1, [C, A]);
		expect(second.get(A)).toEqual({ ...first.get(A), isNew: false } as never);
		expect(second.get(C)?.isNew).toBe(true);
	});

	test("one address on two chains is two collections, each under the address", async () => {
		const here = await resolve(1, [A]);
		const there = await resolve(8453, [A]);
		expect(there.get(A)).toMatchObject({ slug: A, isNew: true });
		expect(there.get(A)?.id).not.toBe(here.get(A)?.id);
	});

	test("a known collection comes with its present name, image and exclusion", async () => {
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
