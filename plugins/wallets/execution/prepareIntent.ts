// Asks an intent's kind what would be sent, and checks it.

import { assert, defineFaults, denied, Fault } from "#core/fault.ts";
import { isOfOtherChain } from "#plugins/wallets/chain/readAccount.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Preparation } from "#plugins/wallets/IntentKind.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import type { IntentTimes, IntentToInsert } from "#plugins/wallets/intent/intentRow.ts";
import {
	BATCH_MAX,
	CALLDATA_BYTES_MAX,
	INTENT_LIFETIME_MS,
	PREPARE_TIMEOUT_MS,
} from "#plugins/wallets/limits.ts";
import type { Intent, Plan, Profile, Signable, Wallet } from "#plugins/wallets/model.ts";
import type { NewIntent } from "#plugins/wallets/Wallets.ts";

/** Names what can be wrong with a request about an intent. */
export const executionFault = defineFaults({
	notFound: {
		status: 404,
		retry: "never",
		public: "There is no such intent.",
		advice: "Use the id of an intent that the lists show.",
	},
	intentFilter: {
		code: "validation_error",
		status: 422,
		retry: "never",
		public: "The query is not valid.",
		advice: "Use a kind and a status that your list shows, or leave them out.",
	},
	intentState: {
		status: 409,
		retry: "never",
		public: "The intent does not stand where that is possible.",
		advice: "Read the intent again, and decide by its `status`.",
	},
	planChanged: {
		status: 409,
		retry: "never",
		public: "What would be sent is not what was shown. Look at it again.",
		advice: "Read the link again, and say yes to what it shows now.",
	},
	transactionOther: {
		status: 409,
		retry: "never",
		public: "That transaction belongs to another intent.",
		advice: "Tell the transaction that was sent for this intent.",
	},
	kindUnknown: {
		status: 503,
		retry: "later",
		public: "The plugin that knows what was paid for is not there.",
	},
});

/**
 * Has the intent's kind say what would be sent, and holds that against what no kind may do: another
 * chain, another sender, another recipient than the deployment allows.
 *
 * What an upstream did wrong is a denial with its code: nothing was sent, so nothing is in doubt.
 * Who was called off has learned nothing of an upstream, and throws.
 */
export async function prepareIntent(
	deps: ExecutionDeps,
	given: { intent: Intent; wallet: Wallet; profile: Profile; signal: AbortSignal },
): Promise<Preparation> {
	const { intent, wallet, profile } = given;
	const kind = deps.kindOf(intent.kind);
	if (!kind) return denied("kind_disabled", `Nothing here handles "${intent.kind}" any more.`);
	const request = kind.request.safeParse(intent.request);
	if (!request.success) return denied("request_unreadable", "The stored request cannot be read.");
	const signal = AbortSignal.any([given.signal, AbortSignal.timeout(PREPARE_TIMEOUT_MS)]);
	const outbound = deps.kindSteps.run;
	try {
		const prepared = await kind.prepare(
			{ ...intent, request: request.data },
			{ wallet, profile, outbound, signal },
		);
		if (prepared.kind !== "plan") return prepared;
		const denial = planDenial(deps, { plan: prepared.plan, intent, wallet });
		return denial ? { kind: "denied", denial } : prepared;
	} catch (error) {
		if (!(error instanceof Fault) || given.signal.aborted) throw error;
		deps.log.warn("an intent could not be prepared", { intentId: intent.id, error });
		const code = isOfOtherChain(error) ? "chain_unavailable" : error.code;
		return denied(code, error.publicDetail);
	}
}

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

function planDenial(
	deps: ExecutionDeps,
	{ plan, intent, wallet }: { plan: Plan; intent: Intent; wallet: Wallet },
): Denial | null {
	assert(plan.chainId === intent.chainId, "a plan is for its intent's chain");
	assert(plan.from === wallet.address, "a plan is sent from its intent's wallet");
	assert((plan.data.length - 2) / 2 <= CALLDATA_BYTES_MAX, "calldata has a limit");
	assert(plan.valueRaw >= 0n && plan.spend.raw >= 0n, "nothing negative is paid");
	const { signs } = plan;
	if (signs) assertSignable(plan, signs);
	if (plan.expiresAtMs <= deps.clock.nowMs()) {
		return { code: "quote_expired", detail: "What was offered has run out." };
	}
	const { destinations } = deps.settings;
	const called = [plan.to, plan.recipient, signs?.spender].flatMap((one) => one ?? []);
	if (destinations.size > 0 && !called.every((address) => destinations.has(address))) {
		return { code: "policy_denied", detail: "The destination is not on the allow-list." };
	}
	return null;
}

/**
 * Refuses a plan that cannot be signed: what is signed and not sent calls nothing, and counts on no
 * other chain or contract.
 */
function assertSignable(plan: Plan, signs: Signable): void {
	assert(plan.valueRaw === 0n && plan.data === "0x", "a signature calls nothing");
	if (signs.kind === "message") return;
	const { chainId, verifyingContract } = signs.typedData.domain;
	assert(chainId === plan.chainId, "typed data is for its plan's chain");
	assert(verifyingContract === plan.to, "typed data is for its plan's contract");
}
