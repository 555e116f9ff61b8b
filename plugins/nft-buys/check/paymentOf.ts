import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { ConsiderationItem } from "#plugins/nft-buys/seaport/Order.ts";

/** The price of an order, or of a part of one: everything that leaves the buyer's wallet. */
export type Payment = {
	/** The zero address for the native coin. */
	currency: Address;
	total: bigint;
	parts: { recipient: Address; raw: bigint }[];
};

const NATIVE = 0;
const COIN = 1;

/**
 * Adds up a price. Null where it cannot be checked completely: several currencies, a token among
 * the payments (a swap, or a private listing), an amount that changes with time, a part that does
 * not divide evenly, no payment at all.
 */
export function paymentOf(
	consideration: readonly ConsiderationItem[],
	{ numerator, denominator }: { numerator: bigint; denominator: bigint },
): Payment | null {
	const [first] = consideration;
	if (!first || (first.itemType !== NATIVE && first.itemType !== COIN)) return null;
	if ((first.itemType === NATIVE) !== (first.token === ZERO_ADDRESS)) return null;
	if (numerator <= 0n || numerator > denominator) return null;
	const isPlain = consideration.every(
		(item) =>
			item.itemType === first.itemType &&
			item.token === first.token &&
			item.identifierOrCriteria === 0n &&
			item.startAmount === item.endAmount &&
			(item.startAmount * numerator) % denominator === 0n,
	);
	if (!isPlain) return null;
	const parts = consideration.map(({ recipient, startAmount }) => {
		return { recipient, raw: (startAmount * numerator) / denominator };
	});
	const total = parts.reduce((sum, { raw }) => sum + raw, 0n);
	return total > 0n ? { currency: first.token, total, parts } : null;
}
