import { assert } from "#core/fault/assert.ts";
import type { NewIntent } from "#plugins/wallets/contract.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { BATCH_MAX, INTENT_LIFETIME_MS } from "#plugins/wallets/execution/limits.ts";
import type { IntentTimes, IntentToInsert } from "#plugins/wallets/intent/newIntentRows.ts";

/** Gives intents what they are recorded with: an id, a time, limits and switches as they are. */
export function readyIntents(
	world: Pick<ExecutionWorld, "clock" | "settings" | "newId">,
	intents: readonly NewIntent[],
): { intents: IntentToInsert[]; times: IntentTimes } {
	assert(intents.length > 0 && intents.length <= BATCH_MAX, "a batch has 1 to 50 intents");
	const nowMs = world.clock.nowMs();
	const { isDryRun, limits } = world.settings;
	const settings = {
		isDryRun,
		perTradeUsdMicros: String(limits.perTradeUsdMicros),
		walletNotionalUsdMicros: String(limits.walletNotionalUsdMicros),
		dailyUsdMicros: String(limits.dailyUsdMicros),
	};
	return {
		intents: intents.map((intent) => {
			const { revision, requireTradeConfirmation } = intent.profile;
			const own = { ...settings, revision, requireTradeConfirmation };
			return { ...intent, id: world.newId(), settings: own };
		}),
		times: { at: new Date(nowMs), expiresAt: new Date(nowMs + INTENT_LIFETIME_MS) },
	};
}
