/** What is asked of a server that a stranger named. */
export type ForeignRequest = {
	/** `http` or `https`, as the stranger wrote it. */
	url: string;
	/** Refused above this, counted after decompression. */
	bytesMax: number;
	/** From the first look at the name to the last byte, redirects included. */
	timeoutMs: number;
	accept?: string;
	/** A JSON body, which makes it a POST. It is sent to the URL itself: a redirect is refused. */
	json?: string;
	/**
	 * Exact origins that the operator named and that this URL may begin with: they may be private and
	 * have any port. Where a stranger wrote the URL, only what the operator meant for strangers.
	 */
	allowedOrigins?: readonly string[];
	signal?: AbortSignal | undefined;
};

export type ForeignAnswer = {
	status: number;
	/** Lower case and without parameters; null where none was sent. */
	contentType: string | null;
	/** How long the server asks to be left alone (`retry-after`); null where it does not say. */
	retryAfterMs?: number | null;
	body: Uint8Array;
};

/**
 * Fetches a URL that a stranger chose, and never reaches anything that is not public: no private,
 * loopback, link-local or otherwise special address, in any notation, directly, through a redirect
 * or through a name that changes between the look and the call. Sends no cookie, key or referrer.
 *
 * Throws the Faults `foreign_refused` (a URL or an address that is not to be reached),
 * `foreign_unreachable` (no answer: worth asking again later) and `foreign_too_large`.
 */
export type ForeignFetch = (request: ForeignRequest) => Promise<ForeignAnswer>;
