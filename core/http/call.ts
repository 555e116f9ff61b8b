// Calls other servers, once: one time limit, capped bytes, no redirect, no secret in words.

export type OutboundCall = {
	url: string;
	method?: "GET" | "POST" | "PUT" | "DELETE";
	/** Adds headers to `accept` and `accept-encoding`; secrets belong here, never into `url`. */
	headers?: Readonly<Record<string, string>> | undefined;
	/** The bytes that are sent, as they were signed. */
	body?: string | undefined;
};

export type OutboundTerms = {
	/** Limits the whole call, the body too. */
	timeoutMs: number;
	/** The most bytes of an answer with a status below 300, after unpacking. */
	bytesMax: number;
	/** Limits the bytes of a refusal's body. */
	refusalBytesMax?: number;
	/** Signals by which the caller, or the ending process, may give up. */
	signals?: readonly (AbortSignal | undefined)[];
	fetch?: typeof fetch | undefined;
};

/**
 * Holds the answer. Each adapter decides by itself what a status means. `detail` never holds words
 * of the other side, a URL or a header: it may be logged and stored.
 */
export type OutboundAnswer =
	| { kind: "read"; status: number; headers: Headers; text: string }
	/** A status of 300 or more. Without a text where that broke off or was too long: not whole. */
	| { kind: "refused"; status: number; headers: Headers; text: string; isWhole: boolean }
	/** A status below 300 with more bytes than are read. */
	| { kind: "unreadable"; status: number; headers: Headers; detail: string }
	/** There is no whole answer: the other side may have done what was asked, unless `isUnsent`. */
	| { kind: "silent"; detail: string; isUnsent: boolean };

/** A refusal has a sentence or two; a page of HTML in its place is read this far. */
const REFUSAL_BYTES_MAX = 65_536;

/** Error codes of Bun and Node that prove that no connection was made. */
const UNSENT = new Set(["ConnectionRefused", "ECONNREFUSED", "ENOTFOUND", "DNSException"]);

/**
 * Calls once and returns what came back. Never throws, never repeats, never follows a redirect: a
 * credential would go with it to another host. (Bun's own `fetch` repeats a GET, and never a POST,
 * whose connection was closed under it; a test of the wallet provider holds it to that.)
 */
export async function callOut(call: OutboundCall, terms: OutboundTerms): Promise<OutboundAnswer> {
	const { fetch: fetchIt = fetch, signals = [] } = terms;
	const timeout = AbortSignal.timeout(terms.timeoutMs);
	const ends = signals.filter((one) => one !== undefined);
	let response: Response;
	try {
		response = await fetchIt(call.url, {
			method: call.method ?? (call.body === undefined ? "GET" : "POST"),
			headers: {
				accept: "application/json",
				// Bun unpacks brotli and zstd whole before anybody can count (76 KB became 183 MB).
				"accept-encoding": "gzip",
				...call.headers,
			},
			redirect: "error",
			signal: AbortSignal.any([timeout, ...ends]),
			...(call.body === undefined ? {} : { body: call.body }),
		});
	} catch (error) {
		const code = errorCode(error);
		const isUnsent = UNSENT.has(code);
		if (timeout.aborted) return { kind: "silent", detail: "no answer in time", isUnsent: false };
		const isGivenUp = ends.some((one) => one.aborted);
		const detail = isGivenUp ? "given up" : `no answer: ${code}`;
		return { kind: "silent", detail, isUnsent: !isGivenUp && isUnsent };
	}
	return readAnswer(response, { timeout, ...terms });
}

/**
 * Returns an answer's text, or null where it is longer than `bytesMax`: an announced length is
 * checked first; without one, or with compression, bytes are counted while they are read.
 */
export async function readCapped(response: Response, bytesMax: number): Promise<string | null> {
	const announced = Number(response.headers.get("content-length") ?? Number.NaN);
	if (announced > bytesMax) {
		await response.body?.cancel();
		return null;
	}
	if (response.body === null) return "";
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of response.body) {
		bytes += chunk.byteLength;
		// Leaving the loop cancels the stream.
		if (bytes > bytesMax) return null;
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

async function readAnswer(
	response: Response,
	terms: OutboundTerms & { timeout: AbortSignal },
): Promise<OutboundAnswer> {
	const { status, headers } = response;
	const isRefused = status >= 300;
	const { bytesMax, refusalBytesMax = REFUSAL_BYTES_MAX, timeout } = terms;
	const most = isRefused ? refusalBytesMax : bytesMax;
	const text = await readCapped(response, most).catch((error: unknown) => ({ error }));
	if (isRefused) {
		const isWhole = typeof text === "string";
		return { kind: "refused", status, headers, text: isWhole ? text : "", isWhole };
	}
	if (text === null) {
		return { kind: "unreadable", status, headers, detail: `more than ${most} bytes` };
	}
	if (typeof text === "string") return { kind: "read", status, headers, text };
	const detail = timeout.aborted ? "not whole in time" : `broke off: ${errorCode(text.error)}`;
	return { kind: "silent", detail, isUnsent: false };
}

/** Returns `ECONNRESET` and its like; never a message, which may quote the URL or a header. */
function errorCode(error: unknown): string {
	const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
	return typeof code === "string" && /^[A-Za-z_]{1,40}$/.test(code) ? code : "failed";
}
