import { expect, test } from "bun:test";
import { readWebhookEvent } from "#plugins/custody/webhook/readWebhookEvent.ts";

const read = (value: unknown) => {
	return readWebhookEvent(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
};
const REFERENCE = "0199a8f3-5b1c-7cc2-9d11-0c8d6a1f2b3c";
/** As the provider's documentation shows one. */
const confirmed = {
	type: "transaction.confirmed",
	caip2: "eip155:4663",
	transaction_hash: `0x${"28".repeat(32)}`,
	transaction_id: "b2ua14lrsfj2kq8r8mlm9z07",
	wallet_id: "e1b5xyqbufbv5xc8xiaxk9pp",
	reference_id: REFERENCE,
};

test("of all that is said of a transaction only which one it is about is read", () => {
	const events = [
		"broadcasted",
		"still_pending",
		"confirmed",
		"execution_reverted",
		"replaced",
		"failed",
		"provider_error",
	] as const;
	for (const name of events) {
		expect(read({ ...confirmed, type: `transaction.${name}` })).toEqual({
			kind: "transaction",
			name,
			reference: REFERENCE,
		});
	}
});

test("a transaction without a reference of ours is not ours", () => {
	for (const reference_id of [undefined, null, "", "order-17", `${REFERENCE}x`]) {
		expect(read({ ...confirmed, reference_id })).toMatchObject({ reference: null });
	}
});

test("events of other kinds, known to nobody yet, are passed over", () => {
	for (const type of ["user.created", "transaction.finalized", "transaction.", "confirmed"]) {
		expect(read({ ...confirmed, type })).toEqual({ kind: "other" });
	}
	// Whatever else they have.
	expect(read({ type: "wallet.funds_deposited", reference_id: 7 })).toEqual({ kind: "other" });
});

test("what is no event, or lacks what its kind has, is none", () => {
	const odd = ["", "null", "[]", "7", '"x"', "{", "\u0000", '{"type":7}', '{"type":""}'];
	for (const text of odd) expect([text, read(text)]).toEqual([text, null]);
	expect(read({ ...confirmed, transaction_id: undefined })).toBeNull();
	expect(read({ ...confirmed, transaction_id: 7 })).toBeNull();
	expect(read({ ...confirmed, reference_id: { $ne: 1 } })).toBeNull();
	expect(read({ type: "t".repeat(129) })).toBeNull();
	expect(readWebhookEvent(new Uint8Array([0x7b, 0xff, 0x7d]))).toBeNull();
});
