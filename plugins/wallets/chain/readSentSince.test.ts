import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import {
	readSentSince,
	SENT_BLOCKS_MAX,
	SENT_SCAN_MAX,
} from "#plugins/wallets/chain/readSentSince.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/execution/prepareIntent.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a search of what an account sent is bounded, goes on where it was cut short, and
// believes no node that contradicts itself.

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
/** What the plan says, as its wallet sends it; each at a price of its own. */
function send(intent: Intent, nonce = 0): Hex {
	const { from, to, valueRaw, data } = intent.plan ?? {};
	if (!from || !to || valueRaw === undefined || !data) throw new Error("no plan");
	fee *= 2n;
	return lab.chain.send({ from, to, valueRaw, data, nonce, feeRaw: fee });
}
function mine(blocks = 4): void {
	for (let block = 0; block < blocks; block++) lab.chain.mine();
}
async function ticks(times: number, ms: number): Promise<void> {
	for (let turn = 0; turn < times; turn++) await lab.tick(ms);
}

describe("a search", () => {
	test("a search of a busy wallet resumes where it stopped, and ends no intent before it is done", async () => {
		const intent = await ask();
		const count = 3 * SENT_BLOCKS_MAX;
		const from = by.wallet.address;
		for (let nonce = 0; nonce < count; nonce++) {
			lab.chain.send({ from, to: SHOP, nonce, valueRaw: 1n, data: "0x" });
			mine(1);
		}
		const sent = send(intent, count);
		mine();
		await lab.tick(QUESTION_LIFETIME_MS);
		await ticks(2, 10_000);
		expect((await read(intent)).status).toBe("signature_required");
		await ticks(4, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a search at a node without old state reads blocks, a part in each turn", async () => {
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

	test("a search believes no block that hides a transaction which the account's counts show", async () => {
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

	test("a search asks for its second opinion beside the endpoint that answered first", async () => {
		const { batch } = lab.chain.rpc;
		const beside: string[][] = [];
		lab.chain.rpc.batch = async (calls, options) => {
			if (options?.second) beside.push([...(options.heard ?? [])]);
			else options?.heard?.add("first");
			return await batch(calls, options);
		};
		const { signal } = new AbortController();
		mine();
		await readSentSince(lab.chain.rpc, { address: by.wallet.address, fromBlock: 1, signal });
		expect(beside).toEqual([["first"]]);
	});
});
