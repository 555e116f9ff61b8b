import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import {
	BACKOFF_FIRST_MS,
	BACKOFF_MAX_MS,
	FAILURES_MAX,
	PART_MS,
	READS_IN_FLIGHT_MAX,
	TRAITS_EVERY_MS,
	UNREACHABLE_AGAIN_MS,
} from "#plugins/market-index/tokens/limits.ts";
import { readTokensTask } from "#plugins/market-index/tokens/readTokensTask.ts";
import { learnTokens } from "#plugins/market-index/tokens/sql/learnTokens.ts";
import {
	createTokenLab,
	documentOf,
	nameAtProvider,
	storedTokens,
} from "#plugins/market-index/tokens/testing/tokenLab.ts";
import {
	PROVIDER_TOKENS_TASK,
	READ_TOKENS_TASK,
	TRAITS_TASK,
} from "#plugins/market-index/tokens/tokenJobs.ts";
import { tokensChanged } from "#plugins/market-index/tokens/tokensChanged.ts";
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

test("a token that is said to change while it is read is read once more", async () => {
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

test("[IDX-06] a swapped URI leaves a trace: another hash, a line and a figure", async () => {
	const { id } = await collectionOf(2);
	await read(id);
	made.tell(1n, "ipfs://other/1");
	made.lab.documents.set("ipfs://other/1", documentOf({ Hat: "gold" }));
	await database.db.execute("update market_index.token set next_at = $2 where collection_id = $1", [
		id,
		new Date(NOW_MS),
	]);
	await read(id);
	const [, swapped] = await tokens(id);
	expect(swapped).toMatchObject({ hash: sha("ipfs://other/1"), uri: "ipfs://other/1" });
	expect(made.lab.node.said).toEqual(["tokens were read, not all as before"]);
	const { body } = await made.lab.metrics.expose();
	expect(body).toContain('token_uri_swaps_total{chain="ethereum"} 1');
});

test("[IDX-06] a swap shows also where the new document cannot be read, and the old traits stay", async () => {
	const { id } = await collectionOf(1);
	await read(id);
	made.tell(0n, "ipfs://lost");
	await database.db.execute("update market_index.token set next_at = $2 where collection_id = $1", [
		id,
		new Date(NOW_MS),
	]);
	await read(id);
	expect(await tokens(id)).toMatchObject([
		{ hash: sha("ipfs://lost"), traits: [{ type: "Hat", value: "0" }], failures: 1, code: "gone" },
	]);
	expect(made.lab.node.said).toHaveLength(1);
});

test("an ERC-1155's id stands in its URI as 64 hex digits", async () => {
	const { id } = await collectionOf(1, "erc1155");
	made.tell(0n, "https://x.test/{id}.json", "erc1155");
	await read(id);
	expect(made.lab.asked).toEqual([`https://x.test/${"0".repeat(64)}.json`]);
});

test("a token that fails is asked again later each time, and no more after the last", async () => {
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

test("a token whose contract tells no URI fails alone", async () => {
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

test("a run that takes too long keeps what it has, and goes on behind the others", async () => {
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

test("a server that is down costs a few attempts, and the other tokens wait untouched", async () => {
	const { id } = await collectionOf(400);
	made.context.readUri = async () => ({ kind: "failed", code: "down", isUnreachable: true });
	await read(id);
	const failed = (await tokens(id)).filter(({ failures }) => failures > 0).length;
	expect(failed).toBeGreaterThan(60);
	expect(failed).toBeLessThan(120);
	expect(made.jobs()).toMatchObject([{ task: READ_TOKENS_TASK, delayMs: UNREACHABLE_AGAIN_MS }]);
});

test("a node that is silent costs no token an attempt", async () => {
	const { id } = await collectionOf(2);
	for (const call of Object.keys(made.lab.node.answers)) {
		made.lab.node.answers[call] = () => {
			throw rpcFault.transport();
		};
	}
	await expect(read(id)).rejects.toMatchObject({ code: "rpc_transport" });
	expect((await tokens(id)).every(({ failures }) => failures === 0)).toBe(true);
});

test("what is broken off says nothing about a token", async () => {
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

test("letters that the database refuses, and media that a browser would run, are left out", async () => {
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

test("[IDX-06] of a document that is its own URI only the kind is kept beside the hash", async () => {
	const { id } = await collectionOf(1);
	const uri = `data:application/json;base64,${"e30".repeat(500)}`;
	made.tell(0n, uri);
	made.lab.documents.set(uri, documentOf({}));
	await read(id);
	expect(await tokens(id)).toMatchObject([
		{ uri: "data:application/json;base64,", hash: sha(uri) },
	]);
});

test("where tokens cannot be read the provider is asked, and only where it knows the collection", async () => {
	const { id } = await collectionOf(1);
	made.lab.documents.clear();
	await read(id);
	expect(made.jobs()).toEqual([]);
	await nameAtProvider(database.db, id, "cats-1");
	await read(id);
	expect(made.jobs()).toMatchObject([{ task: PROVIDER_TOKENS_TASK }]);
});

test("a chain taken out of CHAINS is looked for again in a day; a collection that is gone is done", async () => {
	const { id } = await collectionOf(1);
	made.lab.node.away = true;
	await read(id);
	expect(made.jobs()).toMatchObject([{ task: READ_TOKENS_TASK, delayMs: 86_400_000 }]);
	await read(999_999);
	expect(made.jobs()).toEqual([]);
});
