import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { actionsOf, type WaitAction } from "#plugins/wallets/watch/actionsOf.ts";
import { type JudgedIntent, judgeAll } from "#plugins/wallets/watch/judgeAll.ts";
import { readWaiting } from "#plugins/wallets/watch/readWaiting.ts";
import { waitWords } from "#plugins/wallets/watch/waitWords.ts";

export type ListedIntent = JudgedIntent & { waitsFor: string; actions: WaitAction[] };

type ListDeps = Pick<ExecutionDeps, "db" | "clock" | "nonceClaims" | "settings" | "rpcOf">;

/** Intents that wait for longer than they should, each with why and with what can be done now. */
export async function listWaiting(deps: ListDeps, limit: number): Promise<ListedIntent[]> {
	const nowMs = deps.clock.nowMs();
	const { slowAfter } = deps.settings;
	const rows = await readWaiting(deps.db, { slowAfter, nowMs, limit });
	const judged = await judgeAll(deps, rows, nowMs);
	return judged.map((one) => ({
		...one,
		waitsFor: waitWords[one.reason].waitsFor,
		actions: actionsOf(deps, one),
	}));
}
