import type { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { extensionPoint, serviceKey } from "#core/plugin/Plugin.ts";
import type { Caller } from "#core/plugin/Tool.ts";
import { statusSentence } from "#plugins/wallets/agent/intentTools.ts";
import {
	ALLOWANCE as allowance,
	type AllowanceRequest as RequestOfAllowance,
} from "#plugins/wallets/allowance.ts";
import type { CancelAsked } from "#plugins/wallets/cancel/cancelIntent.ts";
import { cancellationSchema as cancellationView } from "#plugins/wallets/cancel/planCancellation.ts";
import {
	type TradingSetting as SettingOfTrading,
	settingRows,
} from "#plugins/wallets/control/settings.ts";
import { documented } from "#plugins/wallets/documented.ts";
import type {
	Preparation as PreparationOfKind,
	Question as QuestionOfPlan,
} from "#plugins/wallets/execution/prepareIntent.ts";
import { type IntentStatus, intentStatuses } from "#plugins/wallets/intent/Intent.ts";
import type { linkOutcomeSchema, linkSchema } from "#plugins/wallets/link/linkSchema.ts";
import type { Signable as SignableOfPlan } from "#plugins/wallets/plan.ts";
import type { SubmissionState } from "#plugins/wallets/submission/submission.ts";

/** Who signs for a wallet. The server submits for `embedded/delegated` alone. */
export type WalletCapability =
	| "external/manual"
	| "embedded/manual"
	| "embedded/delegated"
	| "review-required"
	| "disabled";

export type Wallet = {
	id: string;
	profileId: string;
	address: Address;
	/** The chain it was linked on. */
	chainId: number;
	capability: WalletCapability;
	/** The wallet provider's name for it; null for an external one. Never in an answer. */
	providerWalletId: string | null;
	/** Microdollars one intent may move; null: the deployment's default. */
	notionalUsdMax: bigint | null;
	revision: number;
};

export type Profile = {
	id: string;
	socialUserId: string | null;
	socialUsername: string | null;
	canonicalWalletId: string | null;
	requireTradeConfirmation: boolean;
	/** Microdollars; null: the deployment's default. */
	perTradeUsdMax: bigint | null;
	dailyUsdMax: bigint | null;
	/** Grows with whatever an armed plan must notice. */
	revision: number;
	wallets: readonly Wallet[];
};

/** Through what somebody speaks. Caps differ. */
export type Channel = "api" | "social" | "snipe" | "agent" | "job";

/** Bytes (EIP-191) or typed data (EIP-712) that a wallet signs. */
export type Signable = SignableOfPlan;

/** What would be sent, as we understand it. Nothing is signed that is not one of these. */
export type Plan = {
	chainId: number;
	from: Address;
	to: Address;
	valueRaw: bigint;
	data: Hex;
	/** What leaves the wallet: fee of the network not included. */
	spend: {
		currency: Address;
		raw: bigint;
		decimals: number;
		symbol: string;
		/**
		 * What is bought with it, at least, in a currency that has a price: limits count this where it
		 * is more than the price of what is spent, or where that has none.
		 */
		worth?: { currency: Address; raw: bigint };
	};
	/** Who gets it; policy knows them. */
	recipient: Address | null;
	/** Of `valueRaw`, what only carries the message: judged as a fee of the network is. */
	feeRaw?: bigint;
	/** It is this signature, and no transaction: it calls nothing, and `spend` is what it allows. */
	signs?: Signable;
	/** For a person: what this transaction does, in sentences and figures. JSON. */
	shown: Readonly<Record<string, unknown>>;
	/** After that it must be planned anew. */
	expiresAtMs: number;
};

/** A reason why nothing is sent, in a stable code and a sentence. */
export type Denial = { code: string; detail: string };

/** What a kind answers when it is asked what would be sent. */
export type Preparation = PreparationOfKind;

/** What a kind wants to know of the chain only to tell it to a person. */
export type Question = QuestionOfPlan;

/** What policy decides on, read under the lock of the profile's row. */
export type SpendSituation = {
	/** Microdollars of the plan's spend; null where no feed knows. */
	usdMicros: bigint | null;
	/** Reserved and not released in the last 24 hours, of the profile. */
	spentTodayUsdMicros: bigint;
	/** Limits in force: the profile's, the channel's, the deployment's, whichever is least. */
	limits: SpendLimits;
	/** How long the plan's recipient is known to the profile; null where there is none. */
	recipientKnownForMs: number | null;
};

export type SpendLimits = {
	perTradeUsdMicros: bigint;
	walletNotionalUsdMicros: bigint;
	dailyUsdMicros: bigint;
	recipientCooldownMs: number;
};

export type Receipt = {
	transactionHash: Hex;
	blockNumber: number;
	blockHash: Hex;
	succeeded: boolean;
	logs: readonly { address: Address; topics: readonly Hex[]; data: Hex }[];
};

export type Intent<Request = unknown> = {
	id: string;
	kind: string;
	profileId: string;
	/** Null: its profile had none to use. Then it is rejected, and kept. */
	walletId: string | null;
	chainId: number;
	channel: Channel;
	status: IntentStatus;
	errorCode: string | null;
	request: Request;
	plan: Plan | null;
	planHash: Hex | null;
	batchId: string | null;
	transactionHash: Hex | null;
	/** Its newest cancellation by nonce; null where nobody asked for one. */
	cancellation: Cancellation | null;
	/** Its owner is asked by a link, whatever their profile says. */
	asks: boolean;
	/** The step before it, newest first; null where there is none. */
	afterId: string | null;
	createdAtMs: number;
	changedAtMs: number;
	expiresAtMs: number;
};

/** A transaction of nothing that takes the nonce from an intent's payment. */
export type Cancellation = { state: SubmissionState; transactionHash: Hex | null };

/** How a kind of intent thinks. Registered in `setup`; it owns no state. */
export type IntentKind<Request> = {
	name: string;
	/** The plugin whose kill switch holds it back. */
	plugin: string;
	/** What is stored of a request, as JSON. */
	request: z.ZodType<Request>;
	/**
	 * Reads what it needs and says what would be sent. May be called again (a confirmation, a crash):
	 * it changes nothing anywhere. Each outbound call goes through `outbound`, under a name that is
	 * in the kind's `steps`.
	 */
	prepare(
		intent: Intent<Request>,
		context: { wallet: Wallet; profile: Profile; outbound: Outbound; signal: AbortSignal },
	): Promise<Preparation>;
	/** Names of its outbound calls, for the tests that kill between them. */
	steps: readonly string[];
	/**
	 * Whether a plan made anew is still what its owner said yes to. Left out: only the same bytes.
	 */
	keeps?(approved: Plan, fresh: Plan): boolean;
	/**
	 * True: what an owner's own wallet signs is asked for until the plan expires. Left out: as long
	 * as a link stands, because the chain itself refuses what comes late.
	 */
	endsWithPlan?: boolean;
	/** Pure. Null: it may be sent. */
	deny(situation: SpendSituation): Denial | null;
	/**
	 * After a receipt of success: whether what was bought is there. Balance and ownership, not hope.
	 * A code makes the intent `failed` with it: the money is spent all the same. `spentRaw`: it is
	 * there, and cost so much of what was reserved; the rest is given back.
	 */
	settle(
		intent: Intent<Request>,
		receipt: Receipt,
		context: { wallet: Wallet; outbound: Outbound; signal: AbortSignal },
	): Promise<Settlement>;
};

/** What a receipt of success came to: null, all that was reserved paid for what is there. */
export type Settlement = (Denial & { spentRaw?: bigint }) | { spentRaw: bigint } | null;

export type Outbound = <Result>(step: string, call: () => Promise<Result>) => Promise<Result>;

export type NewIntent = {
	kind: string;
	profile: Profile;
	/** Null: the profile has none to use. It is kept, and rejected with `no_executable_wallet`. */
	wallet: Wallet | null;
	chainId: number;
	channel: Channel;
	request: unknown;
	batchId?: string;
	/**
	 * True: the owner is asked by a link before anything is sent, also where their profile asks for
	 * no confirmation. For what a program or a model proposes in their name. Left out: false.
	 */
	asks?: boolean;
	/** Of the step that it is `waiting` for at first: the place, earlier in the same `create`. */
	after?: number;
};

/**
 * The one path that money leaves by.
 *
 * `create` records an intent; `advance` takes it as far as it goes without its owner: to `rejected`,
 * to a question, to `submitted`, to `uncertain`. Both may be called again at any time by anybody:
 * an intent is sent at most once.
 */
export type Execution = {
	register<Request>(kind: IntentKind<Request>): void;
	/** In the caller's transaction: what it records beside it is there with it or not at all. */
	create(tx: Tx, intents: readonly NewIntent[]): Promise<Intent[]>;
	/** Batches are judged as a whole: one that is denied denies all, and nothing is sent. */
	advance(
		intentIds: readonly string[],
		signal: AbortSignal,
		/** What `once` has just recorded, all of them: it is not read again to be judged. */
		recorded?: Recorded | null,
	): Promise<Intent[]>;
	/** Its owner said yes to the plan of this hash; anything else is planned and asked anew. */
	approve(intentId: string, planHash: Hex): Promise<Intent>;
	/**
	 * The owner's own wallet sent it. The chain decides whether that is so. `early`: it did not wait
	 * for the step before, and this is the plan that the caller has seen on chain as what it sent.
	 */
	signed(intentId: string, transactionHash: Hex, early?: Plan): Promise<Intent>;
	/**
	 * Cancels it, for its owner (`profile:<id>`) or an operator (`operator:<name>`). What was not
	 * sent is called off at once. What was sent, or may have been, is cancelled by its nonce, and
	 * stands where it stood until that is final: `cancellation` says how far it is. Throws
	 * `cancel_not_ours` where only its owner's wallet can: `Wallets.cancel` asks them.
	 */
	cancel(intentId: string, by: Omit<CancelAsked, "intentId">): Promise<Intent>;
	read(intentId: string, profileId: string): Promise<Intent | null>;
	/** What a wallet signed for an intent; null: nothing. Whoever has it may be able to spend. */
	signatureOf(intentId: string): Promise<Hex | null>;
	/** Returns the intent to ask for links with: itself, or where it is `waiting` the step before. */
	asking(intent: Intent): Promise<Intent>;
	/**
	 * Returns where intents stand and what the spend ledger holds for each, in base units of what
	 * they spend: reserved or spent, and not given back. A release that the chain took back counts
	 * again. In the caller's transaction; ids that are not there are left out.
	 */
	held(tx: Queryable, intentIds: readonly string[]): Promise<Held[]>;
	list(
		profileId: string,
		page: { kinds?: readonly string[]; limit: number; cursor?: string | undefined },
	): Promise<{ items: Intent[]; nextCursor: string | null }>;
};

/** What an intent holds of its owner's money. `failed` can still mean spent. */
export type Held = {
	intentId: string;
	status: IntentStatus;
	errorCode: string | null;
	raw: bigint;
};

/** Who speaks: a session of the profile's, or the wallet provider's access token. */
export type Principal = {
	profile: Profile;
	sessionId: string | null;
	/** When they proved who they are; without it, nobody knows, which is not recently. */
	signedInAtMs?: number | undefined;
};

/** Intents as they were recorded a moment ago, and whose they are, as they signed in. */
export type Recorded = { intents: readonly Intent[]; profile: Profile };

export type OnceRequest = {
	principal: Principal;
	/** Method and path, such as `POST /v1/trading/wallet-transfers`. */
	route: string;
	/** As sent; null where there is none. */
	idempotencyKey: string | null;
	/** The body as it was parsed: what makes two requests the same. */
	body: unknown;
	/**
	 * What is recorded, all of it the principal's. Checks that cost nothing come before. May be empty
	 * where there is a `record`.
	 */
	intents: readonly NewIntent[];
	/**
	 * Writes a row of the plugin's own under this id, in the transaction that takes the key: it is
	 * there with its key or not at all. May run again for the same id where that transaction was
	 * rolled back. It throws Faults to refuse; then nothing is recorded.
	 */
	record?(tx: Tx, recordId: string): Promise<void>;
	/** May run again for the same intents. */
	answer(
		intentIds: readonly string[],
		/** What this request has recorded; null where an earlier one had. */
		recorded: Recorded | null,
		/** The id of the row that `record` wrote, also where an earlier request had; else null. */
		recordId: string | null,
	): Promise<{ status: number; body: unknown }>;
};

/** Says in a few words where an intent stands, for a tool's line. */
export const intentSentence = statusSentence;

/**
 * The route of what tools record with `once`, beside the tool's name in the body. It is one for
 * all tools: another text under a key is `idempotency_conflict`, whichever tool it asks for.
 */
export const TOOL_ROUTE = "agent tool";

/** The channel by whose limits a tool's caller is held. */
export function channelOf({ channel }: Caller): Channel {
	return channel === "social" ? "social" : "agent";
}

/**
 * The kind of a step that lets a contract take exactly so much of a token. Spends nothing: what
 * uses it counts. Where so much is allowed already it is `confirmed` without being sent.
 */
export const ALLOWANCE = allowance;
/** The request of an `ALLOWANCE` step. */
export type AllowanceRequest = RequestOfAllowance;

/** How answers show `cancellation` of an intent. */
export const cancellationSchema = cancellationView;

/** Every status of an intent. */
export const INTENT_STATUSES = intentStatuses;

/** What a one-time link tells the page behind it: `GET /v1/links/:token`. */
export type LinkShown = z.output<typeof linkSchema>;
/** Where an intent of a link stands, as it tells that page. */
export type LinkOutcome = z.output<typeof linkOutcomeSchema>["intents"][number];

/** Returns what operators set under a setting's key; null: nothing. */
export const readTradingSetting = settingRows.value;

/** For the document: what a route that goes through `once` takes, how that and a cancel fail. */
export const tradingDocumented = documented;

export type Wallets = {
	/** Throws `unauthorized` (401) where nobody, or nobody any more, is signed in. */
	authenticate(request: Request): Promise<Principal>;
	profileOfSocial(socialUserId: string): Promise<Profile | null>;
	/** Returns the profile of the deployment's own wallet, which nobody signs in to. */
	deploymentProfile(wanted: { providerWalletId: string; signal: AbortSignal }): Promise<Profile>;
	/**
	 * Returns the profile that a tool's caller speaks for, as it is now. Throws `unauthorized` (401)
	 * where there is none. It does not say when they signed in: what needs that goes by a route.
	 */
	principalOf(caller: Caller): Promise<Principal>;
	execution: Execution;
	/**
	 * Runs a request that can move money, once for each `idempotency-key`: the same key and body is
	 * answered with the first answer's bytes, another body is `idempotency_conflict` (409), one under
	 * way `request_running` (409 with `Retry-After`). The key is taken in the transaction that makes
	 * the intents; whoever takes over from a process that died answers for the same intents.
	 */
	once(request: OnceRequest): Promise<Response>;
	/**
	 * Cancels an intent of a profile's for its owner, as `Execution.cancel` does. Where only their
	 * own wallet can, nothing is done yet, and `cancelUrl` is a one-time link by which it does.
	 */
	cancel(
		intentId: string,
		by: { profile: Profile; signal: AbortSignal },
	): Promise<{ intent: Intent; cancelUrl: string | null }>;
	/** A one-time link by which the intent's owner confirms, or signs with their own wallet. */
	link(intent: Intent, purpose: "confirm" | "sign"): Promise<{ url: string; expiresAtMs: number }>;
};

/** What operators change while the service runs, offered by any plugin. */
export type TradingSetting = SettingOfTrading;
export const TradingSettingPoint = extensionPoint<TradingSetting>("wallets.trading-setting");

export const WalletsKey = serviceKey<Wallets>()("wallets");
