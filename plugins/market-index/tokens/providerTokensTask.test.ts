import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
} from "#plugins/market-index/testing/marketFixture.ts";
import { PROVIDER_EVERY_MS } from "#plugins/market-index/tokens/model.ts";
import { providerTokensTask } from "#plugins/market-index/tokens/providerTokensTask.ts";
import { readTokensTask } from "#plugins/market-index/tokens/readTokensTask.ts";
import { learnTokens } from "#plugins/market-index/tokens/sql/tokens.ts";
import {
	createTokenLab,
	documentOf,
	nameAtProvider,
	nftOf,
	storedTokens,
} from "#plugins/market-index/tokens/testing/tokenLab.ts";
import {
	PROVIDER_TOKENS_TASK,
	READ_TOKENS_TASK,
	TRAITS_TASK,
} from "#plugins/market-index/tokens/tokenJobs.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let fixture: Fixture;
let made: ReturnType<typeof createTokenLab>;
let contract: Address;
let id: number;
let next = 0x100;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum]);
});
afterAll(() => database.drop());

/** Two tokens: the first one's URI leads to its document, the second one's to nothing. */
beforeEach(async () => {
	made = createTokenLab(database.db);
	contract = contractOf(++next);
	await fixture.seed(
		ethereum,
		[1n, 2n].map((tokenId) => mintOf(contract, { tokenId })),
	);
	id = await fixture.idOf(ethereum, contract);
	await nameAtProvider(database.db, id, `cats-${id}`);
	await database.db.transaction((tx) =>
		learnTokens(tx, { collectionId: id, at: new Date(NOW_MS) }),
	);
	made.tell(1n, "ipfs://1");
	made.lab.documents.set("ipfs://1", documentOf({ Hat: "own" }));
	await made.run(readTokensTask(made.context), { collectionId: id });
	made.jobs();
});

const ask = (cursor: string | null = null) =>
	made.run(providerTokensTask(made.context), { collectionId: id, cursor });
const stored = () => storedTokens(database.db, id);
const hat = (value: string) => [{ type: "Hat", value, displayType: null }];
const supply = (count: number) =>
	database.db.execute("update market_index.collection set total_supply = $2 where id = $1", [
		id,
		count,
	]);

const ranked = async () => {
	await database.db.execute("update market_index.token set rank = 1 where collection_id = $1", [
		id,
	]);
	await supply(50);
	made.lab.fake.answers.nfts = async () => ({
		items: [nftOf(contract, 2n, { standard: "erc1155" })],
		cursor: null,
	});
};
const standardAndRank = async () => {
	const [row] = await database.db.query<{ standard: string; rank: number | null }>(
		`select c.standard, t.rank from market_index.collection as c
		join market_index.token as t on t.collection_id = c.id and t.token_id = 1
		where c.id = $1`,
		[id],
	);
	return row;
};

test("a contract known only from the provider has the standard that it names, without ranks", async () => {
	await ranked();
	await database.db.execute(
		"update market_index.event set onchain_verified = false where collection_id = $1",
		[id],
	);
	await ask();
	expect(await standardAndRank()).toEqual({ standard: "erc1155", rank: null });
});

test("a standard known from the contract's own logs is kept, whatever the provider says", async () => {
	await ranked();
	await ask();
	expect(await standardAndRank()).toEqual({ standard: "erc721", rank: 1 });
});

test("[IDX-06] the provider's metadata replaces that of an unreadable token", async () => {
	const { answers, callsOf } = made.lab.fake;
	answers.nft = async ({ tokenId }) => nftOf(contract, tokenId, { traits: hat("told"), rank: 9 });
	await ask();
	expect(callsOf("nft").map(({ args, purpose }) => [args[0], purpose])).toEqual([
		[{ chainId: ethereum.id, address: contract, tokenId: 2n }, "background"],
	]);
	expect(await stored()).toMatchObject([
		{ source: "chain", name: "Cat", rank: null },
		{ source: "provider", name: "Provider's cat", rank: 9, failures: 1 },
	]);
	expect(made.jobs()).toMatchObject([{ task: TRAITS_TASK }]);
});

test("[IDX-06] a token's own metadata takes precedence over the provider's, in any order of arrival", async () => {
	await supply(3);
	const { answers } = made.lab.fake;
	const items = [1n, 2n, 3n].map((tokenId) => nftOf(contract, tokenId, { traits: hat("told") }));
	answers.nfts = async () => ({ items, cursor: null });
	await ask();
	expect((await stored()).map(({ source }) => source)).toEqual(["chain", "provider", "provider"]);
	// The token that was new is read next, and then speaks for itself.
	expect(made.jobs()).toMatchObject([{ task: TRAITS_TASK }, { task: READ_TOKENS_TASK }]);
	made.tell(3n, "ipfs://3");
	made.lab.documents.set("ipfs://3", documentOf({ Hat: "own" }));
	await made.run(readTokensTask(made.context), { collectionId: id });
	expect((await stored()).map(({ source }) => source)).toEqual(["chain", "provider", "chain"]);
});

test("pages are read one after the other, a few in each run, and the next run continues", async () => {
	await supply(100_000);
	const { answers, callsOf } = made.lab.fake;
	let page = 0;
	answers.nfts = async () => ({ items: [], cursor: `page-${++page}` });
	await ask();
	expect(callsOf("nfts").map(({ options }) => options["cursor"])).toEqual([
		undefined,
		"page-1",
		"page-2",
		"page-3",
		"page-4",
	]);
	expect(made.jobs()).toMatchObject([
		{ task: PROVIDER_TOKENS_TASK, payload: { cursor: "page-5" } },
	]);
	answers.nfts = async () => ({ items: [], cursor: "page-5" });
	await ask("page-5");
	expect(made.jobs()).toEqual([]);
});

test("a collection for which the provider has nothing new is not requested again at once", async () => {
	await supply(100);
	const { callsOf } = made.lab.fake;
	await ask();
	await ask();
	expect(callsOf("nfts")).toHaveLength(1);
	made.lab.nowMs += PROVIDER_EVERY_MS;
	await ask();
	expect(callsOf("nfts")).toHaveLength(2);
});

test("tokens of other contracts and chains in the provider's collection are left out", async () => {
	await supply(100);
	const items = [nftOf(contractOf(0xbad), 2n), nftOf(contract, 2n, { chainId: 8453 })];
	made.lab.fake.answers.nfts = async () => ({ items, cursor: null });
	await ask();
	expect((await stored())[1]).toMatchObject({ source: null, name: null });
});

test("a slug's page without chains gives the tokens of the contract only", async () => {
	await supply(100);
	const { answers, callsOf } = made.lab.fake;
	answers.nfts = async () => ({ items: [nftOf(contract, 2n, { chainId: null })], cursor: null });
	await ask();
	expect(callsOf("nfts").map(({ args }) => args[0])).toEqual([{ slug: `cats-${id}` }]);
	expect((await stored())[1]).toMatchObject({ source: "provider", name: "Provider's cat" });
});

test("a contract's tokens are requested by address if its slug has the address on two chains", async () => {
	await supply(100);
	const both = ["ethereum", "base"].map((chain) => ({ chain, address: contract.toUpperCase() }));
	await database.db.execute(
		"update market_index.collection set provider_row = $2::jsonb where id = $1",
		[id, JSON.stringify({ contracts: both })],
	);
	await ask();
	expect(made.lab.fake.callsOf("nfts").map(({ args }) => args[0])).toEqual([
		{ chainId: ethereum.id, address: contract },
	]);
});

test("a rate limit is a fault that the queue retries, and nothing is lost", async () => {
	made.lab.fake.fail("nft", made.lab.fake.faults.rateLimited());
	await expect(ask()).rejects.toMatchObject({ code: "rate_limited" });
	made.lab.fake.fail("nft", null);
	await ask();
	expect(made.lab.fake.callsOf("nft")).toHaveLength(2);
});

test("a collection without a slug at the provider is not requested", async () => {
	await database.db.execute(
		"update market_index.sync set provider_slug = null where collection_id = $1",
		[id],
	);
	await ask();
	expect(made.lab.fake.calls).toEqual([]);
});

test("the time of the request is stored only together with its jobs, otherwise it is repeated", async () => {
	await supply(100);
	const { answers, callsOf } = made.lab.fake;
	answers.nfts = async () => ({ items: [nftOf(contract, 3n)], cursor: null });
	const queue = { add: async () => Promise.reject(new Error("away")) };
	const broken = { ...made.context, core: { ...made.context.core, queue } };
	const run = made.run(providerTokensTask(broken), { collectionId: id, cursor: null });
	await expect(run).rejects.toThrow("away");
	await ask();
	expect(callsOf("nfts")).toHaveLength(2);
	// What was noted together with its jobs is not asked for a third time.
	await ask();
	expect(callsOf("nfts")).toHaveLength(2);
});
