import { assert } from "#core/fault/assert.ts";
import type { NewIntent } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { BATCH_MAX, INTENT_LIFETIME_MS } from "#plugins/wallets/execution/executionConfig.ts";
import type { IntentTimes, IntentToInsert } from "#plugins/wallets/intent/newIntentRows.ts";

/** Gives intents what they are recorded with: an id, a time, limits and switches as they are. */
export function readyIntents(
	deps: Pick<ExecutionDeps, "clock" | "settings" | "newId">,
	intents: readonly NewIntent[],
): { intents: IntentToInsert[]; times: IntentTimes } {
	assert(intents.length <= BATCH_MAX, "a batch has at most 50 intents");
	const nowMs = deps.clock.nowMs();
	const { isDryRun, limits } = deps.settings;
	const settings = {
		isDryRun,
		perTradeUsdMicros: String(limits.perTradeUsdMicros),
		walletNotionalUsdMicros: String(limits.walletNotionalUsdMicros),
		dailyUsdMicros: String(limits.dailyUsdMicros),
	};
	const ids = intents.map(() => deps.newId());
	return {
		intents: intents.map((intent, place) => {
			const { revision, requireTradeConfirmation } = intent.profile;
			const { asks = false, after } = intent;
			const own = { ...settings, revision, requireTradeConfirmation, asks };
			assert(after === undefined || (after >= 0 && after < place), "a step comes after another");
			const afterId = after === undefined ? null : (ids[after] ?? null);
			return { ...intent, id: ids[place] ?? "", settings: own, afterId };
		}),
		times: { at: new Date(nowMs), expiresAt: new Date(nowMs + INTENT_LIFETIME_MS) },
	};
}
