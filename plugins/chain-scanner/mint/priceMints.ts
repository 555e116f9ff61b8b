import type { Hex } from "#core/chain/Hex.ts";
import type { Mint } from "#plugins/chain-scanner/mint/decodeMints.ts";

/**
 * Gives each mint its share of what its transaction paid: value over all units minted in the
 * transaction, whatever their contract. What does not divide goes to the first mint, so that the
 * shares add up to the value exactly; a transaction without value minted for free, at 0.
 */
export function priceMints(
	mints: readonly Mint[],
	paidBy: (transactionHash: Hex) => bigint,
): Map<Mint, bigint> {
	const units = new Map<Hex, bigint>();
	for (const { log, quantity } of mints) {
		units.set(log.transactionHash, (units.get(log.transactionHash) ?? 0n) + quantity);
	}
	const totals = new Map<Mint, bigint>();
	const started = new Set<Hex>();
	for (const mint of mints) {
		const hash = mint.log.transactionHash;
		const value = paidBy(hash);
		const all = units.get(hash) ?? mint.quantity;
		const remainder = started.has(hash) ? 0n : value % all;
		started.add(hash);
		totals.set(mint, (value / all) * mint.quantity + remainder);
	}
	return totals;
}
