import { bytesToHex } from "viem";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/limits.ts";
import type { KillLane } from "#test/e2e/kills/openKillLane.ts";

/** Longer than a transaction that no node knows is still expected. */
const LOST_MS = UNSEEN_DROPPED_MS + 60_000;

/**
 * Returns a function that lets the node drop all pending transactions of the lane's wallet, once,
 * as soon as the service has seen all of them there; then so much time passes that they are given
 * up for lost. It is called again and again, also after a death.
 */
export function forgetfulNode(lane: KillLane): () => Promise<void> {
	let hasForgotten = false;
	return async () => {
		if (hasForgotten) return;
		const open = await lane.db.query<{ hash: Uint8Array | null; isSeen: boolean }>(
			`select transaction_hash as hash, state = 'sent' and signed is not null as "isSeen"
			from wallets.submission
			where final_at is null and state in ('queued', 'sending', 'doubtful', 'sent')`,
		);
		// With one transaction the node drops all that follow it, and one that was never seen stays
		// lost.
		if (open.length === 0 || !open.every(({ isSeen }) => isSeen)) return;
		hasForgotten = true;
		for (const { hash } of open) {
			if (hash) await lane.world.anvil.rpc("anvil_dropTransaction", [bytesToHex(hash)]);
		}
		await lane.tick(LOST_MS);
	};
}
