import { intentsOf } from "#test/e2e/kills/intentsOf.ts";
import type { KillRun } from "#test/e2e/kills/KillScenario.ts";
import type { KillLane } from "#test/e2e/kills/openKillLane.ts";

const CANCELLABLE = new Set(["submitted", "uncertain"]);
/** Not yet, or not any more; whoever waits for another process is told so, too. */
const LATER = new Set([409, 503]);

/**
 * Cancels each transfer of a run once, as soon as it was sent; answers whether that is done, or has
 * become needless. Called again and again, also after a death: what was asked for in the life
 * before may not have been heard.
 */
export function impatientOwner(lane: KillLane, run: KillRun): () => Promise<boolean> {
	return async () => {
		const intents = await intentsOf(lane.db, run);
		let isDone = intents.length === run.wanted.length;
		for (const { id, status } of intents) {
			if (status === "created" || status === "submitting") isDone = false;
			if (!CANCELLABLE.has(status)) continue;
			const path = `/v1/trading/wallet-transfers/${id}/cancel`;
			const { status: answered, text, body } = await lane.ask(path, { body: {} });
			if (LATER.has(answered)) isDone = false;
			else if (answered !== 200) throw new Error(`not cancelled: ${answered} ${text}`);
			else if (body.cancellation?.state === "queued") isDone = false;
		}
		return isDone;
	};
}
