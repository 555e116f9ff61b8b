import { expect, test } from "bun:test";
import { padHex } from "viem";
import type { Sale, Venue } from "#plugins/chain-scanner/contract.ts";
import { needsReceipt } from "#plugins/chain-scanner/sale/needsReceipt.ts";
import { proveSales } from "#plugins/chain-scanner/sale/proveSales.ts";
import { aSale } from "#plugins/chain-scanner/sale/testing/aSale.ts";
import type { TokenMove } from "#plugins/chain-scanner/sale/tokenMoves.ts";

const adapter = padHex("0xada", { size: 20 });
const token = padHex("0x707", { size: 20 });
const owner = padHex("0x0f", { size: 20 });
const venue: Pick<Venue, "adapters"> = { adapters: [{ adapter, token }] };
const { buyer: to, seller: from } = aSale();

const move = (changes: Partial<TokenMove> = {}): TokenMove => {
	return { contract: token, standard: "erc1155", tokenId: 8n, quantity: 1n, from, to, ...changes };
};
const prove = (changes: Partial<Sale>, moves: TokenMove[] | null) =>
	proveSales([{ sale: aSale({ contract: adapter, ...changes }), venue }], moves)[0]?.sale;

test("[ING-12] a sale through an adapter is of the token that its own log says moved", () => {
	expect(prove({}, [move()])).toMatchObject({
		contract: token,
		standard: "erc1155",
		tokenId: 8n,
		accepted: true,
		reason: null,
	});
});

test("[ING-12] the adapter's own word proves nothing, nor that of any other contract", () => {
	const impostor = padHex("0x1ab", { size: 20 });
	const wrong = [
		null,
		[],
		[move({ contract: adapter })],
		[move({ contract: impostor })],
		[move({ tokenId: 9n })],
		[move({ to: owner })],
	];
	for (const moves of wrong) {
		expect(prove({}, moves)).toMatchObject({
			contract: token,
			accepted: false,
			reason: "not_delivered",
		});
	}
});

test("[ING-12] an offer accepted through an adapter was sold by who gave the token itself", () => {
	const offer = { seller: owner, sellerUnproven: true } as const;
	expect(prove(offer, [move()])).toMatchObject({ contract: token, seller: from, accepted: true });
});

test("where no token's log was read the venue's word stands, except about an adapter's tokens", () => {
	const sale = aSale({ sellerUnproven: true });
	expect(proveSales([{ sale, venue }], null)).toEqual([{ sale, venue }]);
	expect(proveSales([{ sale, venue: {} }], null)).toEqual([{ sale, venue: {} }]);
	const free = { accepted: false, reason: "zero_price" } as const;
	expect(prove(free, null)).toMatchObject({ contract: token, reason: "zero_price" });
});

test("a listing beside a sale whose receipt was read is held against it as well", () => {
	const listing = aSale({ logIndex: 2 });
	const reads = [
		{ sale: aSale({ contract: adapter }), venue },
		{ sale: listing, venue },
	];
	expect(proveSales(reads, [move()]).map(({ sale }) => sale.reason)).toEqual([
		null,
		"not_delivered",
	]);
});

test("a receipt is asked for only where a party or the token is open", () => {
	expect(needsReceipt({ sale: aSale(), venue })).toBe(false);
	expect(needsReceipt({ sale: aSale(), venue: {} })).toBe(false);
	expect(needsReceipt({ sale: aSale({ sellerUnproven: true }), venue })).toBe(true);
	expect(needsReceipt({ sale: aSale({ contract: adapter }), venue })).toBe(true);
	// Somebody else's adapter is a token like any other.
	expect(needsReceipt({ sale: aSale({ contract: adapter }), venue: {} })).toBe(false);
});
