import { Fault } from "#core/fault/Fault.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { RECONCILES_AT_ONCE } from "#plugins/wallets/reconcile/limits.ts";

/**
 * Acts on items, a few at once, until the signal aborts. One that fails is logged, and comes again
 * by the clock; the others go on.
 */
export async function eachAtOnce<Item>(
	deps: Pick<ExecutionDeps, "log">,
	{ items, signal }: { items: readonly Item[]; signal: AbortSignal },
	act: (item: Item) => Promise<unknown>,
): Promise<void> {
	const rest = [...items];
	const work = async () => {
		for (let item = rest.shift(); item !== undefined && !signal.aborted; item = rest.shift()) {
			try {
				await act(item);
			} catch (error) {
				const level = error instanceof Fault ? "warn" : "error";
				deps.log[level]("an intent could not be taken further now", { error });
			}
		}
	};
	await Promise.all(Array.from({ length: RECONCILES_AT_ONCE }, work));
}
