import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: what the wallet provider signed and refused is in doubt, holds its spend, and holds up
// nobody: its nonce is used by the next transaction, and that ends it.

const RESERVED = 1_000_000_000;
let database: TestDatabase;
let lab: Lab;
let by: Person;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.control cascade");
	lab = openExecutionLab(database.db);
	by = await lab.person();
});

const status = async (id: string) => (await lab.intent(id)).status;
const nonces = () => lab.handed.map(({ transaction }) => transaction.nonce);
async function pay(mood?: Lab["moods"][number]): Promise<string> {
	if (mood) lab.moods.push(mood);
	return (await lab.pay(by))[0]?.id ?? "";
}
async function bury(): Promise<void> {
	for (let block = 0; block < 4; block++) lab.chain.mine();
	for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
}

test("a refusal without a hash releases the spend, and the next payment uses the nonce", async () => {
	const id = await pay("refuses");
	expect(await status(id)).toBe("failed");
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, release: RESERVED });
	await lab.tick();
	const next = await pay();
	expect(nonces()).toEqual([0, 0]);
	await bury();
	expect([await status(id), await status(next)]).toEqual(["failed", "confirmed"]);
});

test("a refused payment with a hash is uncertain, its spend counted, until its nonce is used", async () => {
	const id = await pay("refuses, signed");
	for (let turn = 0; turn < 3; turn++) await lab.tick();
	expect(await status(id)).toBe("uncertain");
	expect(await lab.ledger(id)).toEqual({
		reserve: RESERVED,
		release: RESERVED,
		unrelease: RESERVED,
	});
	// Nobody waits for it.
	const next = await pay();
	expect(nonces()).toEqual([0, 0]);
	expect(await status(next)).toBe("submitted");
	lab.chain.mine();
	await lab.tick();
	expect([await status(id), await status(next)]).toEqual(["uncertain", "confirmed"]);
	await bury();
	expect([await status(id), await status(next)]).toEqual(["failed", "confirmed"]);
	expect(await lab.ledger(id)).toMatchObject({ reserve: RESERVED, release: 2 * RESERVED });
	expect(await lab.moves(id)).toEqual([...["reserve", "refused", "found", "doubt", "disproved"]]);
});

test("a refused payment is confirmed if a node gets it after all", async () => {
	const id = await pay("refuses, signed");
	await lab.tick();
	expect(await status(id)).toBe("uncertain");
	lab.provider.releaseKept(lab.handed[0]?.referenceId ?? "");
	await bury();
	expect(await status(id)).toBe("confirmed");
	const { spend } = await lab.ledger(id);
	expect(spend).toBe(RESERVED);
});

test("the owner can cancel a payment that the wallet provider refused", async () => {
	const id = await pay("refuses, signed");
	await lab.tick();
	await lab.execution.cancel(id, { actor: "profile:lab", signal: lab.signal });
	expect(nonces()).toEqual([0, 0]);
	await bury();
	expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
});

test("of two equal payments the mined one is confirmed, and the refused one ends", async () => {
	lab.moods.push("refuses, signed");
	const alike = { data: "0x77", ether: "0.2" } as const;
	const [first] = await lab.pay(by, alike);
	await lab.tick();
	const [second] = await lab.pay(by, alike);
	await bury();
	const ends = [await status(first?.id ?? ""), await status(second?.id ?? "")];
	expect(ends.sort()).toEqual(["confirmed", "failed"]);
	expect(lab.chain.minedFrom(by.wallet.address)).toBe(1);
});

test("of two simultaneous payments above the balance the second is not sent", async () => {
	lab.chain.balances.set(by.wallet.address, 10n ** 17n);
	const both = await Promise.all([lab.pay(by, { ether: "0.06" }), lab.pay(by, { ether: "0.06" })]);
	const ends = both.flat().map((one) => [one.status, one.errorCode]);
	expect(ends.sort()).toEqual([
		["rejected", "balance_insufficient"],
		["submitted", null],
	]);
	expect(lab.handed).toHaveLength(1);
	// What is mined is out of the balance, and takes nothing twice.
	lab.chain.mine();
	lab.chain.balances.set(by.wallet.address, 4n * 10n ** 16n);
	const [third] = await lab.pay(by, { ether: "0.03" });
	expect(third?.status).toBe("submitted");
});

test("ten simultaneous payments of one wallet are all sent, each under its own nonce, without a job", async () => {
	const all = await Promise.all(Array.from({ length: 10 }, () => lab.pay(by, { ether: "0.1" })));
	const ids = all.flat().map(({ id }) => id);
	// Whoever is handing over when the others are answered goes on with theirs.
	for (const id of ids) await until(async () => (await status(id)) === "submitted", "all are sent");
	expect(nonces().sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	await bury();
	for (const id of ids) expect(await status(id)).toBe("confirmed");
});

test("a nonce count that a node returns once and then takes back blocks no payment", async () => {
	await pay();
	const { settle } = lab.chain.rpc;
	let lies = 1;
	lab.chain.rpc.settle = async (calls, options) => {
		const outcomes = await settle(calls, options);
		return outcomes.map((outcome, place) => {
			const isCount = calls[place]?.method === "eth_getTransactionCount";
			if (!isCount || calls[place]?.params[1] !== "pending" || lies === 0) return outcome;
			lies--;
			return { kind: "result", result: "0x8" };
		});
	};
	const id = await pay();
	expect(await status(id)).toBe("submitted");
	expect(nonces()).toEqual([0, 1]);
});

test("a provider that once reported a payment as sent is not believed when it denies that later", async () => {
	const first = await pay();
	const { transactionHash } = await lab.intent(first);
	if (!transactionHash) throw new Error("nothing was sent");
	lab.provider.state.liesWith = transactionHash;
	const id = await pay("lies");
	for (let turn = 0; turn < 6; turn++) await lab.tick(600_000);
	expect(await status(id)).toBe("uncertain");
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
	// The wallet provider had kept the payment after all, and sends it now.
	lab.provider.releaseKept(lab.handed[1]?.referenceId ?? "");
	await bury();
	expect(await status(id)).toBe("confirmed");
});
