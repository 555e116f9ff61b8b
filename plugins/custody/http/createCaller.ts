import { readCapped } from "#core/http/readCapped.ts";
import { ANSWER_BYTES_MAX } from "#plugins/custody/limits.ts";

export type ProviderCall = {
	url: string;
	/** What makes it a POST: the bytes that were signed, and their headers. */
	signed?: { headers: Record<string, string>; text: string };
	/** Asked without the application's secret, which such an answer does not need. */
	isPublic?: boolean;
	signal?: AbortSignal | undefined;
};

/** What came back. Nothing in it is the provider's own words, but `json`, which nobody logs. */
export type ProviderAnswer =
	| { kind: "answer"; status: number; json: unknown }
	/** No JSON, or more than we read. */
	| { kind: "unreadable"; status: number; detail: string }
	| { kind: "silent"; detail: string };

export type Caller = (call: ProviderCall) => Promise<ProviderAnswer>;

/**
 * Calls the wallet provider, once: no retry, no redirect, one time limit for all of it. It never
 * throws. (Bun's own `fetch` repeats a GET, and never a POST, whose connection was closed under it;
 * a test holds it to that.)
 */
export function createCaller(options: {
	appId: string;
	appSecret: string;
	timeoutMs: number;
	ending?: AbortSignal | undefined;
	fetch?: typeof fetch | undefined;
}): Caller {
	const { appId, timeoutMs, ending, fetch: fetchIt = fetch } = options;
	const basic = Buffer.from(`${appId}:${options.appSecret}`).toString("base64");
	const identity = { authorization: `Basic ${basic}`, "privy-app-id": appId };
	return async ({ url, signed, isPublic = false, signal }) => {
		const timeout = AbortSignal.timeout(timeoutMs);
		const signals = [timeout, signal, ending].filter((one) => one !== undefined);
		try {
			const response = await fetchIt(url, {
				method: signed ? "POST" : "GET",
				headers: {
					accept: "application/json",
					// Bun unpacks brotli and zstd whole before anybody can count.
					"accept-encoding": "gzip",
					...(isPublic ? {} : identity),
					...(signed ? { ...signed.headers, "content-type": "application/json" } : {}),
				},
				// Neither secret nor signature follows to wherever an answer points.
				redirect: "error",
				signal: AbortSignal.any(signals),
				...(signed ? { body: signed.text } : {}),
			});
			return await readAnswer(response);
		} catch (error) {
			if (timeout.aborted) return { kind: "silent", detail: "no answer in time" };
			if (signal?.aborted || ending?.aborted) return { kind: "silent", detail: "given up" };
			return { kind: "silent", detail: `no answer: ${codeOf(error)}` };
		}
	};
}

async function readAnswer(response: Response): Promise<ProviderAnswer> {
	const { status } = response;
	const text = await readCapped(response, ANSWER_BYTES_MAX);
	if (text === null) {
		return { kind: "unreadable", status, detail: `more than ${ANSWER_BYTES_MAX} bytes` };
	}
	try {
		return { kind: "answer", status, json: JSON.parse(text) };
	} catch {
		return { kind: "unreadable", status, detail: "no JSON" };
	}
}

/** Returns `ECONNRESET` and its like; never a message, which may quote the URL or a header. */
function codeOf(error: unknown): string {
	const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
	return typeof code === "string" && /^[A-Za-z_]{1,40}$/.test(code) ? code : "failed";
}
