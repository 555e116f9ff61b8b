import type { Denial, Intent } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { chargeRefused } from "#plugins/wallets/quota/quotaSql.ts";

/** Ends intents of one batch for which nothing was sent, and charges their owner for a refusal. */
export async function closeBatch(
	deps: ExecutionDeps,
	intents: readonly Intent[],
	{ event, denial }: { event: "deny" | "expire"; denial: Denial | null },
): Promise<void> {
	const at = new Date(deps.clock.nowMs());
	const errorCode = denial?.code ?? null;
	const detail = denial?.detail ?? null;
	await deps.steps.run("commit.close", () =>
		deps.db.transaction(async (tx) => {
			// One order for all, so that two who deny one batch do not lock each other out.
			const ids = intents.map(({ id }) => id).sort();
			let moved = 0;
			for (const intentId of ids) {
				const to = await moveIntent(tx, { intentId, event, at, errorCode, detail });
				if (to !== null) moved++;
			}
			const profileId = intents[0]?.profileId ?? "";
			const { quota } = deps.settings;
			if (event === "deny") await chargeRefused(tx, { profileId, refused: moved, quota });
		}),
	);
}

/** Denies a batch. Returns null: nothing of it was sent. */
export async function deny(
	deps: ExecutionDeps,
	intents: readonly Intent[],
	denial: Denial,
): Promise<null> {
	await closeBatch(deps, intents, { event: "deny", denial });
	return null;
}
