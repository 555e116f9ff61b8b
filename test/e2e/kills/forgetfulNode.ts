import { bytesToHex } from "viem";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/limits.ts";
import type { KillLane } from "#test/e2e/kills/openKillLane.ts";

/** Longer than anything that no node knows is believed in. */
const LOST_MS = UNSEEN_DROPPED_MS + 60_000;

/**
 * Has the node forget all that waits of the lane's wallet, once, as soon as the service has seen
 * all of it there; then so much time passes that it is given up for lost. Called again and again,
 * also after a death.
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
		// The node forgets with one all that follow it, and what was never seen stays lost.
		if (open.length === 0 || !open.every(({ isSeen }) => isSeen)) return;
		hasForgotten = true;
		for (const { hash } of open) {
			if (hash) await lane.world.anvil.rpc("anvil_dropTransaction", [bytesToHex(hash)]);
		}
		await lane.tick(LOST_MS);
	};
}
