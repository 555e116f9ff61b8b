import type { CallTurn } from "#core/chain/rpc/budget/CallBudget.ts";
import type { Turns, Waiting } from "#core/chain/rpc/budget/createTurns.ts";
import { TURN_WAIT_MAX_MS } from "#core/chain/rpc/budget/limits.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";

/**
 * Waits in the queue for a turn; returns how many calls were granted. Fails as a silence that is
 * not the endpoint's fault if the signal aborts or the turn takes too long, and then calls
 * `onLeft`.
 */
export function waitForTurn(
	turns: Turns,
	calls: number,
	{ rank, signal }: CallTurn,
	onLeft: () => void,
): Promise<number> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(noTurn("it was given up"));
		const waiting: Waiting = {
			calls,
			rank,
			grant(granted) {
				end();
				resolve(granted);
			},
		};
		const timer = setTimeout(() => leave("too many wait for it"), TURN_WAIT_MAX_MS);
		const onAbort = () => leave("it was given up");
		signal?.addEventListener("abort", onAbort, { once: true });
		turns.add(waiting);

		function leave(why: string) {
			turns.remove(waiting);
			end();
			onLeft();
			reject(noTurn(why));
		}
		function end() {
			clearTimeout(timer);
			signal?.removeEventListener("abort", onAbort);
		}
	});
}

function noTurn(why: string) {
	return rpcFault.transport({ detail: `waiting for a turn: ${why}`, meta: { paced: true } });
}
