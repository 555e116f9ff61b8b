// Lets one plugin say what it knows of tokens and contracts, and others ask without importing it.

import type { Address } from "#core/chain/Hex.ts";

/** A contract on a chain. */
export type TokenPlace = { chainId: number; address: Address };

/**
 * What one token is worth. `unsure`: nothing that can be believed says it now, and this is the most
 * that anything says; its owner is asked, for at most so many microdollars.
 */
export type TokenPrice =
	| { kind: "sure"; microsPerUnit: bigint }
	| { kind: "unsure"; microsPerUnit: bigint; askedMicrosMax: bigint };

/** What a registry knows of one chain. What cannot be read throws: it is not taken for a no. */
export type TokenSource = {
	chainId: number;
	/** Null: not a token of the registry. */
	symbolOf(token: Address): Promise<string | null>;
	/** Microdollars of one whole token; null: nothing says what it is worth. */
	priceOf(token: Address): Promise<TokenPrice | null>;
	/** What a contract is that nobody can get anything out of, for a sentence; null: it is none. */
	contractNamed(address: Address): Promise<string | null>;
};

/** Answers from whatever sources were registered; null where none of them knows. */
export type TokenBook = {
	register(source: TokenSource): void;
	symbolOf(token: TokenPlace): Promise<string | null>;
	priceOf(token: TokenPlace): Promise<TokenPrice | null>;
	contractNamed(place: TokenPlace): Promise<string | null>;
};

/** Makes a book without sources: it knows nothing. The first that knows an address is believed. */
export function createTokenBook(): TokenBook {
	const sources: TokenSource[] = [];
	async function ask<Answer>(
		{ chainId }: TokenPlace,
		of: (source: TokenSource) => Promise<Answer | null>,
	): Promise<Answer | null> {
		for (const source of sources) {
			const answer = source.chainId === chainId ? await of(source) : null;
			if (answer !== null) return answer;
		}
		return null;
	}
	return {
		register: (source) => void sources.push(source),
		symbolOf: (token) => ask(token, (source) => source.symbolOf(token.address)),
		priceOf: (token) => ask(token, (source) => source.priceOf(token.address)),
		contractNamed: (place) => ask(place, (source) => source.contractNamed(place.address)),
	};
}
