import { expect, test } from "bun:test";
import type { Sale } from "#plugins/chain-scanner/contract.ts";
import { proveSellers } from "#plugins/chain-scanner/sale/proveSellers.ts";

const [owner, buyer, paid, router] = ["0xa", "0xb", "0xc", "0xd"] as const;

const offer = (changes: Partial<Sale> = {}): { sale: Sale } => ({
	sale: {
		logIndex: 1,
		subIndex: 0,
		contract: "0x1",
		standard: "erc721",
		tokenId: 8n,
		quantity: 1n,
		totalRaw: 3n,
		currency: "0x2",
		seller: paid,
		buyer,
		accepted: true,
		reason: null,
		sellerUnproven: true,
		...changes,
	},
});
const move = (from: `0x${string}`, to: `0x${string}`, tokenId = 8n) => {
	return { contract: "0x1", standard: "erc721", quantity: 1n, tokenId, from, to } as const;
};
const sellerOf = (...args: Parameters<typeof proveSellers>) =>
	proveSellers(...args)[0]?.sale.seller;

test("[ING-12] whoever gave the token sold it, whoever was paid", () => {
	expect(sellerOf([offer()], [move(paid, owner, 9n), move(owner, buyer)])).toBe(owner);
});

test("[ING-12] who only passes a token on within the transaction is not its seller", () => {
	expect(sellerOf([offer()], [move(owner, router), move(router, buyer)])).toBe(owner);
});

test("[ING-12] who bought the token in the same transaction sold it again as themselves", () => {
	const bought = offer({ seller: owner, buyer: router });
	delete bought.sale.sellerUnproven;
	const sales = [offer(), bought];
	expect(sellerOf(sales, [move(owner, router), move(router, buyer)])).toBe(router);
});

test("[ING-12] a bidder who was also paid did not trade with themselves", () => {
	const sale = offer({ seller: buyer, accepted: false, reason: "self_trade" });
	const [proven] = proveSellers([sale], [move(owner, buyer)]);
	expect(proven?.sale).toMatchObject({ seller: owner, accepted: true, reason: null });
});

test("[ING-12] an owner who accepts their own offer through another is told as such", () => {
	const [proven] = proveSellers([offer()], [move(buyer, buyer)]);
	expect(proven?.sale).toMatchObject({ accepted: false, reason: "self_trade" });
});

test("without the token's log the venue's word stands, and a round trip ends", () => {
	expect(sellerOf([offer()], [])).toBe(paid);
	expect(sellerOf([offer()], [move(router, owner), move(owner, router), move(router, buyer)])).toBe(
		router,
	);
});
