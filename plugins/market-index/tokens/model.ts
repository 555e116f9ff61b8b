// Names the types that the whole work on tokens shares.

import type { Core } from "#core/plugin/Core.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider, ProviderTrait } from "#plugins/provider/contract.ts";

/** What a token's URI leads to: a document, or why there is none. */
export type UriOutcome =
	| {
			kind: "read";
			name: string | null;
			description: string | null;
			imageUrl: string | null;
			animationUrl: string | null;
			/** Null where the document has no traits. */
			traits: readonly ProviderTrait[] | null;
	  }
	| {
			kind: "failed";
			code: string;
			/** True: no server answered, so the server may be at fault, and not the token. */
			isUnreachable: boolean;
	  };

/** Reads the document of a token's URI, in bounded time. Never throws because of the URI. */
export type ReadUri = (uri: string, options: { signal: AbortSignal }) => Promise<UriOutcome>;

/** What the work on tokens needs. */
export type TokenContext = {
	core: Pick<Core, "db" | "indexed" | "queue" | "clock" | "log" | "metrics">;
	readUri: ReadUri;
	provider: Pick<Provider, "id" | "isOn" | "nft" | "nfts" | "traits" | "traitFloors">;
	prices: Pick<Prices, "nativeOfSymbol">;
};

/** A token's metadata. */
export type TokenDocument = {
	name: string | null;
	description: string | null;
	imageUrl: string | null;
	animationUrl: string | null;
	/** Null where the document has no traits. */
	traits: TokenTrait[] | null;
};

/** A trait as it is stored; not validated when read, since only the index writes it. */
export type TokenTrait = {
	type: string;
	value: string;
	/** `number`, `date`, … : left out where the value is text. */
	displayType?: string;
};
