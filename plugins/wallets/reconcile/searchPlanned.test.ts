import { describe, expect, test } from "bun:test";
import type { Hex } from "#core/chain/Hex.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/limits.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { SIGNED_UNSEEN_MS } from "#plugins/wallets/reconcile/looks.ts";
import { openOwnersWallet } from "#plugins/wallets/testing/openOwnersWallet.ts";
import { changedEndpoint, twoEndpoints } from "#plugins/wallets/testing/twoEndpoints.ts";

// Guarantee: whatever an owner's wallet tells, late, never or wrongly, its payment is found by what
// it is, and an intent ends without it only where all that the wallet sent was read.

const owner = openOwnersWallet();
const { ask, read, send, mine, ticks } = owner;

/** Replaces a transaction of the wallet by one that does nothing. */
const cancel = (intent: Intent) => send(intent, { to: owner.address, valueRaw: 0n, data: "0x" });
/** Names a hash that no node has ever seen, as the wallet does. */
async function tellUnseen(intent: Intent): Promise<Hex> {
	const hash = send(intent);
	owner.lab.chain.forgetPool();
	await owner.lab.execution.signed(intent.id, hash);
	return hash;
}

describe("a reported hash that no node knows", () => {
	test("the same payment under another hash settles the intent within a minute, with that hash", async () => {
		const intent = await ask();
		const told = await tellUnseen(intent);
		const sent = send(intent);
		mine(1);
		await ticks(6, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
		const [move] = await owner.lab.db.query<{ detail: string }>(
			"select detail from wallets.intent_move where intent_id = $1 and event = 'mined'",
			[intent.id],
		);
		expect(move?.detail).toContain("sped up");
		expect(move?.detail).toContain(told);
	});

	for (const [code, instead] of [
		["cancelled", cancel],
		["replaced", (intent: Intent) => send(intent, { valueRaw: 1n })],
		["not_sent", () => undefined],
	] as const) {
		test(`an intent ends as ${code} because of another transaction of its wallet, after half an hour`, async () => {
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

	test("a pending transaction that only one of two endpoints reports keeps no intent open for hours", async () => {
		const intent = await ask();
		mine();
		const { lab } = owner;
		const more = changedEndpoint(lab.chain.rpc, ({ method, params }, answer) => {
			const isCount = method === "eth_getTransactionCount" && params[1] === "pending";
			return isCount ? `0x${(Number(answer) + 1).toString(16)}` : answer;
		});
		const made = twoEndpoints(lab.chain.rpc, more);
		lab.chain.rpc = made.rpc;
		const age = "update wallets.intent set created_at = now() - $1::int8 * interval '1 minute'";
		await lab.db.execute(age, [50]);
		await ticks(2, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
		await lab.db.execute(age, [70]);
		await ticks(2, 20_000);
		expect((await read(intent)).status).toBe("expired");
		expect(made.distrusted).toContain("second");
	});

	test("an intent does not end while a transaction of its wallet waits at a node", async () => {
		const intent = await ask();
		await tellUnseen(intent);
		send(intent);
		await ticks(4, SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("submitted");
		mine();
		await ticks(2, SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("confirmed");
	});

	test("the payment is also found for a day after its intent ended", async () => {
		const intent = await ask();
		await tellUnseen(intent);
		await ticks(3, SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("failed");
		const sent = send(intent);
		mine();
		await ticks(2, SIGNED_UNSEEN_MS);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("an owner may report another hash, also after the end, unless a node has shown the first", async () => {
		const intent = await ask();
		await tellUnseen(intent);
		await ticks(3, SIGNED_UNSEEN_MS);
		expect((await read(intent)).status).toBe("failed");
		const sent = send(intent);
		const named = await owner.lab.execution.signed(intent.id, sent);
		expect(named).toMatchObject({ status: "submitted", transactionHash: sent });
		await owner.lab.tick();
		await expect(owner.lab.execution.signed(intent.id, `0x${"9".repeat(64)}`)).rejects.toThrow();
		mine();
		await ticks(2, 60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});
});

describe("a reported hash of another transaction", () => {
	test("a report of another transaction of the wallet does not hide the true payment", async () => {
		const intent = await ask();
		const other = send(intent, { to: `0x${"6".repeat(40)}` });
		await owner.lab.execution.signed(intent.id, other);
		const sent = send(intent, { nonce: 1 });
		mine();
		await ticks(3, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a report of an older, equal transaction does not hide the true payment", async () => {
		const twin = await ask();
		const old = send(twin);
		mine(20);
		const intent = await ask();
		await owner.lab.execution.signed(intent.id, old);
		const sent = send(intent, { nonce: 1 });
		mine();
		await ticks(6, 10_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a report of another transaction does not end an intent whose payment is pending", async () => {
		const intent = await ask();
		const other = send(intent, { to: `0x${"6".repeat(40)}` });
		mine(1);
		await owner.lab.execution.signed(intent.id, other);
		send(intent, { nonce: 1 });
		await ticks(6, 60_000);
		expect((await read(intent)).status).toBe("uncertain");
		mine();
		await ticks(2, 300_000);
		expect((await read(intent)).status).toBe("confirmed");
	});

	test("a report of the hash that replaced the payment ends the intent as cancelled", async () => {
		const intent = await ask();
		await owner.lab.execution.signed(intent.id, cancel(intent));
		mine();
		await ticks(2, 10_000);
		expect(await read(intent)).toMatchObject({ status: "failed", errorCode: "cancelled" });
	});
});

describe("an intent that was planned at a head that never was", () => {
	/** Asks while a node names a head a billion blocks ahead; returns the intent. */
	async function askAhead(): Promise<Intent> {
		const { rpc } = owner.lab.chain;
		const { settle } = rpc;
		rpc.settle = async (calls, options) => {
			const outcomes = await settle(calls, options);
			return outcomes.map((outcome, place) => {
				if (calls[place]?.method !== "eth_feeHistory") return outcome;
				return { kind: "result", result: { oldestBlock: "0x3b9aca00", baseFeePerGas: ["0x7"] } };
			});
		};
		const intent = await ask();
		rpc.settle = settle;
		const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
		const { timestamp } = (await rpc.call(call, {})) as { timestamp: Hex };
		const now =
			"update wallets.intent set created_at = to_timestamp($1), changed_at = to_timestamp($1)";
		await owner.lab.db.execute(now, [Number(timestamp)]);
		return intent;
	}
	/** So many blocks that the newest is certainly younger than the plan: one comes each second. */
	const YOUNGER = 700;

	test("is settled by what its wallet sent", async () => {
		const intent = await askAhead();
		const sent = send(intent);
		mine(YOUNGER);
		await ticks(4, QUESTION_LIFETIME_MS);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("ends where its wallet sent nothing", async () => {
		const intent = await askAhead();
		mine(YOUNGER);
		await ticks(4, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("expired");
	});

	test("is settled where a search is noted as far as a head that never was", async () => {
		const intent = await ask();
		const sent = send(intent);
		mine(3);
		const far = "update wallets.intent set searched_block = 1000000000 where id = $1";
		await owner.lab.db.execute(far, [intent.id]);
		await ticks(4, QUESTION_LIFETIME_MS);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("stays open while the node may be behind", async () => {
		const intent = await askAhead();
		mine();
		await ticks(4, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
	});
});
