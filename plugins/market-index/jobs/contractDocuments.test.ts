import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import type { NewJob } from "#core/queue.ts";
import {
	type ContractFacts,
	contractDocumentTask,
	storeFacts,
} from "#plugins/market-index/jobs/contractDocuments.ts";
import type { DocumentOutcome } from "#plugins/market-index/metadata/createDocumentReader.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

describe("contractDocumentTask", () => {
	let database: TestDatabase;
	let fixture: Fixture;
	let outcome: DocumentOutcome;
	let contract: Address;
	let next = 0x100;

	const document = {
		kind: "read",
		name: "From Afar",
		description: "Told.",
		imageUrl: "https://a.test/1.png",
		animationUrl: null,
		traits: null,
	} as const;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db, [ethereum]);
	});
	afterAll(() => database.drop());
	beforeEach(async () => {
		contract = contractOf(++next);
		await fixture.seed(ethereum, [mintOf(contract)]);
	});

	async function run(collectionId?: number) {
		const task = contractDocumentTask({ db: database.db }, async () => outcome);
		const payload = {
			collectionId: collectionId ?? (await fixture.idOf(ethereum, contract)),
			uri: "https://a.test/contract.json",
		};
		await task.run(payload, { signal: new AbortController().signal });
	}

	async function read() {
		const [row] = await database.db.query(
			`select slug, name, description, image_url as image
		from market_index.collection where address = $1`,
			[Buffer.from(contract.slice(2), "hex")],
		);
		return row;
	}

	test("[IDX-12] a contract's document gives the collection its name, image and description", async () => {
		outcome = document;
		await run();
		const told = {
			slug: "from-afar",
			name: "From Afar",
			description: "Told.",
			image: document.imageUrl,
		};
		expect(await read()).toEqual(told);
		await run();
		expect(await read()).toEqual(told);
	});

	test("a contract's document fills only fields that no other source has filled", async () => {
		await database.db.query(
			"update market_index.collection set name = 'Own', slug = 'own', image_url = 'x' where address = $1",
			[Buffer.from(contract.slice(2), "hex")],
		);
		outcome = document;
		await run();
		expect(await read()).toEqual({ slug: "own", name: "Own", description: "Told.", image: "x" });
	});

	test("a server that does not answer is tried again, one without the document is not", async () => {
		outcome = { kind: "failed", code: "http_503", isUnreachable: true };
		await expect(run()).rejects.toThrow("document_unreachable: http_503");
		outcome = { kind: "failed", code: "http_404", isUnreachable: false };
		await run();
		expect(await read()).toEqual({ slug: contract, name: null, description: null, image: null });
	});

	test("a collection that was deleted meanwhile causes no error", async () => {
		outcome = document;
		await run(2_000_000_000);
	});
});

describe("storeFacts", () => {
	let database: TestDatabase;
	let jobs: NewJob[];
	let transactions: number;
	beforeAll(async () => {
		database = await createTestDatabase();
		await database.db.execute(
			"alter table market_index.collection add constraint no_curse check (name <> 'Cursed')",
		);
	});
	afterAll(() => database.drop());

	const COUNT = 25;
	beforeEach(async () => {
		jobs = [];
		transactions = 0;
		await database.db.execute(
			"truncate market_index.collection, market_index.former_slug restart identity cascade",
		);
		await database.db.execute(
			`insert into market_index.collection (chain_id, address, slug, standard)
		select $1, decode(lpad(to_hex(n), 40, '0'), 'hex'), '0x' || lpad(to_hex(n), 40, '0'), 'erc721'
		from generate_series(1, $2::int4) as n`,
			[ethereum.id, COUNT],
		);
	});

	function factsOf(id: number, given: Partial<ContractFacts> = {}): ContractFacts {
		const address = contractOf(id);
		const unsaid = { imageUrl: null, documentUri: null, maxSupply: null, totalSupply: null };
		return { id, address, slug: address, isFirst: true, name: "Cats", ...unsaid, ...given };
	}
	const all = () => Array.from({ length: COUNT }, (_, index) => factsOf(index + 1));

	function store(facts: readonly ContractFacts[]) {
		const { db } = database;
		const counting: Database = {
			...db,
			transaction(run, options) {
				transactions++;
				return db.transaction(run, options);
			},
		};
		const queue = {
			add: async (_tx: unknown, added: readonly NewJob[]) => void jobs.push(...added),
		};
		return storeFacts({ db: counting, queue, clock: { nowMs: () => NOW_MS } }, ethereum.id, facts);
	}

	async function named() {
		return database.db.query<{ id: number; slug: string; name: string | null }>(
			`select id, slug, name from market_index.collection where metadata_at is not null order by id`,
		);
	}

	test("[ING-04] many contracts are stored, named and given their jobs in one transaction", async () => {
		const facts = all().with(
			4,
			factsOf(5, { name: null, totalSupply: 7n, documentUri: "ipfs://a" }),
		);
		expect(await store(facts)).toEqual({ refused: [] });
		expect(transactions).toBe(1);
		const rows = await named();
		expect(rows.map(({ slug }) => slug).slice(0, 6)).toEqual([
			"cats",
			"cats-2",
			"cats-3",
			"cats-4",
			contractOf(5),
			"cats-5",
		]);
		expect(new Set(rows.map(({ slug }) => slug)).size).toBe(COUNT);
		expect(jobs.map(({ payload }) => payload)).toEqual([{ collectionId: 5, uri: "ipfs://a" }]);
		const [fifth] = await database.db.query(
			`select name, total_supply as total, supply_at as at from market_index.collection where id = 5`,
		);
		expect(fifth).toEqual({ name: null, total: "7", at: new Date(NOW_MS) });
	});

	test("a contract that the database refuses does not prevent the others' names", async () => {
		const { refused } = await store(all().with(2, factsOf(3, { name: "Cursed" })));
		expect(refused.map(({ row }) => row.id)).toEqual([3]);
		const rows = await named();
		expect(rows.filter(({ name }) => name === "Cats").map(({ id }) => id)).not.toContain(3);
		expect(new Set(rows.map(({ slug }) => slug)).size).toBe(COUNT);
		// It counts as asked: else it would come first each time that something is owed.
		expect(rows[2]).toEqual({ id: 3, slug: contractOf(3), name: null });
	});

	test("while the database is down no contract is marked as failed: all are retried", async () => {
		const away = { ...database.db, transaction: () => Promise.reject(new Error("gone")) };
		const core = { db: away, queue: { add: async () => {} }, clock: { nowMs: () => NOW_MS } };
		await expect(storeFacts(core, ethereum.id, all())).rejects.toThrow("gone");
	});

	test("a collection that a lane is writing is waited for alone, without locks on other rows", async () => {
		const written = Promise.withResolvers<void>();
		const locked = Promise.withResolvers<void>();
		const lane = database.db.transaction(async (tx) => {
			await tx.execute("update market_index.collection set mints = 1 where id = 7");
			locked.resolve();
			await written.promise;
			// Lanes lock rows in any order. This transaction holds row 7; it must get row 6 as well, and
			// not wait for the job that stores facts.
			await tx.execute("update market_index.collection set mints = 1 where id = 6");
		});
		await locked.promise;
		const storing = store(all());
		await until(async () => (await named()).length === COUNT - 1, "the others are stored");
		written.resolve();
		await lane;
		expect(await storing).toEqual({ refused: [] });
		expect(await named()).toHaveLength(COUNT);
	});

	test("a collection that is gone is skipped, and not named as refused", async () => {
		expect(await store([factsOf(1), factsOf(999)])).toEqual({ refused: [] });
		expect(await named()).toHaveLength(1);
	});
});
