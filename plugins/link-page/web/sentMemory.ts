import type { LinkShown } from "#plugins/wallets/contract.ts";

type About = Pick<LinkShown, "purpose" | "planHash" | "transactions">;

/**
 * Remembers in the browser what its wallet has sent for a link, so that a reload does not sign
 * twice. A payment is remembered under its intent, which is never that of another. A cancellation
 * has a key of its own: reporting the payment in its place would say that nothing was cancelled.
 */
export const sentMemory = {
	keep(storage: () => Storage, link: About, transactionHash: string): void {
		try {
			storage().setItem(keyOf(link), transactionHash);
		} catch {
			// A browser that keeps nothing: then only this page knows.
		}
	},
	find(storage: () => Storage, link: About): string | null {
		try {
			return storage().getItem(keyOf(link));
		} catch {
			return null;
		}
	},
};

function keyOf({ purpose, planHash, transactions }: About): string {
	return purpose === "cancel" ? `cancelled:${planHash}` : `sent:${transactions[0]?.intentId}`;
}
