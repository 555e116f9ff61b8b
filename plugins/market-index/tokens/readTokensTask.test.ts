import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import {
	BACKOFF_FIRST_MS,
	BACKOFF_MAX_MS,
	FAILURES_MAX,
	PART_MS,
	READS_IN_FLIGHT_MAX,
	TOKENS_MAX,
	TRAITS_EVERY_MS,
	UNREACHABLE_AGAIN_MS,
	WALKING_AGAIN_MS,
} from "#plugins/market-index/tokens/model.ts";
import { learnTokensTask, readTokensTask } from "#plugins/market-index/tokens/readTokensTask.ts";
import { learnTokens } from "#plugins/market-index/tokens/sql/tokens.ts";
import {
	createTokenLab,
	documentOf,
	nameAtProvider,
	storedTokens,
} from "#plugins/market-index/tokens/testing/tokenLab.ts";
import {
	LEARN_TOKENS_TASK,
	learnTokensJob,
	PROVIDER_TOKENS_TASK,
	READ_TOKENS_TASK,
	TRAITS_TASK,
	tokensChanged,
} from "#plugins/market-index/tokens/tokenJobs.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("learnTokensTask", () => {
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

	test("a token with nothing but transfers is known too", async () => {
		const contract = contractOf(++next);
		await fixture.seed(ethereum, [mintOf(contract, { kind: "transfer", tokenId: 9n })]);
		const id = await fixture.idOf(ethereum, contract);
		await learn(id);
		expect(await ids(id)).toEqual(["9"]);
	});

	test("tokens with an event get one row each, and are read next", async () => {
		const { id } = await collectionOf([1n, 2n, 2n ** 256n - 1n]);
		await learn(id);
		await learn(id);
		expect(await ids(id)).toEqual(["1", "2", "7", (2n ** 256n - 1n).toString()]);
		expect(made.jobs()).toMatchObject([
			{ task: READ_TOKENS_TASK, payload: { collectionId: id } },
			{ task: READ_TOKENS_TASK },
		]);
	});

	test("tokens that have an owner are known, and burned ones are not", async () => {
		const { id } = await collectionOf([]);
		await walked(id, { done: true, spans: "(10::numeric, 12::numeric, 'aa'), (20, 21, '00')" });
		await learn(id);
		expect(await ids(id)).toEqual(["7", "10", "11", "12"]);
	});

	test("a range of 2^200 ids creates a bounded number of rows", async () => {
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

	test("while a contract's history is being walked, its tokens are searched again later", async () => {
		const { id } = await collectionOf([]);
		await walked(id, { done: false, spans: "(10::numeric, 12::numeric, 'aa')" });
		await learn(id);
		expect(made.jobs()).toMatchObject([
			{ task: READ_TOKENS_TASK },
			{ task: LEARN_TOKENS_TASK, delayMs: WALKING_AGAIN_MS },
		]);
	});

	test("on request tokens are read again, also those that were abandoned", async () => {
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

	test("an excluded collection's tokens are not searched", async () => {
		const { id } = await collectionOf([1n]);
		await database.db.execute("update market_index.collection set excluded = true where id = $1", [
			id,
		]);
		await learn(id);
		expect(await ids(id)).toEqual([]);
	});

	test("mints in every block do not delay the search, and a request to read again is not lost", () => {
		const [mint, anew] = [learnTokensJob(1), learnTokensJob(1, { again: true, delayMs: 0 })];
		expect(mint).toMatchObject({ keepsTime: true });
		expect(mint.delayMs).toBeGreaterThan(0);
		expect(anew.key).not.toBe(mint.key);
	});
});

describe("readTokensTask", () => {
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

	const read = (collectionId: number) => made.run(readTokensTask(made.context), { collectionId });
	const tokens = (collectionId: number) => storedTokens(database.db, collectionId);
	const sha = (text: string) => createHash("sha256").update(text).digest("hex");

	/** A collection whose tokens are known and not read yet; each has a URI of its own. */
	async function collectionOf(count: number, standard: "erc721" | "erc1155" = "erc721") {
		const contract = contractOf(++next);
		const mints = Array.from({ length: count }, (_, id) =>
			mintOf(contract, { tokenId: BigInt(id), standard }),
		);
		await fixture.seed(ethereum, mints);
		const id = await fixture.idOf(ethereum, contract);
		await database.db.transaction((tx) =>
			learnTokens(tx, { collectionId: id, at: new Date(NOW_MS) }),
		);
		for (let token = 0; token < count; token++) {
			made.tell(BigInt(token), `ipfs://cats/${token}`, standard);
			made.lab.documents.set(`ipfs://cats/${token}`, documentOf({ Hat: `${token % 3}` }));
		}
		return { id, contract };
	}

	test("a token that is reported as changed while it is read is read once more", async () => {
		const { id } = await collectionOf(1);
		const { context, lab } = made;
		const readUri: typeof context.readUri = async (...given) => {
			lab.nowMs += 1_000;
			await tokensChanged(context.core, id, [0n]);
			return context.readUri(...given);
		};
		const dueAt = () =>
			database.db.query("select next_at from market_index.token where collection_id = $1", [id]);
		await made.run(readTokensTask({ ...context, readUri }), { collectionId: id });
		expect(await dueAt()).toEqual([{ next_at: new Date(NOW_MS + 1_000) }]);
		lab.nowMs += 1_000;
		await read(id);
		expect(await dueAt()).toEqual([{ next_at: null }]);
	});

	test("[IDX-06] a token's name, traits and the hash of its URI are stored", async () => {
		const { id } = await collectionOf(2);
		await read(id);
		expect(await tokens(id)).toEqual(
			[0, 1].map((token) => ({
				tokenId: String(token),
				name: "Cat",
				traits: [{ type: "Hat", value: String(token) }],
				rank: null,
				source: "chain",
				failures: 0,
				code: null,
				uri: `ipfs://cats/${token}`,
				hash: sha(`ipfs://cats/${token}`),
				waitsMs: null,
			})),
		);
		expect(made.jobs()).toMatchObject([{ task: TRAITS_TASK, delayMs: 0 }]);
	});

	test("[IDX-06] a changed URI is recorded: another hash, a log line and a counter", async () => {
		const { id } = await collectionOf(2);
		await read(id);
		made.tell(1n, "ipfs://other/1");
		made.lab.documents.set("ipfs://other/1", documentOf({ Hat: "gold" }));
		await database.db.execute(
			"update market_index.token set next_at = $2 where collection_id = $1",
			[id, new Date(NOW_MS)],
		);
		await read(id);
		const [, swapped] = await tokens(id);
		expect(swapped).toMatchObject({ hash: sha("ipfs://other/1"), uri: "ipfs://other/1" });
		expect(made.lab.node.said).toEqual(["tokens were read, not all as before"]);
		const { body } = await made.lab.metrics.expose();
		expect(body).toContain('token_uri_swaps_total{chain="ethereum"} 1');
	});

	test("[IDX-06] a changed URI is recorded even if the new document is unreadable, and old traits are kept", async () => {
		const { id } = await collectionOf(1);
		await read(id);
		made.tell(0n, "ipfs://lost");
		await database.db.execute(
			"update market_index.token set next_at = $2 where collection_id = $1",
			[id, new Date(NOW_MS)],
		);
		await read(id);
		expect(await tokens(id)).toMatchObject([
			{
				hash: sha("ipfs://lost"),
				traits: [{ type: "Hat", value: "0" }],
				failures: 1,
				code: "gone",
			},
		]);
		expect(made.lab.node.said).toHaveLength(1);
	});

	test("an ERC-1155's id is written in its URI as 64 hex digits", async () => {
		const { id } = await collectionOf(1, "erc1155");
		made.tell(0n, "https://x.test/{id}.json", "erc1155");
		await read(id);
		expect(made.lab.asked).toEqual([`https://x.test/${"0".repeat(64)}.json`]);
	});

	test("a token that fails is retried later each time, and not after the last try", async () => {
		const { id } = await collectionOf(1);
		made.lab.documents.clear();
		const waits: (number | null)[] = [];
		for (let attempt = 1; attempt <= FAILURES_MAX; attempt++) {
			await read(id);
			const [token] = await tokens(id);
			expect(token).toMatchObject({ failures: attempt, code: "gone", source: null });
			waits.push(token?.waitsMs ?? null);
			await database.db.execute(
				"update market_index.token set next_at = $2 where collection_id = $1 and next_at is not null",
				[id, new Date(NOW_MS)],
			);
		}
		expect(waits.slice(0, 3)).toEqual([1, 2, 4].map((times) => times * BACKOFF_FIRST_MS));
		expect(Math.max(...waits.map((wait) => wait ?? 0))).toBeLessThanOrEqual(BACKOFF_MAX_MS);
		expect(waits.at(-1)).toBeNull();
		await read(id);
		expect(made.lab.asked).toHaveLength(FAILURES_MAX);
	});

	test("a token whose contract returns no URI fails alone", async () => {
		const { id } = await collectionOf(3);
		made.tell(1n, null);
		await read(id);
		expect((await tokens(id)).map(({ source, code }) => source ?? code)).toEqual([
			"chain",
			"token_uri_untold",
			"chain",
		]);
	});

	test("a whole collection is read in parts, a few documents at a time, each once", async () => {
		const { id } = await collectionOf(530);
		await read(id);
		expect(made.lab.asked).toHaveLength(530);
		expect(new Set(made.lab.asked).size).toBe(530);
		expect(made.lab.inFlightMax).toBe(READS_IN_FLIGHT_MAX);
		const stored = await tokens(id);
		expect(stored.filter(({ source }) => source === "chain")).toHaveLength(530);
	});

	test("a run that takes too long keeps its results, and continues after the other jobs", async () => {
		const { id } = await collectionOf(300);
		const { readUri } = made.context;
		made.context.readUri = async (uri, options) => {
			made.lab.nowMs += PART_MS / 100;
			return readUri(uri, options);
		};
		await read(id);
		const first = (await tokens(id)).filter(({ source }) => source === "chain").length;
		expect(first).toBeGreaterThan(90);
		expect(first).toBeLessThan(150);
		const jobs = made.jobs();
		expect(jobs).toMatchObject([
			{ task: READ_TOKENS_TASK, payload: { collectionId: id } },
			{ task: TRAITS_TASK, delayMs: TRAITS_EVERY_MS, keepsTime: true },
		]);
		for (let run = 0; run < 5; run++) await read(id);
		expect((await tokens(id)).every(({ source }) => source === "chain")).toBe(true);
		expect(new Set(made.lab.asked).size).toBe(300);
	});

	test("a server that is down costs a few attempts, and the other tokens wait unchanged", async () => {
		const { id } = await collectionOf(400);
		made.context.readUri = async () => ({ kind: "failed", code: "down", isUnreachable: true });
		await read(id);
		const failed = (await tokens(id)).filter(({ failures }) => failures > 0).length;
		expect(failed).toBeGreaterThan(60);
		expect(failed).toBeLessThan(120);
		expect(made.jobs()).toMatchObject([{ task: READ_TOKENS_TASK, delayMs: UNREACHABLE_AGAIN_MS }]);
	});

	test("a node that does not answer uses up no token's attempt", async () => {
		const { id } = await collectionOf(2);
		for (const call of Object.keys(made.lab.node.answers)) {
			made.lab.node.answers[call] = () => {
				throw rpcFault.transport();
			};
		}
		await expect(read(id)).rejects.toMatchObject({ code: "rpc_transport" });
		expect((await tokens(id)).every(({ failures }) => failures === 0)).toBe(true);
	});

	test("an aborted reading does not count as a token's failure", async () => {
		const { id } = await collectionOf(2);
		const stop = new AbortController();
		made.lab.signal = stop.signal;
		made.context.readUri = async () => {
			stop.abort();
			return { kind: "failed", code: "aborted", isUnreachable: true };
		};
		await expect(read(id)).rejects.toMatchObject({ name: "AbortError" });
		expect((await tokens(id)).every(({ failures }) => failures === 0)).toBe(true);
	});

	test("characters that the database refuses, and media that a browser would run, are left out", async () => {
		const { id } = await collectionOf(1);
		made.lab.documents.set(
			"ipfs://cats/0",
			documentOf(
				{ "Ha\u0000t": "re\u202ed", "": "nameless" },
				{ name: "\u0000", description: "a\u0000b\ud800", imageUrl: "javascript:alert(1)" },
			),
		);
		await read(id);
		const [row] = await database.db.query<object>(
			`select name, description, image_url as image, traits from market_index.token
		where collection_id = $1`,
			[id],
		);
		expect(row).toEqual({
			name: null,
			description: "a b",
			image: null,
			traits: [{ type: "Ha t", value: "re d" }],
		});
	});

	test("[IDX-06] of a document that is its own URI only kind and hash are stored", async () => {
		const { id } = await collectionOf(1);
		const uri = `data:application/json;base64,${"e30".repeat(500)}`;
		made.tell(0n, uri);
		made.lab.documents.set(uri, documentOf({}));
		await read(id);
		expect(await tokens(id)).toMatchObject([
			{ uri: "data:application/json;base64,", hash: sha(uri) },
		]);
	});

	test("the provider is asked for unreadable tokens only if it knows the collection", async () => {
		const { id } = await collectionOf(1);
		made.lab.documents.clear();
		await read(id);
		expect(made.jobs()).toEqual([]);
		await nameAtProvider(database.db, id, "cats-1");
		await read(id);
		expect(made.jobs()).toMatchObject([{ task: PROVIDER_TOKENS_TASK }]);
	});

	test("a token of a chain removed from CHAINS is tried again in a day, one of a deleted collection not", async () => {
		const { id } = await collectionOf(1);
		made.lab.node.away = true;
		await read(id);
		expect(made.jobs()).toMatchObject([{ task: READ_TOKENS_TASK, delayMs: 86_400_000 }]);
		await read(999_999);
		expect(made.jobs()).toEqual([]);
	});
});
