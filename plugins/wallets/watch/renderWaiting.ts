import type { ListedIntent } from "#plugins/wallets/watch/listWaiting.ts";

/** How an intent that waits is answered to an operator. */
export function renderWaiting(intent: ListedIntent) {
	const { id, kind, status, reason, waitsFor, actions, cancelling, cancellingHash } = intent;
	const { walletId, chainId, sender, shownNonce, transactionHash, sinceMs } = intent;
	return {
		...{ id, kind, status, reason, waitsFor, actions },
		cancellation: cancelling && { state: cancelling, transactionHash: cancellingHash },
		...{ walletId, chainId, sender, nonce: shownNonce, transactionHash },
		since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
	};
}
