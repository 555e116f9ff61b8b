import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RelayPermit } from "#plugins/bridge/relay/order.ts";
import type { WireQuote, WireStep } from "#plugins/bridge/relay/wire.ts";

/** A chain as the bridge provider publishes it. */
export type RelayChain = {
	id: number;
	name: string;
	displayName: string;
	/** Public RPC, for chains that this deployment does not reach itself. */
	httpRpcUrl: string | null;
	isEvm: boolean;
	/** Taken out by the provider, or not paid into. */
	isDisabled: boolean;
	isLagging: boolean;
	currency: { symbol: string; decimals: number };
	/** Currencies that its solver holds there: what refunds may come in. */
	solverCurrencies: readonly Address[];
	solverAddresses: readonly Address[];
	/** The settlement protocol's name of the chain, and the contract that takes deposits. */
	protocol: { name: string; depository: Address } | null;
	/** Contracts of its own there, which orders may name as what fills them or pays them back. */
	contracts?: readonly Address[];
	/** The contract that takes tokens by owners' signatures, and those tokens; null: none does. */
	permits: { spender: Address; tokens: readonly Address[] } | null;
};

export type RelayCurrency = {
	chainId: number;
	/** Twenty zero bytes: the chain's own coin. */
	address: Address;
	symbol: string;
	name: string;
	decimals: number;
	isVerified: boolean;
};

/** Holds a request for a quote. Amounts in base units. */
export type RelayQuoteRequest = {
	user: Address;
	recipient: Address;
	refundTo: Address;
	originChainId: number;
	destinationChainId: number;
	originCurrency: Address;
	destinationCurrency: Address;
	amountRaw: bigint;
	/** Asks for a signature in place of transactions. */
	usePermit: boolean;
};

export type RelayQuote = WireQuote;

/**
 * Holds the provider's status of a request. `unseen`: it knows nothing of it, which is in flight.
 * `status` is any text: an unknown one is in flight as well.
 */
export type RelayStatus =
	| { kind: "unseen" }
	| {
			kind: "seen";
			status: string;
			depositHashes: readonly Hex[];
			/** Hashes of the fill, or of the refund. */
			outHashes: readonly { hash: Hex; chainId: number | null }[];
			updatedAtMs: number | null;
			failReason: string | null;
	  };

/** The bridge provider. Throws `relayFault`s; every answer was checked member by member. */
export type Relay = {
	/** True where requests can be searched, which needs a key. */
	readonly canSearch: boolean;
	chains(options: RelayCallOptions): Promise<RelayChain[]>;
	currencies(
		query: { chainId: number; term?: string; address?: Address },
		options: RelayCallOptions,
	): Promise<RelayCurrency[]>;
	quote(request: RelayQuoteRequest, options: RelayCallOptions): Promise<RelayQuote>;
	/**
	 * Hands a signature over, which can move money: never twice. Answers the steps that follow it.
	 * Throws with `meta.isSent` false where nothing left this process.
	 */
	permit(permit: RelayPermit, options: RelayCallOptions): Promise<readonly WireStep[]>;
	status(requestId: Hex, options: RelayCallOptions): Promise<RelayStatus>;
	/** Searches by deposit or by order, where a request id leads nowhere. Null: nothing there. */
	search(
		by: { depositHash: Hex } | { orderId: Hex },
		options: RelayCallOptions,
	): Promise<{ requestId: Hex; status: RelayStatus } | null>;
	/** Asks the provider to look at a deposit. Safe to repeat: it only reads the chain. */
	hint(
		deposit: { chainId: number; hash: Hex; requestId: Hex },
		options: RelayCallOptions,
	): Promise<void>;
};

/** `view`: strangers may cause it, so it has a share of its own. `poll`: the clock causes it. */
export type RelayCallOptions = { purpose: "trade" | "view" | "poll"; signal: AbortSignal };
