// Declares what other plugins may use of the wallet provider that holds our users' keys.

import type { Address, Hex } from "#core/chain/Hex.ts";
import { serviceKey } from "#core/plugin/Plugin.ts";

/** A transaction as it is handed over: everything chosen, nothing left to the other side. */
export type CustodyTransaction = {
	chainId: number;
	from: Address;
	to: Address;
	valueRaw: bigint;
	data: Hex;
	nonce: number;
	gasLimit: bigint;
	maxFeePerGas: bigint;
	maxPriorityFeePerGas: bigint;
};

/**
 * Holds the result of a request to send. `refused` is a proof that nothing was sent (an answer in
 * the 4xx that says so); everything that proves nothing, silence and 5xx and nonsense included, is
 * `unknown`.
 */
export type SendOutcome =
	| { kind: "sent"; transactionHash: Hex; transactionId: string | null }
	| { kind: "refused"; code: string; detail: string }
	| { kind: "unknown"; detail: string };

/** Holds what the wallet provider knows of a reference or of one of its transactions. */
export type CustodyTrace = {
	transactionId: string;
	referenceId: string | null;
	status:
		| "pending"
		| "broadcasted"
		| "confirmed"
		| "execution_reverted"
		| "failed"
		| "replaced"
		| "finalized"
		| "provider_error"
		| "unknown";
	transactionHash: Hex | null;
};

/** Holds an account that a user proved to the wallet provider to be theirs. */
export type LinkedAccount =
	| { type: "social"; subject: string; username: string | null }
	| {
			type: "wallet";
			address: Address;
			/** Null for one that the provider does not hold. */
			providerWalletId: string | null;
	  };

export type CustodyUser = { id: string; accounts: readonly LinkedAccount[] };

export type CustodyWallet = {
	id: string;
	address: Address;
	/** True if our authorization key may sign for it. */
	isDelegated: boolean;
	isArchived: boolean;
};

/**
 * Asks who holds keys for our users: the wallet provider. Nothing here is tried again by itself.
 *
 * `send` never throws: it says what is known. All else throws `wallet_provider_unavailable`,
 * `wallet_provider_refused`, `wallet_provider_unreadable`, `rate_limited`, and
 * `wallet_provider_off` where none is configured.
 */
export type Custody = {
	isOn: boolean;
	/**
	 * @param request.referenceId also the idempotency key; unique for ever.
	 * @param request.validUntilMs the provider must not act on it later (`privy-request-expiry`).
	 */
	send(request: {
		providerWalletId: string;
		transaction: CustodyTransaction;
		referenceId: string;
		validUntilMs: number;
		signal: AbortSignal;
	}): Promise<SendOutcome>;
	/** Null: it knows of none. */
	byReference(referenceId: string, signal: AbortSignal): Promise<CustodyTrace | null>;
	byId(transactionId: string, signal: AbortSignal): Promise<CustodyTrace | null>;
	signMessage(request: {
		providerWalletId: string;
		message: string | Uint8Array;
		idempotencyKey: string;
		signal: AbortSignal;
	}): Promise<Hex>;
	signTypedData(request: {
		providerWalletId: string;
		/** EIP-712: `domain`, `types`, `primaryType`, `message`. */
		typedData: Readonly<Record<string, unknown>>;
		idempotencyKey: string;
		signal: AbortSignal;
	}): Promise<Hex>;
	user(userId: string, signal: AbortSignal): Promise<CustodyUser | null>;
	wallet(providerWalletId: string, signal: AbortSignal): Promise<CustodyWallet | null>;
	/**
	 * Returns whose access token it is (ES256, with `iss`, `aud` and `exp` checked) and when it was
	 * issued: now at the latest, and 0 where it does not say. Throws `unauthorized` for every other
	 * token.
	 */
	verifyAccessToken(token: string): Promise<{ userId: string; issuedAtMs: number }>;
};

/** Looks up the request of a reference; returns whether there was one. */
export type Look = (referenceId: string) => Promise<boolean>;

/** Provides the plugin's calls, and the events that the wallet provider sends by webhook. */
export type CustodyService = Custody & {
	/** Limits the time of a call, from its first byte to its answer's last. */
	callTimeoutMs: number;
	/**
	 * Calls `look` with the reference that a webhook of the wallet provider names. The webhook is
	 * verified, but only a hint: the caller finds out the state of the request. There is one
	 * listener.
	 */
	onWebhook(look: Look): void;
};

export const CustodyKey = serviceKey<CustodyService>()("custody");
