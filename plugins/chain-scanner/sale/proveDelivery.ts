import type { Sale } from "#plugins/chain-scanner/contract.ts";
import type { TokenMove } from "#plugins/chain-scanner/sale/tokenMoves.ts";

/**
 * Refuses sales whose token never reached the buyer, by the tokens' own logs of the transaction. An
 * ERC-1155 decides for itself what a transfer does, and some were paid for and delivered nothing.
 *
 * Units are used up in log order, so that one delivery does not count for two sales.
 */
export function proveDelivery<Read extends { sale: Sale }>(
	sales: readonly Read[],
	moves: readonly TokenMove[],
): Read[] {
	const delivered = new Map<string, bigint>();
	for (const { contract, tokenId, to, quantity } of moves) {
		const key = keyOf(contract, tokenId, to);
		delivered.set(key, (delivered.get(key) ?? 0n) + quantity);
	}
	return sales.map((read) => {
		const { sale } = read;
		if (!sale.accepted) return read;
		const key = keyOf(sale.contract, sale.tokenId, sale.buyer);
		const left = (delivered.get(key) ?? 0n) - sale.quantity;
		if (left < 0n) {
			return { ...read, sale: { ...sale, accepted: false, reason: "not_delivered" } };
		}
		delivered.set(key, left);
		return read;
	});
}

function keyOf(contract: string, tokenId: bigint, to: string): string {
	return `${contract}:${tokenId}:${to}`;
}
