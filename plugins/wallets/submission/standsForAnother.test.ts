import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { standsForAnother } from "#plugins/wallets/submission/submission.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a hash stands for one intent of its sender on its chain, and of nobody else's.

const HASH = `0x${"ab".repeat(32)}` as const;
const CHAIN_ID = 31_337;
let database: TestDatabase;
let lab: Lab;
let own: string;
let second: string;
let strangers: string;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	const [anna, bert] = [await lab.person(), await lab.person()];
	for (const by of [anna, anna, bert]) await lab.pay(by);
	[own = "", second = "", strangers = ""] = lab.handed.map(({ referenceId }) => referenceId);
	await lab.db.execute("update wallets.submission set transaction_hash = null");
});

const give = (id: string, more = "") =>
	lab.db.execute(`update wallets.submission set transaction_hash = $2 ${more} where id = $1`, [
		id,
		Buffer.from(HASH.slice(2), "hex"),
	]);
const isTaken = (submissionId: string, chainId = CHAIN_ID) =>
	lab.db.transaction((tx) =>
		standsForAnother(tx, { submissionId, chainId, transactionHash: HASH }),
	);

test("[TRD-08] an unused hash is free, and so is the intent's own", async () => {
	expect(await isTaken(own)).toBe(false);
	await give(own);
	expect(await isTaken(own)).toBe(false);
});

test("[TRD-08] the hash of one intent of a wallet cannot be used for a second one", async () => {
	await give(second);
	expect(await isTaken(own)).toBe(true);
	// Also once it is over: what it paid for was paid for.
	await give(second, ", state = 'mined', final_at = now()");
	expect(await isTaken(own)).toBe(true);
});

test("[TRD-08] a hash that a stranger reported, or on another chain, stays free", async () => {
	await give(strangers);
	expect(await isTaken(own)).toBe(false);
	await give(second, ", chain_id = 1");
	expect(await isTaken(own)).toBe(false);
	expect(await isTaken(own, 1)).toBe(true);
});
