import { describe, expect, test } from "bun:test";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/limits.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { SIGNED_UNSEEN_MS } from "#plugins/wallets/reconcile/looks.ts";
import { SHOP } from "#plugins/wallets/testing/executionLab.ts";
import { openOwnersWallet } from "#plugins/wallets/testing/openOwnersWallet.ts";

// Guarantee: what an owner's wallet sent and nobody told is found before its intent may expire, and
// for a day after that.

const owner = openOwnersWallet();
const { ask, read, send, mine, ticks } = owner;

describe("a payment of which no hash was reported", () => {
	test("a payment that its owner never reported is found before its intent may expire", async () => {
		const intent = await ask();
		const sent = send(intent);
		mine();
		await ticks(3, QUESTION_LIFETIME_MS);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
		expect(await owner.lab.moves(intent.id)).not.toContain("expire");
	});

	test("an intent stays open while its payment waits at a node, or while no node answers", async () => {
		const intent = await ask();
		const sent = send(intent);
		await ticks(3, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
		mine();
		owner.lab.chain.state.isDown = true;
		await ticks(3, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("signature_required");
		owner.lab.chain.state.isDown = false;
		await ticks(2, 60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a payment that is sent after its intent expired is found, and may still be reported", async () => {
		const [found, told] = [await ask("0x01"), await ask("0x02")];
		await ticks(2, QUESTION_LIFETIME_MS);
		expect((await read(found)).status).toBe("expired");
		expect((await read(told)).status).toBe("expired");
		const sent = send(found);
		const second = send(told, { nonce: 1 });
		await owner.lab.execution.signed(told.id, second);
		expect(await read(told)).toMatchObject({ status: "submitted", transactionHash: second });
		mine();
		await ticks(3, SIGNED_UNSEEN_MS);
		expect(await read(found)).toMatchObject({ status: "confirmed", transactionHash: sent });
		expect(await read(told)).toMatchObject({ status: "confirmed", transactionHash: second });
	});

	test("of two equal intents one payment settles one, and never both", async () => {
		const intents = [await ask(), await ask()];
		send(intents[0] as Intent);
		mine();
		await ticks(4, QUESTION_LIFETIME_MS);
		const states = await Promise.all(intents.map(async (one) => (await read(one)).status));
		expect(states.sort()).toEqual(["confirmed", "expired"]);
	});

	test("an older equal payment, and a different payment, settle nothing", async () => {
		const twin = await ask();
		send(twin);
		mine(1);
		const intent = await ask();
		owner.lab.chain.send({ from: owner.address, to: SHOP, nonce: 1, valueRaw: 1n, data: "0x" });
		mine();
		await owner.lab.execution.signed(twin.id, `0x${"8".repeat(64)}`);
		await ticks(2, QUESTION_LIFETIME_MS);
		expect((await read(intent)).status).toBe("expired");
	});
});

describe("a payment that its owner cancels", () => {
	const cancel = ({ id }: Intent) =>
		owner.lab.execution.cancel(id, { actor: "profile:lab", signal: owner.lab.signal });

	test("a cancellation searches the payment first: one that the wallet sent is followed, not rejected", async () => {
		const intent = await ask();
		const sent = send(intent);
		mine();
		await expect(cancel(intent)).rejects.toMatchObject({ code: "cancel_not_ours" });
		await ticks(2, 60_000);
		expect(await read(intent)).toMatchObject({ status: "confirmed", transactionHash: sent });
	});

	test("a cancellation is refused while it is unknown whether the payment was sent", async () => {
		const intent = await ask();
		send(intent);
		await expect(cancel(intent)).rejects.toMatchObject({ code: "not_searched" });
		expect((await read(intent)).status).toBe("signature_required");
	});

	test("a cancelled payment that its owner's wallet sends anyway is found for a day, or by a reported hash", async () => {
		const [found, told] = [await ask("0x01"), await ask("0x02")];
		for (const intent of [found, told]) {
			expect(await cancel(intent)).toMatchObject({ status: "rejected", errorCode: "cancelled" });
		}
		const [sent, second] = [send(found), send(told, { nonce: 1 })];
		await owner.lab.execution.signed(told.id, second);
		mine();
		await ticks(3, SIGNED_UNSEEN_MS);
		expect(await read(found)).toMatchObject({ status: "confirmed", transactionHash: sent });
		expect(await read(told)).toMatchObject({ status: "confirmed", transactionHash: second });
	});
});
