import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import { NAMES_ASKED_MAX } from "#core/plugin/Tool.ts";
import { collectionNames, createResolver } from "#plugins/market-index/agent/resolveCollection.ts";
import type { ResolveCollection } from "#plugins/market-index/model.ts";
import { createSearcher } from "#plugins/market-index/search/createSearcher.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	polygon,
} from "#plugins/market-index/testing/marketFixture.ts";
import { knownNames, lookalikes } from "#test/agent/lookalikeNames.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("collectionNames", () => {
	// Guarantee: the index says which groups of words are names of its collections.

	let database: TestDatabase;
	let find: (...groups: string[]) => Promise<string[]>;

	beforeAll(async () => {
		database = await createTestDatabase();
		const { core } = createMarketFixture(database.db);
		const book = collectionNames(core);
		find = async (...groups) => [...(await book.find(groups)).keys()].toSorted();
		await add(base, "bad-idea-club", { name: "Bad Idea Club" });
		const renamed = await add(base, "salt-signal", { name: "Salt & Signal" });
		await add(base, "hidden", { name: "Hidden Things", excluded: true });
		await add({ ...base, id: 424_242 }, "slug-elsewhere", { name: "Elsewhere" });
		await database.db.execute(
			"insert into market_index.former_slug (chain_id, slug, collection_id) values ($1, 'old-salt', $2)",
			[base.id, renamed],
		);
		await database.db.execute(
			`insert into market_index.sync (collection_id, chain_id, provider_slug) values ($1, $2, 'saltsignal')`,
			[renamed, base.id],
		);
	});
	afterAll(() => database?.drop());

	let count = 0;
	async function add(
		chain: Chain,
		slug: string,
		{ name, excluded = false }: { name: string; excluded?: boolean },
	): Promise<number> {
		count += 1;
		const rows = await database.db.query<{ id: number }>(
			`insert into market_index.collection (chain_id, address, slug, standard, name, excluded)
		values ($1, $2, $3, 'erc721', $4, $5) returning id`,
			[chain.id, Buffer.from(contractOf(count).slice(2), "hex"), slug, name, excluded],
		);
		return rows[0]?.id ?? -1;
	}

	test("collections are found by name in any case, slug, former slug and the provider's slug", async () => {
		expect(await find("bad idea club", "idea club", "salt & signal", "floor")).toEqual([
			"bad idea club",
			"salt & signal",
		]);
		expect(await find("salt signal", "salt-signal", "old salt", "saltsignal")).toEqual([
			"old salt",
			"salt signal",
			"salt-signal",
			"saltsignal",
		]);
	});

	test("names of excluded collections, and slugs on chains that are not indexed, are unknown", async () => {
		expect(await find("hidden things", "hidden", "slug-elsewhere")).toEqual([]);
	});

	test("typed text never becomes SQL, and the maximum number of names is answered", async () => {
		const groups = Array.from(
			{ length: NAMES_ASKED_MAX - 2 },
			(_, n) => `'; drop table x -- ${n} %_\\`,
		);
		expect(await find(...groups, "bad idea club", "\u0130")).toEqual(["bad idea club"]);
		expect(await find()).toEqual([]);
	});
});

describe("resolveCollection", () => {
	// Guarantee: what somebody calls a collection means one collection, or is a question whose every
	// choice means one; it is never picked for them.

	let database: TestDatabase;
	let fixture: Fixture;
	let resolve: ResolveCollection;

	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());
	beforeEach(async () => {
		await database.db.execute(
			"truncate market_index.collection, market_index.sync, market_index.former_slug",
		);
		fixture = createMarketFixture(database.db);
		resolve = createResolver({ core: fixture.core, search: createSearcher(fixture) });
	});

	async function add(
		chain: Chain,
		address: Address,
		given: {
			slug?: string;
			name?: string;
			/** In ETH. */
			volume?: number;
			excluded?: boolean;
			safelist?: string;
		} = {},
	): Promise<number> {
		const { slug = address, name = null, volume = 0, excluded = false } = given;
		const { safelist = null } = given;
		const rows = await database.db.query<{ id: number }>(
			`insert into market_index.collection
			(chain_id, address, slug, standard, name, volume_native, excluded, safelist_status)
		values ($1, $2, $3, 'erc721', $4, $5::numeric * 1e18, $6, $7) returning id`,
			[chain.id, Buffer.from(address.slice(2), "hex"), slug, name, volume, excluded, safelist],
		);
		return rows[0]?.id ?? -1;
	}

	async function idOf(text: string, chain?: string): Promise<number> {
		const resolved = await resolve(text, chain);
		if (resolved.kind === "choose") throw new Error(resolved.question);
		return resolved.found.id;
	}

	async function questionOf(text: string, chain?: string) {
		const resolved = await resolve(text, chain);
		if (resolved.kind === "found") throw new Error(`${text} is ${resolved.found.slug}`);
		return resolved;
	}

	const ONE = contractOf(0x111);
	const TWO = contractOf(0x222);
	const THREE = contractOf(0x333);

	test("slug, former slug, address, whole name and the provider's name find their collection", async () => {
		const kiln = await add(ethereum, ONE, { slug: "kiln-folk", name: "The Kiln Folk" });
		await add(ethereum, TWO, { slug: "tidal-cats", name: "Tidal Cats" });
		await database.db.execute(
			"insert into market_index.former_slug (chain_id, slug, collection_id) values (1, 'old-kiln', $1)",
			[kiln],
		);
		await database.db.execute(
			"insert into market_index.sync (collection_id, chain_id, provider_slug) values ($1, 1, 'klnflk')",
			[kiln],
		);
		const words = [
			"kiln-folk",
			"KILN-FOLK",
			"old-kiln",
			ONE,
			ONE.toUpperCase().replace("0X", "0x"),
		];
		for (const text of [...words, "the kiln FOLK", " The Kiln Folk ", "klnflk"]) {
			expect([text, await idOf(text)]).toEqual([text, kiln]);
			expect([text, await idOf(text, "eth")]).toEqual([text, kiln]);
		}
	});

	test("an unknown name is not found, on any chain or on the given one", async () => {
		await add(ethereum, ONE, { slug: "kiln-folk", name: "Kiln Folk" });
		await add(ethereum, TWO, { slug: "gone", name: "Gone", excluded: true });
		for (const [text, chain] of [
			["zzz"],
			["gone"],
			["kiln-folk", "base"],
			["'; --"],
			["!!!"],
		] as const) {
			const where = chain === undefined ? "" : ` on ${chain}`;
			await expect(resolve(text, chain)).rejects.toMatchObject({
				code: "not_found",
				status: 404,
				publicDetail: `There is no collection "${text}"${where}.`,
			});
		}
		await expect(resolve("kiln-folk", "nowhere")).rejects.toMatchObject({
			code: "validation_error",
		});
	});

	test("a collection that only the provider knows is not found", async () => {
		const hit = { slug: "kiln-folk", name: "Kiln Folk", imageUrl: null, isDisabled: false };
		fixture.lists.search = async () => [hit];
		await expect(resolve("kiln", undefined)).rejects.toMatchObject({ code: "not_found" });
	});

	test("a single match that the provider finds by other words is asked back, not used", async () => {
		const kiln = await add(ethereum, ONE, { slug: "kiln-folk", name: "Kiln Folk" });
		await database.db.execute(
			"insert into market_index.sync (collection_id, chain_id, provider_slug) values ($1, 1, 'klnflk')",
			[kiln],
		);
		const hit = (slug: string) => ({ slug, name: slug, imageUrl: null, isDisabled: false });
		fixture.lists.search = async () => [hit("stranger"), hit("klnflk")];
		for (const chain of [undefined, "ethereum"]) {
			const { slot, choices } = await questionOf("kf", chain);
			expect([slot, choices.map(({ value }) => value)]).toEqual(["collection", ["kiln-folk"]]);
		}
	});

	test("a slug on several chains asks for the chain, and the answer selects one", async () => {
		const ids = new Map<string, number>();
		for (const [chain, address] of [
			[ethereum, ONE],
			[base, TWO],
		] as const) {
			ids.set(chain.slug, await add(chain, address, { slug: "kiln-folk", name: "Kiln Folk" }));
		}
		const question = await questionOf("kiln-folk");
		expect(question).toEqual({
			kind: "choose",
			question: '"kiln-folk" is a collection on several chains. Which one?',
			slot: "chain",
			choices: [
				{ value: "ethereum", label: "Kiln Folk (ethereum, volume 0 ETH, not verified)" },
				{ value: "base", label: "Kiln Folk (base, volume 0 ETH, not verified)" },
			],
		});
		for (const { value } of question.choices)
			expect(await idOf("kiln-folk", value)).toBe(ids.get(value) ?? 0);
	});

	test("an address on several chains asks which chain", async () => {
		const [first, second] = [await add(ethereum, ONE), await add(polygon, ONE)];
		const { slot, choices } = await questionOf(ONE);
		expect([slot, choices.map(({ value }) => value)]).toEqual(["chain", ["ethereum", "polygon"]]);
		expect(await idOf(ONE, "ethereum")).toBe(first);
		expect(await idOf(ONE, "polygon")).toBe(second);
	});

	test("a name of several contracts asks for one, the most traded first, and each choice selects one", async () => {
		const ids = [
			await add(ethereum, ONE, { slug: "kiln-folk", name: "Kiln Folk", volume: 9 }),
			await add(ethereum, TWO, { name: "KILN FOLK", volume: 2 }),
			await add(base, THREE, { slug: "kiln folk!", name: "kiln folk", volume: 1 }),
		];
		const { question, slot, choices } = await questionOf("Kiln Folk");
		expect({ question, slot }).toEqual({
			question: 'Which "Kiln Folk" do you mean?',
			slot: "collection",
		});
		// A slug that is not plain words would not come back as it is.
		expect(choices).toEqual([
			{
				value: "kiln-folk",
				label: "Kiln Folk (kiln-folk on ethereum, volume 9 ETH, not verified)",
			},
			{ value: TWO, label: `KILN FOLK (${TWO} on ethereum, volume 2 ETH, not verified)` },
			{ value: THREE, label: `kiln folk (${THREE} on base, volume 1 ETH, not verified)` },
		]);
		for (const [at, { value }] of choices.entries()) expect(await idOf(value)).toBe(ids[at] ?? 0);
		expect((await questionOf("Kiln Folk", "ethereum")).choices.map(({ value }) => value)).toEqual([
			"kiln-folk",
			TWO,
		]);
		expect(await idOf("Kiln Folk", "base")).toBe(ids[2] ?? 0);
	});

	test("a name whose address is on several chains asks for the chain first", async () => {
		const ids = [
			await add(ethereum, ONE, { name: "Kiln Folk" }),
			await add(base, ONE, { name: "Kiln Folk" }),
			await add(base, TWO, { name: "Kiln Folk" }),
		];
		const first = await questionOf("kiln folk");
		expect([first.slot, first.choices.map(({ value }) => value)]).toEqual([
			"chain",
			["ethereum", "base"],
		]);
		expect(await idOf("kiln folk", "ethereum")).toBe(ids[0] ?? 0);
		const second = await questionOf("kiln folk", "base");
		expect(second.slot).toBe("collection");
		const found = await Promise.all(second.choices.map(({ value }) => idOf(value, "base")));
		expect(found).toEqual(ids.slice(1));
	});

	test("words that several names share give a question with at most five choices", async () => {
		for (let number = 1; number <= 7; number++) {
			const slug = `kiln-${number}`;
			await add(ethereum, contractOf(0x500 + number), {
				slug,
				name: `Kiln ${number} Club`,
				volume: number,
			});
		}
		const { slot, choices } = await questionOf("kiln club");
		expect(slot).toBe("collection");
		const expected = ["kiln-7", "kiln-6", "kiln-5", "kiln-4", "kiln-3"];
		expect(choices.map(({ value }) => value)).toEqual(expected);
		expect((await questionOf("kiln 4 cl")).choices.map(({ value }) => value)).toEqual(["kiln-4"]);
	});

	test("a part of a name, its plural or singular and a longer name are asked back, also with one match", async () => {
		const kiln = await add(ethereum, ONE, { slug: "kiln-folk", name: "The Kiln Folk" });
		await add(ethereum, TWO, { slug: "azuki-x", name: "Azuki" });
		for (const [text, slug] of [
			["kiln", "kiln-folk"],
			["folk kil", "kiln-folk"],
			["azukis", "azuki-x"],
			["azuki elementals", "azuki-x"],
			["baby azuki", "azuki-x"],
			["azuki 2", "azuki-x"],
		] as const) {
			const { slot, choices } = await questionOf(text);
			expect([text, slot, choices.map(({ value }) => value)]).toEqual([text, "collection", [slug]]);
		}
		expect(await idOf("kiln folk")).toBe(kiln);
	});

	test.each([
		["kilnfolk", "kiln-folk"],
		["Kiln-Folk!", "kiln-folk"],
		["the kilnfolk", "kiln-folk"],
		["kilnfolkk", "kiln-folk"],
		["kiln flok", "kiln-folk"],
		["sigal pidgeons", "signal-pigeons"],
		["singal pigeons", "signal-pigeons"],
		["signalpigeon", "signal-pigeons"],
		["salt signl", "salt-and-signal"],
	])(
		"a joined or misspelled name is asked back, with the known facts of each: %s",
		async (text, slug) => {
			await add(ethereum, ONE, { slug: "kiln-folk", name: "The Kiln Folk", safelist: "verified" });
			await add(ethereum, TWO, { slug: "signal-pigeons", name: "Signal Pigeons", volume: 3 });
			await add(base, THREE, { slug: "salt-and-signal", name: "Salt & Signal" });
			const { slot, choices } = await questionOf(text);
			expect([slot, choices.map(({ value }) => value)]).toEqual(["collection", [slug]]);
			for (const { value } of choices) await idOf(value);
		},
	);

	test("a collection that the provider verified comes first, even if another has more volume", async () => {
		const fakes = Array.from({ length: 6 }, (_, n) =>
			add(ethereum, contractOf(0x700 + n), { name: "Kiln Folk", volume: 100 + n }),
		);
		await Promise.all(fakes);
		await add(base, ONE, { slug: "kiln", name: "Kiln Folk", volume: 1, safelist: "verified" });
		await add(base, TWO, {
			slug: "kiln-two",
			name: "Kiln Folk",
			volume: 900,
			safelist: "approved",
		});
		const { choices } = await questionOf("kiln folk");
		expect(choices.slice(0, 2).map(({ label }) => label)).toEqual([
			"Kiln Folk (kiln on base, volume 1 ETH, verified)",
			"Kiln Folk (kiln-two on base, volume 900 ETH, not verified)",
		]);
	});

	test("a name of one collection that is another's slug is asked back with both", async () => {
		await add(ethereum, ONE, { slug: "kiln-folk", name: "The Kiln Folk" });
		await add(base, TWO, { slug: "copy", name: "Kiln Folk" });
		const { choices } = await questionOf("kiln folk");
		expect(choices.map(({ value }) => value).toSorted()).toEqual(["copy", "kiln-folk"]);
	});

	test("a look-alike name never finds the collection that it resembles", async () => {
		for (const [n, name] of knownNames.entries()) {
			await add(ethereum, contractOf(0x600 + n), { slug: name.replaceAll(" ", "-"), name });
		}
		const picked: string[] = [];
		for (const [typed] of lookalikes) {
			if (knownNames.includes(typed)) continue;
			const resolved = await resolve(typed, undefined).catch(() => null);
			if (resolved?.kind === "found") picked.push(`${typed} => ${resolved.found.slug}`);
		}
		expect(picked).toEqual([]);
	});

	test("a contract named like another's slug is not found by that slug", async () => {
		const kiln = await add(ethereum, ONE, { slug: "kiln-folk", name: "Kiln Folk" });
		await add(ethereum, TWO, { name: "kiln-folk", volume: 100 });
		await add(ethereum, THREE, { name: ONE, volume: 100 });
		expect(await idOf("kiln-folk")).toBe(kiln);
		expect(await idOf(ONE)).toBe(kiln);
	});

	test("an unknown name is tried again without its article or `collection`", async () => {
		const azuki = await add(ethereum, ONE, { slug: "azuki-x", name: "Azuki" });
		const potatoz = await add(ethereum, TWO, { slug: "potatoz-x", name: "The Potatoz" });
		for (const text of ["the azuki", "an Azuki", "azuki collection", "the azuki nfts"]) {
			expect([text, await idOf(text)]).toEqual([text, azuki]);
		}
		for (const text of ["the potatoz", "the potatoz collection"]) {
			expect([text, await idOf(text)]).toEqual([text, potatoz]);
		}
		for (const text of ["collection", "the nfts", "a collection", "zorks"]) {
			await expect(resolve(text, undefined)).rejects.toMatchObject({ code: "not_found" });
		}
	});

	test("a name as typed takes precedence over the same name without article or plural", async () => {
		const plain = await add(ethereum, ONE, { name: "Bears", volume: 100 });
		const whole = await add(ethereum, TWO, { name: "The Bears" });
		const club = await add(ethereum, THREE, { name: "Bears Collection" });
		expect(await idOf("the bears")).toBe(whole);
		expect(await idOf("bears collection")).toBe(club);
		expect(await idOf("bears")).toBe(plain);
	});

	test("several matches of a shortened name are asked back too", async () => {
		await add(ethereum, ONE, { slug: "azuki-one", name: "Azuki", volume: 2 });
		await add(base, TWO, { slug: "azuki-two", name: "azuki", volume: 1 });
		for (const text of ["the azuki", "azukis", "azuki nft"]) {
			const { slot, choices } = await questionOf(text);
			const expected = ["collection", ["azuki-one", "azuki-two"]];
			expect([slot, choices.map(({ value }) => value)]).toEqual(expected);
		}
	});
});
