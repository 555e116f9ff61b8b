import { shownBuy } from "#plugins/nft-buys/plan/shownBuy.ts";
import type { Plan } from "#plugins/wallets/contract.ts";

/**
 * Returns whether a new plan is still what its owner agreed to: the same token and number on the
 * same chain into the same wallet, by the same marketplace, in the same currency, for no more.
 * Another signature, order or attribution is allowed, and was checked again.
 */
export function keepsBuy(approved: Plan, fresh: Plan): boolean {
	const before = shownBuy.read(approved.shown);
	const after = shownBuy.read(fresh.shown);
	return (
		fresh.chainId === approved.chainId &&
		fresh.from === approved.from &&
		fresh.to === approved.to &&
		fresh.spend.currency === approved.spend.currency &&
		fresh.spend.raw <= approved.spend.raw &&
		after.contract === before.contract &&
		after.tokenId === before.tokenId &&
		after.quantity === before.quantity &&
		after.standard === before.standard
	);
}
