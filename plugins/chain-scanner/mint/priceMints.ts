import type { Hex } from "#core/chain/Hex.ts";
import type { Mint } from "#plugins/chain-scanner/mint/decodeMints.ts";

/**
 * Returns for each mint, in their order, its share of what its transaction paid: value over all
 * units minted in the transaction, whatever their contract. The remainder goes to the first mint,
 * so that the shares add up to the value exactly; a transaction without value minted for free, at
 * 0.
 */
export function priceMints(
	mints: readonly Mint[],
	paidBy: (transactionHash: Hex) => bigint,
): bigint[] {
	const units = new Map<Hex, bigint>();
	for (const { log, quantity } of mints) {
		units.set(log.transactionHash, (units.get(log.transactionHash) ?? 0n) + quantity);
	}
	const started = new Set<Hex>();
	return mints.map(({ log, quantity }) => {
		const hash = log.transactionHash;
		const value = paidBy(hash);
		const all = units.get(hash) ?? quantity;
		const remainder = started.has(hash) ? 0n : value % all;
		started.add(hash);
		return (value / all) * quantity + remainder;
	});
}
