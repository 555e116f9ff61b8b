import { LRUCache } from "lru-cache";
import type { Address } from "#core/chain/Hex.ts";

/** Whose nonces: one wallet on one chain. */
export type Account = { chainId: number; from: Address };

/** What nodes said of accounts that our own records do not explain. */
export type NonceClaims = {
	/** The count of mined transactions that an older block's answer named; null where none did. */
	confirmed(account: Account, headBlock: number): number | null;
	/** Whether a node names transactions that we do not know of. */
	isClaimed(account: Account): boolean;
	/** Whether an unexplained count waits to be confirmed or corrected. */
	isOpen(account: Account): boolean;
	note(account: Account, claim: { mined: number; headBlock: number }): void;
	/** Our records and the node agree again. */
	forget(account: Account): void;
};

const ACCOUNTS_MAX = 10_000;

/**
 * Remembers unexplained nonce counts until a later block's answer confirms or corrects them. In
 * memory: a restart costs one more block of waiting.
 */
export function createNonceClaims(): NonceClaims {
	const claims = new LRUCache<string, { mined: number; headBlock: number }>({ max: ACCOUNTS_MAX });
	const keyOf = ({ chainId, from }: Account) => `${chainId} ${from}`;
	return {
		confirmed(account, headBlock) {
			const claim = claims.get(keyOf(account));
			return claim && claim.headBlock < headBlock ? claim.mined : null;
		},
		isClaimed: (account) => claims.has(keyOf(account)),
		isOpen: (account) => claims.has(keyOf(account)),
		note(account, claim) {
			const earlier = claims.get(keyOf(account));
			// The older of two that agree: it is the one that a later block can confirm.
			if (earlier && earlier.mined <= claim.mined && earlier.headBlock <= claim.headBlock) return;
			claims.set(keyOf(account), claim);
		},
		forget: (account) => void claims.delete(keyOf(account)),
	};
}
