import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import { SENT_BLOCKS_MAX, SENT_SCAN_MAX } from "#plugins/wallets/chain/readSentSince.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/execution/prepareIntent.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { SIGNED_UNSEEN_MS } from "#plugins/wallets/reconcile/looks.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: whatever an owner's wallet tells, late, never or wrongly, its payment is found by what
// it is, and an intent ends without it only where all that the wallet sent was read.

let database: TestDatabase;
let lab: Lab;
let by: Person;
let fee = 100n;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	by = await lab.person({ capability: "external/manual" });
});

async function ask(data: Hex = "0xabcd"): Promise<Intent> {
	const [intent] = await lab.pay(by, { data });
	if (!intent) throw new Error("no intent");
	expect(intent.status).toBe("signature_required");
	return intent;
}
const read = (intent: Intent) => lab.intent(intent.id);
type Change = { valueRaw?: bigint; data?: Hex; to?: Hex };
/** What the plan says, or something else, as its wallet sends it; each at a price of its own. */
function send(intent: Intent, change: Change = {}, nonce = 0): Hex {
	const { from, to, valueRaw, data } = intent.plan ?? {};
	if (!from || !to || valueRaw === undefined || !data) throw new Error("no plan");
	fee *= 2n;
	return lab.chain.send({ from, to, valueRaw, data, ...change, nonce, feeRaw: fee });
}
function cancel(nonce = 0): Hex {
	const from = by.wallet.address;
	fee *= 2n;
	return lab.chain.send({ from, to: from, valueRaw: 0n, data: "0x", nonce, feeRaw: fee });
}
function mine(blocks = 4): void {
	for (let block = 0; block < blocks; block++) lab.chain.mine();
}
/** Its wallet names a hash that no node has ever seen. */
async function tellUnseen(intent: Intent): Promise<Hex> {
	const hash = send(intent);
	lab.chain.forgetPool();
	await lab.execution.signed(intent.id, hash);
	return hash;
}
async function ticks(times: number, ms: number): Promise<void> {
	for (let turn = 0; turn < times; turn++) await lab.tick(ms);
}

describe("what was told and no node has seen", () => {
	test("is settled by the same payment under another hash, in a minute, and says so", async () => {
		const intent = await ask();
		const told = await tellUnseen(intent);
		const sent = send(intent);
		mine(1);
		await ticks(6, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
		const [move] = await lab.db.query<{ detail: string }>(
			"select detail from wallets.intent_move where intent_id = $1 and event = 'mined'",
			[intent.id],
		);
		expect(move?.detail).toContain("sped up");
		expect(move?.detail).toContain(told);
	});

	for (const [code, instead] of [
		["cancelled", () => cancel()],
		["replaced", (intent: Intent) => send(intent, { valueRaw: 1n })],
		["not_sent", () => undefined],
	] as const) {
		test(`ends as ${code} by what its wallet sent instead, after half an hour`, async () => {
			const intent = await ask();
			await tellUnseen(intent);
			instead(intent);
			mine();
			await ticks(6, 60_000);
			expect((await read(intent)).status).toBe("submitted");
			await ticks(3, SIGNED_UNSEEN_MS);
			expect(await read(intent)).toMatchObject({ status: "failed", errorCode: code });
		});
	}

	test("does not end while something of its wallet waits at a node", async () => {
		const intent = await ask();
		await tellUnseen(intent);
		send(intent);
		await ticks(4, SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("submitted");
		mine();
		await ticks(2, SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("confirmed");
	});

	test("is found after it ended as well, for a day", async () => {
		const intent = await ask();
		await tellUnseen(intent);
		await ticks(3, SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("failed");
		const sent = send(intent);
		mine();
		await ticks(2, SIGNED_UNSEEN_MS);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("may be named anew by its owner, also once it ended; what a node has shown may not", async () => {
		const intent = await ask();
		await tellUnseen(intent);
		await ticks(3, SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("failed");
		const sent = send(intent);
		const named = await lab.execution.signed(intent.id, sent);
		expect(named).toMatchObject({ status: "submitted", transactionHash: sent });
		await lab.tick();
		await expect(lab.execution.signed(intent.id, `0x${"9".repeat(64)}`)).rejects.toThrow();
		mine();
		await ticks(2, 60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});
});

describe("what was told wrongly", () => {
	test("as another transaction of the wallet is found as what it is", async () => {
		const intent = await ask();
		const other = send(intent, { to: `0x${"6".repeat(40)}` });
		await lab.execution.signed(intent.id, other);
		const sent = send(intent, {}, 1);
		mine();
		await ticks(3, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("as an older one that is alike is found as what it is", async () => {
		const twin = await ask();
		const old = send(twin);
		mine(20);
		const intent = await ask();
		await lab.execution.signed(intent.id, old);
		const sent = send(intent, {}, 1);
		mine();
		await ticks(6, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("as another one, while the payment waits, does not end it", async () => {
		const intent = await ask();
		const other = send(intent, { to: `0x${"6".repeat(40)}` });
		mine(1);
		await lab.execution.signed(intent.id, other);
		send(intent, {}, 1);
		await ticks(6, 60_000);
		expect((await read(intent)).status).toBe("uncertain");
		mine();
		await ticks(2, 300_000);
		expect((await read(intent)).status).toBe("confirmed");
	});

	test("as the hash of what took its place ends it by that word", async () => {
		const intent = await ask();
		await lab.execution.signed(intent.id, cancel());
		mine();
		await ticks(2, 10_000);
		expect(await read(intent)).toMatchObject({ status: "failed", errorCode: "cancelled" });
	});
});

describe("what was never told", () => {
	test("is found before its intent may expire", async () => {
		const intent = await ask();
		const sent = send(intent);
		mine();
		await ticks(3, QUESTION_LIFETIME_MS);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
		expect(await lab.moves(intent.id)).not.toContain("expire");
	});

	test("keeps its intent open while it waits at a node, or no node can be asked", async () => {
		const intent = await ask();
		const sent = send(intent);
		await ticks(3, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
		mine();
		lab.chain.state.isDown = true;
		await ticks(3, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
		lab.chain.state.isDown = false;
		await ticks(2, 60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("is found where it is sent only after its intent expired, and may still be told", async () => {
		const [found, told] = [await ask("0x01"), await ask("0x02")];
		await ticks(2, QUESTION_LIFETIME_MS);
		expect((await read(found)).status).toBe("expired");
		expect((await read(told)).status).toBe("expired");
		const sent = send(found);
		const second = send(told, {}, 1);
		await lab.execution.signed(told.id, second);
		expect(await read(told)).toMatchObject({ status: "submitted", transactionHash: second });
		mine();
		await ticks(3, SIGNED_UNSEEN_MS);
		expect(await read(found)).toMatchObject({ status: "confirmed", transactionHash: sent });
		expect(await read(told)).toMatchObject({ status: "confirmed", transactionHash: second });
	});

	test("settles one of two that are alike, and never both", async () => {
		const intents = [await ask(), await ask()];
		send(intents[0] as Intent);
		mine();
		await ticks(4, QUESTION_LIFETIME_MS);
		const states = await Promise.all(intents.map(async (one) => (await read(one)).status));
		expect(states.sort()).toEqual(["confirmed", "expired"]);
	});

	test("an older payment that is alike, or another one, settles nothing", async () => {
		const twin = await ask();
		send(twin);
		mine(1);
		const intent = await ask();
		lab.chain.send({ from: by.wallet.address, to: SHOP, nonce: 1, valueRaw: 1n, data: "0x" });
		mine();
		await lab.execution.signed(twin.id, `0x${"8".repeat(64)}`);
		await ticks(2, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("expired");
	});
});

describe("a search", () => {
	test("of a busy wallet goes on where it was cut short, and ends nothing before its end", async () => {
		const intent = await ask();
		const count = 3 * SENT_BLOCKS_MAX;
		const from = by.wallet.address;
		for (let nonce = 0; nonce < count; nonce++) {
			lab.chain.send({ from, to: SHOP, nonce, valueRaw: 1n, data: "0x" });
			mine(1);
		}
		const sent = send(intent, {}, count);
		mine();
		await lab.tick(QUESTION_LIFETIME_MS);
		await ticks(2, 10_000);
		expect((await read(intent)).status).toBe("signature_required");
		await ticks(4, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("of a node without old state reads its blocks, a part in each turn", async () => {
		const intent = await ask();
		mine(2 * SENT_SCAN_MAX);
		const sent = send(intent);
		mine();
		lab.chain.state.oldestState = 2 * SENT_SCAN_MAX + 2;
		await lab.tick(QUESTION_LIFETIME_MS);
		await lab.tick(10_000);
		expect((await read(intent)).status).toBe("signature_required");
		await ticks(4, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("believes no block that hides what the account's counts name", async () => {
		const intent = await ask();
		const sent = send(intent);
		mine();
		const { batch } = lab.chain.rpc;
		lab.chain.rpc.batch = async (calls, options) => {
			const answers = await batch(calls, options);
			return answers.map((one, place) => {
				return calls[place]?.method === "eth_getBlockByNumber"
					? { ...(one as object), transactions: [] }
					: one;
			});
		};
		await ticks(3, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
		lab.chain.rpc.batch = batch;
		await ticks(2, 60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});
});
