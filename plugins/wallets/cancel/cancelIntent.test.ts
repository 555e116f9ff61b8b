import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { CANCEL_AGAIN_AFTER_MS } from "#plugins/wallets/cancel/planCancellation.ts";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/looks.ts";
import { type Lab, openExecutionLab, SHOP } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a payment that hangs can be cancelled by its nonce: of the two one is mined at most,
// its spend is given back only once that is final, and the wallet's next transactions go on.

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

const cancel = (id: string, actor = "profile:lab") =>
	lab.execution.cancel(id, { actor, signal: lab.signal });
const pay = async () => (await lab.pay(by))[0]?.id ?? "";
const status = async (id: string) => (await lab.intent(id)).status;
const handed = () => lab.handed.map(({ transaction }) => transaction);
/** Blocks on top, and looks at everything. */
async function bury(): Promise<void> {
	for (let block = 0; block < 4; block++) lab.chain.mine();
	for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
}

describe("a payment that waits in the pool", () => {
	test("the payment is replaced under its nonce by an empty transaction, and ends once that is final", async () => {
		const id = await pay();
		const cancelled = await cancel(id);
		expect(cancelled).toMatchObject({ status: "submitted", cancellation: { state: "sent" } });
		const [payment, replacement] = handed();
		expect(replacement).toMatchObject({
			...{ from: by.wallet.address, to: by.wallet.address, valueRaw: 0n, data: "0x" },
			nonce: payment?.nonce,
		});
		expect((replacement?.maxFeePerGas ?? 0n) * 10n).toBeGreaterThanOrEqual(
			(payment?.maxFeePerGas ?? 0n) * 11n,
		);
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(id)).cancellation?.state).toBe("mined");
		// Asked once more, that is the answer.
		expect((await cancel(id)).cancellation?.state).toBe("mined");
		expect(handed()).toHaveLength(2);
		// A block can still leave the chain, and the payment take its place.
		expect(await status(id)).toBe("submitted");
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, release: RESERVED });
		expect(lab.chain.minedFrom(by.wallet.address)).toBe(1);
	});

	test("the payment is settled if it is mined after all, and its cancellation ends", async () => {
		const id = await pay();
		const [payment] = lab.chain.pool();
		await cancel(id);
		lab.chain.forgetPool();
		if (payment) lab.chain.send(payment);
		await bury();
		expect(await status(id)).toBe("confirmed");
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, spend: RESERVED });
		const rows = await lab.db.query(
			"select state::text as state from wallets.submission where purpose = 'cancel'",
		);
		expect(rows).toEqual([{ state: "never" }]);
	});

	test("the payment is open again if the block of its cancellation leaves the chain", async () => {
		const id = await pay();
		const [payment] = lab.chain.pool();
		await cancel(id);
		lab.chain.mine();
		await lab.tick();
		lab.chain.reorg({ depth: 1, forgets: true });
		if (payment) lab.chain.send(payment);
		await bury();
		expect(await status(id)).toBe("confirmed");
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, spend: RESERVED });
	});

	test("the payment is cancelled once for many requests, and again after a while", async () => {
		const id = await pay();
		await Promise.all([cancel(id), cancel(id), cancel(id)]);
		expect(handed()).toHaveLength(2);
		await lab.tick(CANCEL_AGAIN_AFTER_MS + 1);
		await cancel(id);
		const [, first, second] = handed();
		expect(second?.nonce).toBe(first?.nonce);
		expect((second?.maxFeePerGas ?? 0n) * 10n).toBeGreaterThanOrEqual(
			(first?.maxFeePerGas ?? 0n) * 11n,
		);
		await bury();
		expect(await status(id)).toBe("failed");
		expect(lab.chain.minedFrom(by.wallet.address)).toBe(1);
	});

	test("the payment is cancelled whatever an operator switched off, with an entry in the audit log", async () => {
		const id = await pay();
		await lab.db.execute(
			"insert into wallets.control values ('kill:all', 'true', 'operator', now())",
		);
		await cancel(id, "operator:ann");
		expect(handed()).toHaveLength(2);
		expect(lab.audited).toMatchObject([
			{
				actor: "operator:ann",
				action: "trading.intent.cancellation_sent",
				subject: `intent:${id}`,
				detail: { nonce: 0, filledNonces: [] },
			},
		]);
	});
});

describe("a payment that was perhaps never sent", () => {
	test("the payment ends once another transaction used its nonce for good, also if it is sent late", async () => {
		lab.moods.push("keeps, silent");
		const id = await pay();
		const reference = lab.handed[0]?.referenceId ?? "";
		expect(await status(id)).toBe("uncertain");
		const behind = await pay();
		expect(await status(behind)).toBe("submitting");
		await cancel(id);
		lab.chain.mine();
		// The queue goes on once the nonce is used, before that is final.
		await lab.tick();
		await lab.tick();
		expect(await status(behind)).toBe("submitted");
		expect(await status(id)).toBe("uncertain");
		lab.provider.releaseKept(reference);
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
		expect(await status(behind)).toBe("confirmed");
		expect(lab.chain.minedFrom(by.wallet.address)).toBe(2);
	});

	test("the payment also ends if the wallet provider falsely reported it as sent", async () => {
		lab.moods.push("says sent, keeps");
		const id = await pay();
		const behind = await pay();
		expect([await status(id), await status(behind)]).toEqual(["submitted", "submitted"]);
		lab.chain.mine();
		await lab.tick(UNSEEN_DROPPED_MS + 1);
		expect(await status(id)).toBe("uncertain");
		await cancel(id);
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
		expect(await status(behind)).toBe("confirmed");
	});
});

describe("a payment above a gap", () => {
	/** The node counts seven transactions that were never made. */
	async function payAbove(count: number): Promise<string> {
		const { settle } = lab.chain.rpc;
		lab.chain.rpc.settle = async (calls, options) => {
			const outcomes = await settle(calls, options);
			return outcomes.map((outcome, place) => {
				const isCount = calls[place]?.method === "eth_getTransactionCount";
				return isCount ? { kind: "result", result: `0x${count.toString(16)}` } : outcome;
			});
		};
		const id = await pay();
		lab.chain.rpc.settle = settle;
		expect(handed()[0]?.nonce).toBe(count);
		return id;
	}

	test("the payment is cancelled after the gap below it is filled, lowest nonce first", async () => {
		const id = await payAbove(3);
		await cancel(id);
		expect(handed().map(({ nonce }) => nonce)).toEqual([3, 0, 1, 2, 3]);
		expect(
			handed()
				.slice(1)
				.every(({ valueRaw }) => valueRaw === 0n),
		).toBe(true);
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
		const next = await pay();
		expect(handed().at(-1)?.nonce).toBe(4);
		await bury();
		expect(await status(next)).toBe("confirmed");
	});

	test("the payment is mined once the wallet's next transactions fill the gap", async () => {
		const id = await payAbove(2);
		const ids = [await pay(), await pay()];
		expect(handed().map(({ nonce }) => nonce)).toEqual([2, 0, 1]);
		await bury();
		for (const one of [id, ...ids]) expect(await status(one)).toBe("confirmed");
	});

	test("a lost filler transaction is sent again under the same nonce", async () => {
		const id = await payAbove(1);
		lab.moods.push("loses");
		await cancel(id);
		await lab.tick();
		await cancel(id);
		expect(handed().map(({ nonce }) => nonce)).toEqual([1, 0, 1, 0]);
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
	});
});

describe("a payment that cannot be replaced under its nonce", () => {
	test("a queued payment is cancelled at once, and nothing is sent", async () => {
		lab.moods.push("keeps, silent");
		await pay();
		const behind = await pay();
		const gone = await cancel(behind);
		expect(gone).toMatchObject({ status: "failed", errorCode: "cancelled", cancellation: null });
		expect(await lab.ledger(behind)).toEqual({ reserve: RESERVED, release: RESERVED });
		expect(handed()).toHaveLength(1);
		expect(lab.audited).toMatchObject([{ action: "trading.intent.cancelled" }]);
	});

	test("a payment that is settled, never sent, being handed over, or the owner's own is refused", async () => {
		const settled = await pay();
		await bury();
		await expect(cancel(settled)).rejects.toMatchObject({ code: "intent_state" });
		await expect(cancel(crypto.randomUUID())).rejects.toMatchObject({ code: "not_found" });
		const sending = await pay();
		const become = (state: string) =>
			lab.db.execute("update wallets.submission set state = $2 where intent_id = $1", [
				...[sending, state],
			]);
		await become("sending");
		await expect(cancel(sending)).rejects.toMatchObject({ code: "handing_over" });
		await become("sent");
		lab.state.isDryRun = true;
		await expect(cancel(sending)).rejects.toMatchObject({ code: "cancel_off" });
		lab.state.isDryRun = false;
		await lab.db.execute("update wallets.wallet set capability = 'embedded/manual'");
		await expect(cancel(sending)).rejects.toMatchObject({ code: "cancel_not_ours" });
		const owner = await lab.person({ capability: "external/manual" });
		const [asked] = await lab.pay(owner);
		await lab.execution.signed(asked?.id ?? "", `0x${"ab".repeat(32)}`);
		await expect(cancel(asked?.id ?? "")).rejects.toMatchObject({ code: "cancel_not_ours" });
		expect(handed()).toHaveLength(2);
	});

	test("a payment whose nonce is used on chain is refused, because its outcome is already mined", async () => {
		const id = await pay();
		const { address } = by.wallet;
		lab.chain.forgetPool();
		lab.chain.send({ from: address, to: SHOP, nonce: 0, valueRaw: 1n, data: "0x" });
		lab.chain.mine();
		await expect(cancel(id)).rejects.toMatchObject({ code: "nonce_used" });
		expect(handed()).toHaveLength(1);
	});
});

describe("a payment that a reorg dropped", () => {
	test("the payment becomes uncertain at once, is not sent again, and its owner can cancel it by its nonce", async () => {
		const id = await pay();
		lab.chain.mine();
		await lab.tick();
		expect(await status(id)).toBe("confirmed");
		lab.chain.reorg({ depth: 1, forgets: true });
		await lab.tick(10_000);
		const told = { status: "uncertain", errorCode: "dropped_by_reorg" };
		expect(await lab.intent(id)).toMatchObject(told);
		await lab.tick(10_000);
		expect(await lab.intent(id)).toMatchObject(told);
		expect(handed()).toHaveLength(1);
		expect(lab.chain.pool()).toEqual([]);
		await cancel(id);
		expect(handed().map(({ nonce }) => nonce)).toEqual([0, 0]);
		await bury();
		expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
		expect(await lab.ledger(id)).toMatchObject({ release: RESERVED });
	});

	test("the payment is confirmed again once a block has it again", async () => {
		const id = await pay();
		const [payment] = lab.chain.pool();
		if (!payment) throw new Error("no payment");
		lab.chain.mine();
		await lab.tick();
		lab.chain.reorg({ depth: 1, forgets: true });
		await lab.tick(10_000);
		lab.chain.send(payment);
		await lab.tick(10_000);
		expect(await lab.intent(id)).toMatchObject({ status: "submitted", errorCode: null });
		lab.chain.mine();
		await lab.tick(10_000);
		expect(await status(id)).toBe("confirmed");
		expect(handed()).toHaveLength(1);
	});
});
