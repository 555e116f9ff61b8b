// Re-states what other plugins may use of wallets. Files of wallets import each from its home.

import { extensionPoint, serviceKey } from "#core/plugin/Plugin.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import {
	endOfIntent as endOf,
	periodInput as periodShape,
	requirePeriod as requirePeriodOf,
	statusSentence,
	ownersTurn as turnOf,
} from "#plugins/wallets/agent/intentTools.ts";
import { ALLOWANCE as allowance } from "#plugins/wallets/allowance.ts";
import { cancellationSchema as cancellationView } from "#plugins/wallets/cancel/planCancellation.ts";
import { settingRows } from "#plugins/wallets/control/settings.ts";
import { documented } from "#plugins/wallets/documented.ts";
import { intentStatuses } from "#plugins/wallets/intent/Intent.ts";
import {
	intentCode as codeSchema,
	usdFigure as dollarsOf,
	intentErrorSchema as errorSchema,
	amountFigure as figureOf,
	errorOfCode as reasonOf,
} from "#plugins/wallets/intent/intentError.ts";
import type { Channel } from "#plugins/wallets/model.ts";
import {
	OwnedActionsPoint as ownedActions,
	ownIntentSchema as ownSchema,
	ownTopic as topicOfOwn,
} from "#plugins/wallets/routes/ownActions.ts";
import { createSignedIn as createSignedInHook } from "#plugins/wallets/session/createAuthenticate.ts";
import {
	toldByLogs as byLogs,
	toldByValue as byValue,
	judgeArrival as judge,
	measureChange as measure,
	settledBy as settled,
} from "#plugins/wallets/settle/arrived.ts";
import type { TradingSetting, Wallets } from "#plugins/wallets/Wallets.ts";

export type { AllowanceRequest } from "#plugins/wallets/allowance.ts";
export type {
	IntentKind,
	Outbound,
	Preparation,
	Question,
	Settlement,
} from "#plugins/wallets/IntentKind.ts";
export type { Denial, Figure, IntentError } from "#plugins/wallets/intent/intentError.ts";
export type { LinkOutcome, LinkShown } from "#plugins/wallets/link/linkSchema.ts";
export type {
	Cancellation,
	Channel,
	Intent,
	Plan,
	Profile,
	Receipt,
	Signable,
	SpendLimits,
	SpendSituation,
	Wallet,
	WalletCapability,
} from "#plugins/wallets/model.ts";
export type { OwnedAction, OwnedActions, OwnedQuery } from "#plugins/wallets/routes/ownActions.ts";
export type { SignedIn } from "#plugins/wallets/session/createAuthenticate.ts";
export type {
	Arrival,
	Change,
	ChangeAsked,
	Holding,
	MinedTransaction,
} from "#plugins/wallets/settle/arrived.ts";
export type {
	Execution,
	Held,
	NewIntent,
	OnceRequest,
	Principal,
	Recorded,
	TokenBook,
	TokenPlace,
	TokenPrice,
	TokenSource,
	TradingSetting,
	Wallets,
} from "#plugins/wallets/Wallets.ts";

/** Makes the hook that authenticates before anything else: for both `parse` and `transform`. */
export const createSignedIn = createSignedInHook;

/** Describes an intent's status in a few words, for a tool's line. */
export const intentSentence = statusSentence;

/** Says what an intent waits for its owner to do, and where the link for it comes from. */
export const ownersTurn = turnOf;

/** Describes the `error` of an intent in answers, beside `errorCode`. */
export const intentErrorSchema = errorSchema;

/** Describes `errorCode` of an intent in answers: one of the codes that have a page. */
export const intentCode = codeSchema;

/** Returns the reason of a code alone, in its own words. */
export const errorOfCode = reasonOf;

/** Make the figures of a denial: microdollars, and an amount of a currency, exact. */
export const usdFigure = dollarsOf;
export const amountFigure = figureOf;

/** Returns what ended an intent, for code that follows it; null while it has not ended. */
export const endOfIntent = endOf;

/** A length of time or a past time, by its name, as the agent's tools take it. */
export const periodInput = periodShape;
/** Returns the period that a name means now; throws a fault for a time to come. */
export const requirePeriod = requirePeriodOf;

/**
 * The route of what tools record with `once`, beside the tool's name in the body. It is one for
 * all tools: another text under a key is `idempotency_conflict`, whichever tool it asks for.
 */
export const TOOL_ROUTE = "agent tool";

/** Returns the channel by whose limits a tool's caller is held. */
export function channelOf({ channel }: Caller): Channel {
	return channel === "social" ? "social" : "agent";
}

/**
 * The kind of a step that lets a contract take exactly so much of a token. Spends nothing: what
 * uses it counts. Where so much is allowed already it is `confirmed` without being sent.
 */
export const ALLOWANCE = allowance;

/**
 * The one measure of what a mined transaction brought, for all kinds: what its receipt says, held
 * against the balances of its block. `settle` returns what `settledBy` makes of it.
 */
export const measureChange = measure;
export const judgeArrival = judge;
export const settledBy = settled;

/** Makes what a transaction itself says that it changed: by a token's logs, by the coin it pays. */
export const toldByLogs = byLogs;
export const toldByValue = byValue;

/** Describes the `cancellation` of an intent in answers. */
export const cancellationSchema = cancellationView;

/** Every status of an intent. */
export const INTENT_STATUSES = intentStatuses;

/** Returns what operators set under a setting's key; null: nothing. */
export const readTradingSetting = settingRows.value;

/**
 * Documents, for OpenAPI, the parameters of routes that use `once`, and how they and a cancel fail.
 */
export const tradingDocumented = documented;

/** Takes what a plugin lists for people beside intents, such as bridges. */
export const OwnedActionsPoint = ownedActions;

/** Describes what people asked for, in their list and in their stream, whose topic this is. */
export const ownIntentSchema = ownSchema;
export const ownIntentsTopic = topicOfOwn;

export const TradingSettingPoint = extensionPoint<TradingSetting>("wallets.trading-setting");

export const WalletsKey = serviceKey<Wallets>()("wallets");
