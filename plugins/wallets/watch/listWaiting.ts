import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { actionsOf, type WaitAction } from "#plugins/wallets/watch/actionsOf.ts";
import { type JudgedIntent, judgeAll } from "#plugins/wallets/watch/judgeAll.ts";
import { readWaiting } from "#plugins/wallets/watch/readWaiting.ts";
import { waitWords } from "#plugins/wallets/watch/waitWords.ts";

export type ListedIntent = JudgedIntent & { waitsFor: string; actions: WaitAction[] };

type ListWorld = Pick<ExecutionWorld, "db" | "clock" | "nonceClaims" | "settings" | "rpcOf">;

/** Intents that wait for longer than they should, each with why and with what can be done now. */
export async function listWaiting(world: ListWorld, limit: number): Promise<ListedIntent[]> {
	const nowMs = world.clock.nowMs();
	const { slowAfter } = world.settings;
	const rows = await readWaiting(world.db, { slowAfter, nowMs, limit });
	const judged = await judgeAll(world, rows, nowMs);
	return judged.map((one) => ({
		...one,
		waitsFor: waitWords[one.reason].waitsFor,
		actions: actionsOf(world, one),
	}));
}
