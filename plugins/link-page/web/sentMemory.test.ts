import { expect, test } from "bun:test";
import { sentMemory } from "#plugins/link-page/web/sentMemory.ts";
import type { LinkShown } from "#plugins/wallets/contract.ts";

function memory() {
	const kept = new Map<string, string>();
	const storage = {
		getItem: (key: string) => kept.get(key) ?? null,
		setItem: (key: string, value: string) => void kept.set(key, value),
	};
	return () => storage as Storage;
}

const linkOf = (purpose: LinkShown["purpose"], planHash = "0x1", intentId = "i") => {
	return { purpose, planHash, transactions: [{ intentId } as never] };
};

test("what was sent for a link is found again, by a new link to the same intent as well", () => {
	const storage = memory();
	sentMemory.keep(storage, linkOf("sign"), "0xab");
	expect(sentMemory.find(storage, linkOf("sign", "0x2"))).toBe("0xab");
	expect(sentMemory.find(storage, linkOf("sign", "0x1", "other"))).toBeNull();
});

test("a payment is never reported as its own cancellation, nor a cancellation as the payment", () => {
	const storage = memory();
	sentMemory.keep(storage, linkOf("sign"), "0xab");
	expect(sentMemory.find(storage, linkOf("cancel"))).toBeNull();
	const other = memory();
	sentMemory.keep(other, linkOf("cancel"), "0xcd");
	expect(sentMemory.find(other, linkOf("sign"))).toBeNull();
	expect(sentMemory.find(other, linkOf("cancel"))).toBe("0xcd");
	// One at a better price is another one.
	expect(sentMemory.find(other, linkOf("cancel", "0x2"))).toBeNull();
});

test("a browser that keeps nothing breaks nothing", () => {
	const storage = () => {
		throw new Error("denied");
	};
	sentMemory.keep(storage, linkOf("sign"), "0xab");
	expect(sentMemory.find(storage, linkOf("sign"))).toBeNull();
});
