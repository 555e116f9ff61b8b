import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CATS = contractOf(0xca75);

let database: TestDatabase;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, [saleOf(CATS)]);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

async function expectRefused(path: string, issue: string) {
	const { status, body } = await ask(path);
	expect({ path, status, code: body.code, at: body.issues?.[0]?.path }).toEqual({
		path,
		status: 422,
		code: "validation_error",
		at: issue,
	});
}

test("[API-13] an invalid token id, contract or chain is refused by its name", async () => {
	for (const tokenId of ["-1", "01", "1.5", "1e3", "0x1", "abc", "%20", "１", "9".repeat(78)]) {
		await expectRefused(`/assets/ethereum/${CATS}/${tokenId}`, "tokenId");
	}
	for (const contract of ["0x123", "cats", `${CATS}00`, CATS.replace("0x", "0X"), "%00"]) {
		await expectRefused(`/assets/ethereum/${contract}/1`, "contract");
	}
	for (const chain of ["solana", "zora", "9999", "%20"]) {
		await expectRefused(`/assets/${chain}/${CATS}/1`, "chain");
	}
	const { body } = await ask(`/assets/nope/${CATS}/1`);
	expect(body.detail).toBe(
		'The chain is not valid: There is no chain "nope". Indexed chains: ethereum, base, polygon.',
	);
});

test("[API-20] another list's cursor, and an invalid name, are refused", async () => {
	for (const cursor of ["abc", "MS4x", "x".repeat(300), "x".repeat(5_000)]) {
		await expectRefused(`/collections/${CATS}/traits?cursor=${cursor}`, "cursor");
	}
	await expectRefused(`/collections/${CATS}/traits?type=a%00b`, "type");
	await expectRefused(`/collections/${CATS}/traits?limit=201`, "limit");
	await expectRefused(`/collections/${CATS}/traits?chain=solana`, "chain");
});
