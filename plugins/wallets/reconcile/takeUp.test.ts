import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Rpc, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { INTENT_LIFETIME_MS } from "#plugins/wallets/limits.ts";
import { STRANDED_MAX } from "#plugins/wallets/reconcile/looks.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: nonce queues that cannot go on take nobody's turn, however many there are.

let database: TestDatabase;
let lab: Lab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.control cascade");
	lab = openExecutionLab(database.db);
});

const status = async (id: string) => (await lab.intent(id)).status;
/** A payment of each that waits in its wallet's queue, and could go now. */
async function queued(people: readonly Person[]): Promise<string[]> {
	const payAll = () => Promise.all(people.map((by) => lab.pay(by, { ether: "0.1" })));
	lab.moods.push(...people.map(() => "sends, silent" as const));
	await payAll();
	const waiting = (await payAll()).flat();
	expect(waiting.every((one) => one.status === "submitting")).toBe(true);
	await lab.db.execute("update wallets.submission set state = 'sent' where state = 'doubtful'");
	lab.clock.ms++;
	return waiting.map(({ id }) => id);
}
/** What the node does with questions about the accounts of these wallets. */
function ofThem(people: readonly Person[], act: () => Promise<never>): void {
	const addresses = new Set(people.map(({ wallet }) => wallet.address));
	const { rpc } = lab.chain;
	const { settle } = rpc;
	rpc.settle = (async (calls, options) => {
		const isTheirs = calls.some(({ method, params }) => {
			return method === "eth_getBalance" && addresses.has(String(params[0]) as `0x${string}`);
		});
		return isTheirs ? act() : settle(calls, options);
	}) satisfies Rpc["settle"];
}

test("intents that fail repeatedly come after one that can continue", async () => {
	const broken = await Promise.all(Array.from({ length: STRANDED_MAX }, () => lab.person()));
	await queued(broken);
	const [id = ""] = await queued([await lab.person()]);
	ofThem(broken, async () => {
		throw rpcFault.transport({ detail: "silent" });
	});
	for (let turn = 0; turn < 3; turn++) await lab.tick(2_000);
	expect(await status(id)).toBe("submitted");
});

test("an intent that waits for a node does not prevent others from expiring", async () => {
	const slow = await lab.person();
	await queued([slow]);
	const [asked] = await lab.pay(await lab.person(), { stays: true });
	const id = asked?.id ?? "";
	const silence = Promise.withResolvers<never>();
	let isWaiting = false;
	ofThem([slow], () => {
		isWaiting = true;
		return silence.promise;
	});
	const turn = lab.tick(INTENT_LIFETIME_MS + 1);
	await until(async () => isWaiting && (await status(id)) === "expired", "the intent runs out");
	silence.reject(rpcFault.transport({ detail: "silent" }));
	await turn;
});
