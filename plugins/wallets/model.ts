// Declares the types that the whole plugin uses: wallets, profiles, intents, plans, and limits.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { IntentStatus } from "#plugins/wallets/intent/Intent.ts";
import type { IntentError } from "#plugins/wallets/intent/intentError.ts";

/** Says who signs for a wallet. The server sends only for `embedded/delegated`. */
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
	/** Counts changes of the profile that an armed plan must notice. */
	revision: number;
	wallets: readonly Wallet[];
};

/** Names the channel by which a request came. Limits differ by channel. */
export type Channel = "api" | "social" | "snipe" | "agent" | "job";

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
	/** The whole denial, as the owner is shown it; null where there is no code. */
	error: IntentError | null;
	request: Request;
	plan: Plan | null;
	planHash: Hex | null;
	batchId: string | null;
	transactionHash: Hex | null;
	/** The intent's newest cancellation by nonce; null where none was asked for. */
	cancellation: Cancellation | null;
	/** True: the owner has to approve by a link, whatever their profile's settings are. */
	asks: boolean;
	/** The step before it, newest first; null where there is none. */
	afterId: string | null;
	/**
	 * The transaction, without a record of ours, of which the owner was asked whether it was the
	 * payment already. If the intent was sent after that, they answered no.
	 */
	looksPaid?: Hex | null;
	createdAtMs: number;
	changedAtMs: number;
	expiresAtMs: number;
};

/** A transaction of nothing that takes the nonce from an intent's payment. */
export type Cancellation = { state: SubmissionState; transactionHash: Hex | null };

/**
 * Names the states of a submission. `queued`: reserved, not handed over. `doubtful`: it is not
 * known whether it was sent. `dropped`: it was sent, and no node knows it any more. `refused`: the
 * wallet provider refused, but named a hash: signed bytes exist, and no node knows them. `never`:
 * it is proved that it was not sent, or that its nonce was used by another transaction.
 */
export type SubmissionState =
	| "queued"
	| "sending"
	| "sent"
	| "doubtful"
	| "dropped"
	| "refused"
	| "mined"
	| "reverted"
	| "never";

/** Holds what would be sent, decoded. Only a plan is ever signed. */
export type Plan = {
	chainId: number;
	from: Address;
	to: Address;
	valueRaw: bigint;
	data: Hex;
	/** The amount that leaves the wallet, without the network fee. */
	spend: {
		currency: Address;
		raw: bigint;
		decimals: number;
		symbol: string;
		/**
		 * The least that is bought, in a currency that has a price: limits count this where it is more
		 * than the price of what is spent, or where that has none.
		 */
		worth?: { currency: Address; raw: bigint };
	};
	/** The recipient, for policy. */
	recipient: Address | null;
	/** The part of `valueRaw` that pays for a message: judged like a network fee. */
	feeRaw?: bigint;
	/** Says the least tip per gas, in base units: more than nodes ask for, to be mined earlier. */
	tipRaw?: bigint;
	/** The intent is this signature, no transaction: it calls nothing; `spend` is what it allows. */
	signs?: Signable;
	/** Holds what a person is shown of this transaction, as JSON: sentences and figures. */
	shown: Readonly<Record<string, unknown>>;
	/** The time after which it must be planned anew. */
	expiresAtMs: number;
};

/**
 * Holds what a wallet is to sign in place of a transaction: bytes (EIP-191) or typed data
 * (EIP-712). `spender` may take money by the signature: policy judges it like the contract that a
 * transaction calls. Null: the signature allows no payment.
 */
export type Signable =
	| { kind: "message"; message: Hex; spender: Address | null }
	| { kind: "typed_data"; typedData: SignableTypedData; spender: Address | null };

/** As EIP-712 has it. Integers of the message are decimal text, which JSON keeps exactly. */
type SignableTypedData = {
	domain: { name: string; version: string; chainId: number; verifyingContract: Address };
	types: Record<string, { name: string; type: string }[]>;
	primaryType: string;
	message: Record<string, string>;
};

/** Holds what policy decides by, read under the lock of the profile's row. */
export type SpendSituation = {
	/** Microdollars of the plan's spend; null where no feed knows. */
	usdMicros: bigint | null;
	/** Reserved and not released in the last 24 hours, of the profile. */
	spentTodayUsdMicros: bigint;
	/** Limits in force: the profile's, the channel's, the deployment's, whichever is least. */
	limits: SpendLimits;
	/** How long the profile knows the plan's recipient, in milliseconds; null where there is none. */
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
