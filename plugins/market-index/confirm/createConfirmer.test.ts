import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Tx } from "#core/db/Database.ts";
import { createApplier } from "#plugins/market-index/apply/createApplier.ts";
import {
	createMergeLab,
	HEAD_BLOCK,
	timeOf,
} from "#plugins/market-index/merge/testing/mergeLab.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import { contractOf, ethereum, saleOf } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// What looking for the provider's words costs a lane, counted in statements.

let database: TestDatabase;
let lab: ReturnType<typeof createMergeLab>;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createMergeLab(database.db);
});
afterAll(() => database.drop());
beforeEach(() => lab.clear());

const CATS = contractOf(0x91);
const at = (blockNumber: number) => ({
	blockNumber,
	occurredAtMs: timeOf(blockNumber),
	tokenId: BigInt(blockNumber),
	transactionHash: `0x${blockNumber.toString(16).padStart(64, "e")}` as const,
});
const sale = (block: number) => saleOf(CATS, at(HEAD_BLOCK - block));

/** A lane that notes the statements of each of its batches. */
function countingLane(hasProvider: boolean) {
	const apply = createApplier({ ...lab.options, hasProvider });
	return async (block: number) => {
		const statements: string[] = [];
		await database.db.transaction(async (tx) => {
			const counted: Tx = {
				...tx,
				query: (text, values) => {
					statements.push(text);
					return tx.query(text, values);
				},
				execute: (text, values) => {
					statements.push(text);
					return tx.execute(text, values);
				},
			};
			await apply(counted, { chainId: ethereum.id, live: true, events: [sale(block)] });
		});
		const looks = statements.filter((text) => text.includes("market_index.unconfirmed"));
		return { all: statements.length, looks: looks.length };
	};
}

test("without a provider a lane looks once for what one may have told before, and then never", async () => {
	const lane = countingLane(false);
	const first = await lane(9);
	const second = await lane(8);
	const third = await lane(7);
	expect([first.looks, second.looks, third.looks]).toEqual([1, 0, 0]);
	expect(third.all).toBe(second.all);
});

test("with a provider it is one statement more a batch, while nothing is unconfirmed", async () => {
	const [without, lane] = [countingLane(false), countingLane(true)];
	await without(9);
	const plain = await without(8);
	await lane(7);
	const looking = await lane(6);
	expect(looking.looks).toBe(1);
	expect(looking.all).toBe(plain.all + 1);
});

test("[ING-15] a provider that was switched off leaves nothing to be counted twice", async () => {
	const cats = await lab.register(CATS);
	await lab.merge(cats, [told(sale(6)), told(sale(5))]);
	const lane = countingLane(false);
	await lane(7);
	await lane(6);
	await lane(5);
	const rows = await lab.rows();
	expect(rows.map(({ verified }) => verified)).toEqual([true, true, true]);
	expect((await lane(4)).looks).toBe(1);
	expect((await lane(3)).looks).toBe(0);
});
