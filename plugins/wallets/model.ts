// Declares what the whole plugin speaks of: wallets, profiles, intents, plans, and limits.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { IntentStatus } from "#plugins/wallets/intent/Intent.ts";
import type { IntentError } from "#plugins/wallets/intent/intentError.ts";

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
	/** The intent's newest cancellation by nonce; null where nobody asked for one. */
	cancellation: Cancellation | null;
	/** Its owner is asked by a link, whatever their profile says. */
	asks: boolean;
	/** The step before it, newest first; null where there is none. */
	afterId: string | null;
	/**
	 * Its owner was asked whether this transaction, which is on no record of ours, was the payment
	 * already. Where it was sent after that, they said no.
	 */
	looksPaid?: Hex | null;
	createdAtMs: number;
	changedAtMs: number;
	expiresAtMs: number;
};

/** A transaction of nothing that takes the nonce from an intent's payment. */
export type Cancellation = { state: SubmissionState; transactionHash: Hex | null };

/**
 * `queued`: reserved for, handed to nobody. `doubtful`: nobody can say whether it left. `dropped`:
 * it left, and no node knows it any more. `refused`: the wallet provider said no, and named a hash:
 * signed bytes exist, and no node knows them. `never`: it is proved that it did not leave, or that
 * its nonce went to another transaction.
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
	/** Says the least tip per gas, in base units: more than nodes ask for, to be mined earlier. */
	tipRaw?: bigint;
	/** The intent is this signature, no transaction: it calls nothing; `spend` is what it allows. */
	signs?: Signable;
	/** For a person: what this transaction does, in sentences and figures. JSON. */
	shown: Readonly<Record<string, unknown>>;
	/** After that it must be planned anew. */
	expiresAtMs: number;
};

/**
 * What a wallet is to sign in place of a transaction: bytes (EIP-191) or typed data (EIP-712).
 * `spender` may take money by it: policy knows it like what a transaction calls. Null: nobody may.
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
