import type { ProviderTrait } from "#plugins/provider/contract.ts";

/** What a token's URI leads to: a document, or why there is none. */
export type UriOutcome =
	| {
			kind: "read";
			name: string | null;
			description: string | null;
			imageUrl: string | null;
			animationUrl: string | null;
			/** Null where the document does not speak of traits. */
			traits: readonly ProviderTrait[] | null;
	  }
	| {
			kind: "failed";
			code: string;
			/** Nobody answered: it may be the server, and not the token. */
			isUnreachable: boolean;
	  };

/** Reads what a token's URI leads to, in bounded time. Never throws because of the URI. */
export type ReadUri = (uri: string, options: { signal: AbortSignal }) => Promise<UriOutcome>;
