import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { formOf } from "#plugins/market-index/search/otherHits.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const FOLK = contractOf(0xf01);
const LORE = contractOf(0xf02);
const PERSON = `0x${"ab".repeat(20)}` as const;
const sale = saleOf(FOLK, { tokenId: 12n });

let database: TestDatabase;
let fixture: Fixture;
let searched: string[];
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db, [ethereum, base]);
	await fixture.seed(ethereum, [sale]);
	await fixture.seed(base, [saleOf(LORE, { totalRaw: 1n })]);
	await database.db.execute(
		`update market_index.collection set name = case when chain_id = 1 then 'Kiln Folk' else
			'Kiln Folklore' end, slug = case when chain_id = 1 then 'kiln-folk' else 'kiln-lore' end`,
	);
	await database.db.execute(
		`insert into market_index.token (collection_id, token_id, name, image_url)
		select id, 12, 'Kiln ' || id, 'ipfs://twelve' from market_index.collection`,
	);
});
beforeEach(() => {
	searched = [];
	fixture.lists.search = async (text) => {
		searched.push(text);
		return [];
	};
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

const search = (text: string, more = "") => ask(`/search?q=${encodeURIComponent(text)}${more}`);

test("a text means an account, a transaction, a name, a token or only words", () => {
	expect(formOf(` ${PERSON.toUpperCase().replace("0X", "0x")} `)).toEqual({
		...{ kind: "account", address: PERSON },
	});
	expect(formOf(`0x${"CD".repeat(32)}`)).toMatchObject({ kind: "transaction" });
	expect(formOf("Tidal.eth")).toEqual({ kind: "name", name: "tidal.eth" });
	for (const text of ["kiln folk 12", "kiln folk #12", "kiln folk#12", "kiln folk  012"]) {
		expect(formOf(text)).toEqual({ kind: "token", words: "kiln folk", tokenId: 12n });
	}
	for (const text of ["kiln", "12", "#12", "folk12", `kiln ${"9".repeat(78)}`, "kiln 1.5"]) {
		expect({ text, ...formOf(text) }).toMatchObject({ text });
	}
	expect(formOf("folk12")).toEqual({ kind: "words" });
	expect(formOf(`kiln ${"9".repeat(78)}`)).toEqual({ kind: "words" });
	expect(formOf("12")).toEqual({ kind: "words" });
});

test("an address finds its collection and the account, and asks no provider", async () => {
	const { body } = await search(FOLK.toUpperCase().replace("0X", "0x"));
	expect(body.data.map(({ slug }: { slug: string }) => slug)).toEqual(["kiln-folk"]);
	expect(body.matches).toMatchObject([{ kind: "account", address: FOLK, chain: null }]);
	const nobody = await search(PERSON);
	expect(nobody.body).toMatchObject({ data: [], unknown: [] });
	expect(nobody.body.matches).toMatchObject([{ kind: "account", address: PERSON, ensName: null }]);
	expect(searched).toEqual([]);
});

test("a token is found by its collection's words or slug, and its number", async () => {
	for (const text of ["kiln folk 12", "kiln-folk #12", "KILN FOLK#12"]) {
		const { body } = await search(text);
		expect({ text, found: body.matches[0] }).toMatchObject({
			text,
			found: {
				...{ kind: "token", chain: "ethereum", address: FOLK, slug: "kiln-folk" },
				...{ tokenId: "12", imageUrl: "ipfs://twelve" },
				explorerUrl: `https://etherscan.io/token/${FOLK}?a=12`,
			},
		});
	}
	const both = await search("kiln 12");
	expect(both.body.matches.map(({ slug }: { slug: string }) => slug)).toEqual([
		...["kiln-folk", "kiln-lore"],
	]);
	const one = await search("kiln 12", "&chain=base");
	expect(one.body.matches).toMatchObject([{ slug: "kiln-lore", chain: "base" }]);
	expect((await search("kiln folk 13")).body.matches).toEqual([]);
	expect(searched).toEqual(["kiln folk 13"]);
});

test("a transaction is found on the chain that mined it, with its events here", async () => {
	const { transactionHash, blockNumber } = sale;
	fixture.lookUps.transaction = async (chain) =>
		chain === ethereum
			? { kind: "found", blockNumber, isReverted: false }
			: { kind: "unknown", reason: "no_answer" };
	const { body } = await search(transactionHash);
	expect(body).toMatchObject({
		data: [],
		matches: [
			{
				...{ kind: "transaction", chain: "ethereum", transactionHash, blockNumber, events: 1 },
				...{ isReverted: false, explorerUrl: `https://etherscan.io/tx/${transactionHash}` },
			},
		],
		// That Base has it not is not known.
		unknown: [{ what: "transaction", chain: "base", reason: "no_answer" }],
	});
	expect(searched).toEqual([]);
});

test("an ENS name is the account that it names; what is not known is said so", async () => {
	fixture.lookUps.name = async (name) =>
		name === "tidal.eth"
			? { kind: "found", address: PERSON }
			: { kind: "unknown", reason: "off_chain" };
	const found = await search("Tidal.eth");
	expect(found.body.matches).toMatchObject([
		{ kind: "account", address: PERSON, ensName: "tidal.eth" },
	]);
	const other = await search("user.cb.eth");
	expect(other.body).toMatchObject({
		matches: [],
		unknown: [{ what: "name", chain: "ethereum", reason: "off_chain" }],
	});
	expect(searched).toEqual([]);
});
