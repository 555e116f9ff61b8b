import type { Address, Hex } from "#core/chain/Hex.ts";

/** The currency of an amount. `symbol` and `decimals` are null until the contract was asked. */
export type SettlementCurrency = {
	symbol: string | null;
	/** The zero address for the chain's native currency. */
	address: Address;
	decimals: number | null;
};

/** A sale, mint or transfer as routes and streams show it. */
export type MarketEvent = {
	/**
	 * Identifies the event and its block: after a reorg the same log in another block has another id.
	 */
	id: string;
	chain: string;
	contractAddress: Address;
	eventType: "sale" | "mint" | "transfer";
	accepted: boolean;
	/** Why it is not accepted; null when it is. */
	reason: string | null;
	onchainVerified: boolean;
	/** Null where only the provider told it, without its transaction. */
	transactionHash: Hex | null;
	/** Null, as is `logIndex`, where only the provider told it, as it does not state them. */
	blockNumber: number | null;
	logIndex: number | null;
	tokenId: string;
	quantity: string;
	/** A sale's seller. */
	from: Address;
	/** A sale's buyer. */
	to: Address;
	venue: string | null;
	/** Per unit, an ETH equivalent; null while unknown, 0 when free. */
	priceNative: number | null;
	priceUsd: number | null;
	/** Per unit, in base units of the settlement currency; null for an unknown price. */
	amountRaw: string | null;
	/** For all units, exact. */
	totalRaw: string | null;
	settlementCurrency: SettlementCurrency | null;
	occurredAt: string;
	imageUrl: string | null;
	traits: unknown[] | null;
	providerPayload: Readonly<Record<string, unknown>> | null;
};
