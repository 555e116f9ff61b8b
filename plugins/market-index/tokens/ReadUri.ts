import type { ProviderTrait } from "#plugins/provider/contract.ts";

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
