import { intentsOf } from "#test/e2e/kills/intentsOf.ts";
import type { KillRun } from "#test/e2e/kills/KillScenario.ts";
import type { KillLane } from "#test/e2e/kills/openKillLane.ts";

const CANCELLABLE = new Set(["submitted", "uncertain"]);
/** Not yet or no longer possible, or another process holds the intent. */
const LATER = new Set([409, 503]);

/**
 * Returns a function that cancels each transfer of a run once, as soon as it was sent; true once
 * that is done, or no longer needed. It is called again and again, also after a death: a request of
 * the life before may not have been received.
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
