import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createDiscoveryLab } from "#plugins/market-index/discovery/testing/discoveryLab.ts";
import {
	base,
	contractOf,
	ETH,
	ethereum,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: ReturnType<typeof createDiscoveryLab>;

beforeAll(async () => {
	database = await createTestDatabase();
	lab = createDiscoveryLab(database.db);
	const names = ["Tidal Cats", "Cats of Paris", "Paper Cats", "Dogs", "Überkatzen 猫"];
	for (const [index, name] of names.entries()) {
		const contract = contractOf(10 + index);
		const chain = index === 2 ? base : ethereum;
		await lab.fixture.seed(chain, [saleOf(contract, { totalRaw: BigInt(index + 1) * ETH })]);
		await database.db.execute(
			"update market_index.collection set name = $2, slug = $3 where address = $1",
			[Buffer.from(contract.slice(2), "hex"), name, name.toLowerCase().replace(/[^a-z]+/g, "-")],
		);
	}
});
afterAll(() => database.drop());
beforeEach(() => {
	lab = createDiscoveryLab(database.db);
});

const found = async (query: string) => {
	const { status, body } = await lab.ask(`/search?${query}`);
	expect(status).toBe(200);
	return body.data.map(({ slug }: { slug: string }) => slug);
};

test("[API-14] words match the beginnings of words, by volume; the slug itself comes first", async () => {
	expect(await found("q=cat")).toEqual(["paper-cats", "cats-of-paris", "tidal-cats"]);
	expect(await found("q=cat%20PAR")).toEqual(["cats-of-paris"]);
	expect(await found("q=tidal-cats")).toEqual(["tidal-cats"]);
	expect(await found("q=%E7%8C%AB")).toHaveLength(1);
	expect(await found(`q=${contractOf(13).toUpperCase().replace("0X", "0x")}`)).toEqual(["dogs"]);
	expect(await found("q=at")).toEqual([]);
	await database.db.execute(
		"update market_index.collection set slug = 'cats' where slug = 'tidal-cats'",
	);
	lab.pass(1_000);
	expect((await found("q=cats"))[0]).toBe("cats");
	await database.db.execute(
		"update market_index.collection set slug = 'tidal-cats' where slug = 'cats'",
	);
});

test("[API-14] one chain only where it is named, and pages give each hit once", async () => {
	expect(await found("q=cat&chain=ethereum")).toEqual(["cats-of-paris", "tidal-cats"]);
	const walked: string[] = [];
	let cursor = "";
	do {
		const { body } = await lab.ask(`/search?q=cat&limit=1${cursor}`);
		walked.push(...body.data.map(({ slug }: { slug: string }) => slug));
		cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
	} while (cursor !== "");
	expect(walked).toEqual(["paper-cats", "cats-of-paris", "tidal-cats"]);
});

test("[API-14] [MRG-06] a hit of the provider's is ours where we hold its slug; else its chain is unknown", async () => {
	await database.db.execute(
		`insert into market_index.sync (collection_id, chain_id, provider_slug)
		select id, chain_id, 'their-dogs' from market_index.collection where slug = 'dogs'`,
	);
	const hit = (slug: string, isDisabled = false) => ({
		slug,
		name: slug,
		imageUrl: null,
		isDisabled,
	});
	lab.fake.answers.search = async () => [hit("their-dogs"), hit("stranger"), hit("gone", true)];
	const { body } = await lab.ask("/search?q=zzz");
	expect(body.data).toMatchObject([
		{ slug: "dogs", chain: "ethereum", source: "svc_index", floorNative: null },
		{ slug: "stranger", chain: null, contractAddress: null, source: "provider" },
	]);
	expect(await found("q=zzz&chain=ethereum")).toEqual(["dogs"]);
	expect(lab.fake.callsOf("search").map(({ purpose }) => purpose)).toEqual(["search", "search"]);
	expect(lab.discovered.length).toBeGreaterThan(0);
	await database.db.execute("truncate market_index.sync");
});

test("[API-14] what our own rows answer asks the provider for nothing, letter by letter", async () => {
	lab.fake.answers.search = async () => [];
	for (let length = 1; length <= "tidal cats".length; length++) {
		expect(await found(`q=${encodeURIComponent("tidal cats".slice(0, length))}`)).not.toEqual([]);
	}
	expect(lab.fake.callsOf("search")).toHaveLength(0);
	const unknown = Array.from({ length: 30 }, () => found("q=nobody%20has%20this"));
	expect(await Promise.all(unknown)).toEqual(unknown.map(() => []));
	expect(await found("q=Nobody%20has%20THIS")).toEqual([]);
	expect(lab.fake.callsOf("search")).toHaveLength(1);
});

test("[API-14] a provider that is away costs its hits only", async () => {
	for (const fault of [lab.fake.faults.rateLimited(), lab.fake.faults.unreadable()]) {
		lab.fake.fail("search", fault);
		expect(await found("q=dogs")).toEqual(["dogs"]);
	}
});

test("what is no word finds nothing and breaks nothing; what is no query is refused", async () => {
	for (const q of ["'", "%26%26", ":*", "%21%21%21", "%F0%9F%90%88", "%25", "a%27b", "%5C"]) {
		const { status } = await lab.ask(`/search?q=${q}`);
		expect({ q, status }).toEqual({ q, status: 200 });
	}
	for (const q of ["", "q=", "q=%20%20", `q=${"a".repeat(129)}`, "q=a%00b"]) {
		const { status, body } = await lab.ask(`/search?${q}`);
		expect({ q, status, code: body.code }).toEqual({ q, status: 422, code: "validation_error" });
	}
	expect((await lab.ask("/search?q=cat&cursor=abc")).status).toBe(422);
});
