import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { RECONCILES_AT_ONCE, STRANDED_MAX } from "#plugins/wallets/reconcile/looks.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { type Lie, lyingEndpoint } from "#plugins/wallets/testing/lyingEndpoint.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: however long a chain could not be read, within five seconds of its recovery all that
// is mined on it is settled, and what waits in a queue is handed over.

const OUTAGE_MS = 30 * 60_000;
/** In `test` a third of the turns: what waits for so long is looked at as rarely. */
const TURN_EVERY_MS = process.env["PROVE"] === "1" ? 60_000 : 3 * 60_000;
const RESUMED_WITHIN_SECONDS = 5;
const WALLETS = 2 * RECONCILES_AT_ONCE + 4;
let database: TestDatabase;
let lab: Lab;
let lie: Lie | null;
let questions: number;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	lie = null;
	questions = 0;
	const lying = lyingEndpoint(lab.chain.rpc, () => lie);
	const counted: typeof lying = {
		...lying,
		settle(calls, options) {
			questions += calls.length;
			return lying.settle(calls, options);
		},
	};
	lab.deps.rpcOf = () => counted;
});

async function payAll(): Promise<Intent[]> {
	const intents: Intent[] = [];
	for (let n = 0; n < WALLETS; n++) intents.push(...(await lab.pay(await lab.person())));
	return intents;
}

/** Time passes for which looks fail. */
async function sitOut(): Promise<void> {
	for (let passedMs = 0; passedMs < OUTAGE_MS; passedMs += TURN_EVERY_MS) {
		await lab.tick(TURN_EVERY_MS);
	}
	// What was looked at just now waits for longest.
	await lab.tick(1_000);
}

async function expectAllConfirmed(intents: readonly Intent[]): Promise<void> {
	for (let second = 0; second < RESUMED_WITHIN_SECONDS; second++) await lab.tick(1_000);
	const states = await Promise.all(intents.map(async ({ id }) => (await lab.intent(id)).status));
	expect(states).toEqual(intents.map(() => "confirmed"));
}

test("all payments resume within five seconds after a silent node answers again", async () => {
	const intents = await payAll();
	lab.chain.mine();
	lab.chain.state.isDown = true;
	await sitOut();
	lab.chain.state.isDown = false;
	await expectAllConfirmed(intents);
});

test("all payments resume within five seconds after a stopped head advances", async () => {
	for (let n = 0; n < 8; n++) lab.chain.mine();
	const intents = await payAll();
	lie = { method: "eth_blockNumber", path: [], value: "0x8" };
	lab.chain.mine();
	await sitOut();
	lie = null;
	await expectAllConfirmed(intents);
});

test("all payments resume after a stopped head advances, while others of its chain still wait", async () => {
	for (let n = 0; n < 8; n++) lab.chain.mine();
	const intents = await payAll();
	lie = { method: "eth_blockNumber", path: [], value: "0x8" };
	lab.chain.mine();
	// The node goes on to answer about these: nothing of theirs is in a block above its head.
	await payAll();
	// No two looks of a turn are of the same moment.
	const { clock } = lab;
	clock.nowMs = () => ++clock.ms;
	await sitOut();
	lie = null;
	await expectAllConfirmed(intents);
});

test("all payments resume within five seconds after a head that was no number", async () => {
	const intents = await payAll();
	lab.chain.mine();
	lie = { method: "eth_blockNumber", path: [], value: "0x20000000000000" };
	await sitOut();
	lie = null;
	await expectAllConfirmed(intents);
});

test("only a few payments are looked up while a chain is unreadable, however many wait", async () => {
	await payAll();
	lab.chain.mine();
	lie = { method: "eth_blockNumber", path: [], value: "0x20000000000000" };
	await sitOut();
	questions = 0;
	for (let second = 0; second < 10; second++) await lab.tick(1_000);
	// Each second turn looks at a few, and those once more by themselves.
	expect(questions).toBeLessThanOrEqual(10 * RECONCILES_AT_ONCE * 8);
	expect(questions).toBeGreaterThan(0);
});

test("a payment that is read again and still waits is not looked up more often than before", async () => {
	const intents = await payAll();
	lab.chain.state.isDown = true;
	await sitOut();
	lab.chain.state.isDown = false;
	for (let second = 0; second < RESUMED_WITHIN_SECONDS; second++) await lab.tick(1_000);
	questions = 0;
	for (let second = 0; second < 10; second++) await lab.tick(1_000);
	expect(questions).toBe(0);
	expect(intents).toHaveLength(WALLETS);
});

/** Of somebody new one is in doubt and found meanwhile, and one waits behind it. */
async function payQueued(): Promise<{ id: string; address: string }> {
	const by = await lab.person();
	lab.moods.push("sends, silent");
	await lab.pay(by, { ether: "0.1" });
	const [waiting] = await lab.pay(by, { ether: "0.1" });
	await lab.db.execute("update wallets.submission set state = 'sent' where state = 'doubtful'");
	return { id: waiting?.id ?? "", address: by.wallet.address };
}

test("a queued payment is handed over within five seconds of its account's recovery", async () => {
	const { id } = await payQueued();
	lab.chain.state.isDown = true;
	for (let second = 0; second < 60; second += 10) await lab.tick(10_000);
	lab.chain.state.isDown = false;
	for (let second = 0; second < RESUMED_WITHIN_SECONDS; second++) await lab.tick(1_000);
	expect((await lab.intent(id)).status).toBe("submitted");
});

test("queues whose account cannot be read do not delay other queues", async () => {
	const silent = new Set<string>();
	for (let n = 0; n < STRANDED_MAX; n++) silent.add((await payQueued()).address);
	lab.clock.ms += 1;
	const { id } = await payQueued();
	const { rpc } = lab.chain;
	lab.deps.rpcOf = () => ({
		...rpc,
		async settle(calls, options) {
			const asked = calls.map(({ params }) => String(params[0]));
			if (asked.some((one) => silent.has(one))) throw rpcFault.transport({ detail: "silent" });
			return rpc.settle(calls, options);
		},
	});
	for (let second = 0; second < RESUMED_WITHIN_SECONDS; second++) await lab.tick(1_000);
	expect((await lab.intent(id)).status).toBe("submitted");
});
