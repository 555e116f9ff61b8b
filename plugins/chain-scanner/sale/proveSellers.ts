import type { Address } from "#core/chain/Hex.ts";
import type { Sale } from "#plugins/chain-scanner/contract.ts";
import type { TokenMove } from "#plugins/chain-scanner/sale/tokenMoves.ts";

/**
 * Corrects sellers, where the venue's logs only say who was paid: an account that accepts an offer
 * may have the money sent elsewhere, and an aggregator is paid for the person behind it. The
 * token's own logs show who gave it.
 *
 * An account that only passed the token on within the transaction is not the seller, unless it had
 * bought it there: then it is a party of its own.
 */
export function proveSellers<Read extends { sale: Sale }>(
	sales: readonly Read[],
	moves: readonly TokenMove[],
): Read[] {
	return sales.map((read) => {
		const { sale } = read;
		if (!sale.sellerUnproven) return read;
		const seller = giverOf(sale, moves, sales);
		return seller === null ? read : { ...read, sale: withSeller(sale, seller) };
	});
}

function giverOf(
	sale: Sale,
	moves: readonly TokenMove[],
	sales: readonly { sale: Sale }[],
): Address | null {
	const own = moves.filter(({ contract, tokenId }) => {
		return contract === sale.contract && tokenId === sale.tokenId;
	});
	let index = own.findLastIndex(({ to }) => to === sale.buyer);
	let giver = own[index]?.from ?? null;
	while (index > 0 && giver !== null && !boughtHere(giver, sale, sales)) {
		const holder: Address = giver;
		index = own.findLastIndex(({ to }, at) => at < index && to === holder);
		giver = own[index]?.from ?? holder;
	}
	return giver;
}

function boughtHere(who: Address, of: Sale, sales: readonly { sale: Sale }[]): boolean {
	return sales.some(({ sale }) => {
		const isSameToken = sale.contract === of.contract && sale.tokenId === of.tokenId;
		return sale !== of && isSameToken && sale.buyer === who;
	});
}

/**
 * Returns a sale with its seller. Whether it is a trade with oneself is judged again; the other
 * reasons do not depend on it.
 */
function withSeller(sale: Sale, seller: Address): Sale {
	const { sellerUnproven: _, ...proven } = sale;
	const isSelf = seller === sale.buyer;
	if (sale.reason !== null && sale.reason !== "self_trade") return { ...proven, seller };
	if (isSelf) return { ...proven, seller, accepted: false, reason: "self_trade" };
	const isFree = sale.totalRaw === 0n;
	return { ...proven, seller, accepted: !isFree, reason: isFree ? "zero_price" : null };
}
