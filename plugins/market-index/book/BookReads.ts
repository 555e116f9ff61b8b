import type { Address, Hex } from "#core/chain/Hex.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

/** A listing that can be filled, with the rank and traits of its token. */
export type TokenListing = {
	tokenId: string;
	/** Null: not ranked, or its traits were not read. */
	rank: number | null;
	traits: TokenTrait[];
	orderHash: Hex;
	maker: Address;
	/** Units for sale. */
	quantity: bigint;
	/** The zero address for the chain's own coin; null where several currencies are asked for. */
	currency: Address | null;
	symbol: string;
	/** The price for all units, in base units of the currency. */
	totalRaw: bigint;
};

/** Direct reads of the index for plugins that choose among listings. */
export type BookReads = {
	/**
	 * Returns listings that any account may fill at that moment: best rank first, then the cheapest.
	 */
	listings(collectionId: number, at: Date): Promise<TokenListing[]>;
	/**
	 * Keeps the provider's books of collections current for five minutes, and reads `urgent` ones
	 * again now where that was not done within ten seconds. Only for collections that the provider
	 * knows.
	 */
	watch(collectionIds: readonly number[], given: { at: Date; isUrgent: boolean }): Promise<void>;
	/**
	 * Returns names and values of traits in a collection, normalised. Null where there may be others:
	 * of very many only the most common ones are counted.
	 */
	traitValues(collectionId: number): Promise<{ type: string; value: string }[] | null>;
	/** Returns the best ask in base units of ETH, with its time; null while unknown. */
	floor(collectionId: number): Promise<{ native: bigint; at: Date | null } | null>;
	/** Normalises as ranks do: lower case, no surrounding blanks. */
	normaliseTrait(text: string): string;
};
