import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { contractDocumentTask } from "#plugins/market-index/jobs/contractDocumentTask.ts";
import type { DocumentOutcome } from "#plugins/market-index/metadata/tokenUri/createDocumentReader.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
	mintOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("[IDX-12] what a contract points to gives the collection its name, image and description", async () => {
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

test("it only fills what nobody else has told", async () => {
	await database.db.query(
		"update market_index.collection set name = 'Own', slug = 'own', image_url = 'x' where address = $1",
		[Buffer.from(contract.slice(2), "hex")],
	);
	outcome = document;
	await run();
	expect(await read()).toEqual({ slug: "own", name: "Own", description: "Told.", image: "x" });
});

test("a server that does not answer is asked again, one that has nothing is not", async () => {
	outcome = { kind: "failed", code: "http_503", isUnreachable: true };
	await expect(run()).rejects.toThrow("document_unreachable: http_503");
	outcome = { kind: "failed", code: "http_404", isUnreachable: false };
	await run();
	expect(await read()).toEqual({ slug: contract, name: null, description: null, image: null });
});

test("a collection that is gone by then is no mistake", async () => {
	outcome = document;
	await run(2_000_000_000);
});
