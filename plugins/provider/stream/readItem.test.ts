import { expect, test } from "bun:test";
import fc from "fast-check";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { partiesOf } from "#plugins/provider/stream/readItem.ts";

const [maker, taker, other] = ["0x11", "0x22", "0x33"] as const;
const currency = "0xc0";
const listing = { side: "listing", maker } as const;
const offer = { side: "offer", maker } as const;

test("[MRG-13] the maker of a known listing is the seller, and the maker of a known offer is the buyer", () => {
	const sold = { seller: maker, buyer: taker };
	const bought = { seller: taker, buyer: maker };
	expect(partiesOf({ maker, taker, currency, known: listing })).toEqual(sold);
	expect(partiesOf({ maker, taker, currency, known: offer })).toEqual(bought);
	// In whichever member the event names the order's maker.
	expect(partiesOf({ maker: taker, taker: maker, currency, known: listing })).toEqual(sold);
	expect(partiesOf({ maker: taker, taker: maker, currency, known: offer })).toEqual(bought);
});

test("a payment in the native coin means a listing, because offers cannot be made in it", () => {
	const sale = { maker, taker, currency: ZERO_ADDRESS, known: null };
	expect(partiesOf(sale)).toEqual({ seller: maker, buyer: taker });
});

test("[MRG-15] no seller is guessed for an unknown order in a token, for strangers, or for one party", () => {
	expect(partiesOf({ maker, taker, currency, known: null })).toBeNull();
	expect(partiesOf({ maker, taker, currency: null, known: null })).toBeNull();
	expect(partiesOf({ maker: other, taker, currency, known: listing })).toBeNull();
	expect(partiesOf({ maker, taker: null, currency: ZERO_ADDRESS, known: null })).toBeNull();
	expect(partiesOf({ maker: null, taker, currency, known: offer })).toBeNull();
});

test("seller and buyer are always the two parties that the event names", () => {
	const address = fc.constantFrom("0x11" as const, "0x22" as const, "0x33" as const);
	const known = fc.option(
		fc.record({ side: fc.constantFrom("listing" as const, "offer" as const), maker: address }),
	);
	const paidIn = fc.constantFrom(ZERO_ADDRESS, "0xc0" as const);
	fc.assert(
		fc.property(address, address, known, paidIn, (maker, taker, known, currency) => {
			const parties = partiesOf({ maker, taker, known, currency });
			if (!parties) return;
			expect([parties.seller, parties.buyer].sort()).toEqual([maker, taker].sort());
			if (known) expect(Object.values(parties)).toContain(known.maker);
		}),
	);
});
