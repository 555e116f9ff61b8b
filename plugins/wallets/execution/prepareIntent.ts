// Asks an intent's kind what would be sent, and checks it. Holds limits and settings.

import { z } from "zod";
import { isAddress } from "#core/chain/Hex.ts";
import { commaList } from "#core/config/fields.ts";
import { assert, defineFaults, denied, Fault } from "#core/fault.ts";
import { isOfOtherChain } from "#plugins/wallets/chain/readAccount.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Preparation } from "#plugins/wallets/IntentKind.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import type { IntentTimes, IntentToInsert } from "#plugins/wallets/intent/intentRow.ts";
import type { Intent, Plan, Profile, Signable, Wallet } from "#plugins/wallets/model.ts";
import type { NewIntent } from "#plugins/wallets/Wallets.ts";

/** Limits the time in which a kind returns what would be sent. */
export const PREPARE_TIMEOUT_MS = 20_000;

/** Far above every order we fill. */
export const CALLDATA_BYTES_MAX = 65_536;

/** Intents of one call; a wallet transfer has as many recipients. */
export const BATCH_MAX = 50;

/** Plans of a batch made at once. */
export const PREPARES_AT_ONCE = 4;

/** An intent that was not sent by then is not sent any more. */
export const INTENT_LIFETIME_MS = 120_000;

/** The lifetime of a question to the owner, and of its link. */
export const QUESTION_LIFETIME_MS = 600_000;

/** The time that a plan waits for an operator's review. */
export const REVIEW_LIFETIME_MS = 86_400_000;

/** Between taking a nonce and handing over: later than that it is not handed over at all. */
export const HAND_OVER_WITHIN_MS = 5_000;

/**
 * The gas of a transaction whose simulation reverts: the account has code, and a revert uses its
 * nonce as well.
 */
export const GAS_WHERE_IT_REVERTS = 200_000n;

const usd = (fallback: number) => z.number().min(0).max(1_000_000_000).default(fallback);

/** Declares an operator's settings of the path by which money leaves. */
export const executionConfig = {
	TRADING_DRY_RUN: z
		.boolean()
		.default(true)
		.describe("Judge and record intents, and send nothing. Off in the sandbox."),
	TRADING_PER_TRADE_USD_MAX: usd(5_000).describe("The most one intent may spend, in USD."),
	TRADING_WALLET_NOTIONAL_USD_MAX: usd(10_000).describe(
		"The most one intent may move out of one wallet, in USD, where the wallet has no limit.",
	),
	TRADING_DAILY_USD_MAX: usd(20_000).describe("The most a profile may spend in 24 hours, in USD."),
	TRADING_SOCIAL_USD_MAX: usd(500).describe(
		"The most that may be spent by social posts and messages, a trade and a day, in USD.",
	),
	TRADING_NETWORK_FEE_USD_MAX: usd(200).describe(
		"The most one transaction may offer the network for gas, in USD, whatever the node asks for.",
	),
	TRADING_RECIPIENT_COOLDOWN_MINUTES: z
		.int()
		.min(0)
		.max(43_200)
		.default(0)
		.describe("How long a recipient must be known before money goes there by itself; 0: no wait."),
	TRADING_DESTINATIONS: commaList(z.string().toLowerCase().refine(isAddress))
		.default([])
		.meta({ expects: "addresses, separated by commas" })
		.describe("The only addresses that may be called or paid, separated by commas. Unset: all."),
	TRADING_INTENTS_BURST_MAX: z
		.int()
		.min(50)
		.max(1_000_000)
		.default(600)
		.describe("How many intents a profile may ask for at once, after it asked for none."),
	TRADING_INTENTS_PER_MINUTE_MAX: z
		.number()
		.positive()
		.max(1_000_000)
		.default(120)
		.describe("How many intents a profile may ask for in the long run: all are kept for ever."),
	TRADING_REFUSED_INTENT_COST: z
		.int()
		.min(0)
		.max(1_000)
		.default(5)
		.describe("As how many more intents one counts that is refused: it costs its owner nothing."),
	RESTORED: z
		.boolean()
		.default(false)
		.describe(
			"Set it for the first start on a backup that was put back: what wallets sent since an hour " +
				"before its last sign of life is read before they spend again. Without it, since that.",
		),
	TRADING_FINAL_DEPTH_BLOCKS: z
		.int()
		.min(1)
		.max(10_000)
		.default(64)
		.describe("Blocks on top of a transaction after which nobody looks at it again."),
	TRADING_SLOW_AFTER_SECONDS: z
		.int()
		.min(10)
		.max(86_400)
		.default(120)
		.describe(
			"For how long a transaction may wait for its block before operators are shown it, in seconds; " +
				"20 blocks at least on chains that are slower.",
		),
};

/** Names what can be wrong with a request about an intent. */
export const executionFault = defineFaults({
	notFound: {
		status: 404,
		retry: "never",
		public: "There is no such intent.",
		advice: "Use the id of an intent that the lists show.",
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
