import type { Address, Hex } from "#core/chain/Hex.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/TokenTrait.ts";

/** A listing that can be filled, with what its token is worth choosing by. */
export type TokenListing = {
	tokenId: string;
	/** Null: not ranked, or nobody has read its traits. */
	rank: number | null;
	traits: TokenTrait[];
	orderHash: Hex;
	maker: Address;
	/** Units for sale. */
	quantity: bigint;
	/** The zero address for the chain's own coin; null where several are asked for. */
	currency: Address | null;
	symbol: string;
	/** For all units, in base units of the currency. */
	totalRaw: bigint;
};

/** What the index offers to whoever chooses among what is for sale: its own rows, read directly. */
export type BookReads = {
	/** Listings that anybody may fill at that moment: best rank first, then the cheapest. */
	listings(collectionId: number, at: Date): Promise<TokenListing[]>;
	/**
	 * Keeps the provider's books of collections current for five minutes, and reads `urgent` ones
	 * again now where that was not done within ten seconds. Only of those that the provider knows.
	 */
	watch(collectionIds: readonly number[], given: { at: Date; isUrgent: boolean }): Promise<void>;
	/**
	 * Names and values of traits that tokens of a collection have, normalised. Null where there may
	 * be others: of very many only the most common ones are counted.
	 */
	traitValues(collectionId: number): Promise<{ type: string; value: string }[] | null>;
	/** The best ask in base units of ETH, and when it was told; null while unknown. */
	floor(collectionId: number): Promise<{ native: bigint; at: Date | null } | null>;
	/** Compares as ranks do: small letters, no blanks around them. */
	normaliseTrait(text: string): string;
};
