import type { Fault } from "#core/fault/Fault.ts";
import { readCapped } from "#core/http/readCapped.ts";
import { cleanLine } from "#core/outside/cleanLine.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import { blockMs } from "#plugins/provider/http/blockMs.ts";
import { refusalText } from "#plugins/provider/http/refusalText.ts";
import { BODY_BYTES_MAX, REFUSAL_BYTES_MAX } from "#plugins/provider/limits.ts";
import { parseWireJson } from "#plugins/provider/wire/parseWireJson.ts";

export type SentCall = {
	url: string;
	/** Left out for a GET. */
	body?: Readonly<Record<string, unknown>> | undefined;
	apiKey?: string | undefined;
	signal?: AbortSignal | undefined;
	timeoutMs: number;
	fetch: typeof fetch;
	nowMs: () => number;
};

/** The result of one call. `blockMs` is for how long the headers ask us to wait, if they do. */
export type CallAnswer =
	| { kind: "read"; json: unknown; blockMs: number | null }
	| { kind: "not_found"; blockMs: number | null }
	| { kind: "too_often"; detail: string; blockMs: number | null }
	| { kind: "failed"; fault: Fault };

/** Sends one call, once. It returns within its timeout, whatever the other side does. */
export async function sendCall(call: SentCall): Promise<CallAnswer> {
	const timeout = AbortSignal.timeout(call.timeoutMs);
	const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
	try {
		const response = await call.fetch(call.url, {
			method: call.body ? "POST" : "GET",
			headers: {
				accept: "application/json",
				// Bun decompresses brotli and zstd fully before a size limit can apply (76 KB became 183
				// MB).
				"accept-encoding": "gzip",
				...(call.body ? { "content-type": "application/json" } : {}),
				// An empty key header is refused where a missing one is accepted.
				...(call.apiKey ? { "x-api-key": call.apiKey } : {}),
			},
			// The key must not follow a redirect to another host.
			redirect: "error",
			signal,
			...(call.body ? { body: JSON.stringify(call.body) } : {}),
		});
		return await readAnswer(response, call.nowMs());
	} catch (error) {
		// Without the error itself, as its text may contain the URL.
		const told = timeout.aborted ? "no answer in time" : String(error);
		return { kind: "failed", fault: providerFault.unavailable({ detail: withoutUrls(told) }) };
	}
}

async function readAnswer(response: Response, nowMs: number): Promise<CallAnswer> {
	const { status, headers } = response;
	const waitMs = blockMs(headers, nowMs);
	if (status === 404 || status === 410) {
		await response.body?.cancel();
		return { kind: "not_found", blockMs: waitMs };
	}
	if (!response.ok) {
		const text = await readCapped(response, REFUSAL_BYTES_MAX);
		const detail = `HTTP ${status}: ${refusalText(text ?? "")}`;
		// A proxy before the provider answers 599 in place of 429.
		if (status === 429 || status === 599) return { kind: "too_often", detail, blockMs: waitMs };
		// The provider's document has no 404 for orders: a missing one is a 400 that says so.
		if (status === 400 && /\bnot found\b/i.test(detail)) {
			return { kind: "not_found", blockMs: waitMs };
		}
		const isTheirs = status >= 500 || status === 408 || status < 400;
		const fault = isTheirs
			? providerFault.unavailable({ detail })
			: providerFault.refused({ detail });
		return { kind: "failed", fault };
	}
	const text = await readCapped(response, BODY_BYTES_MAX);
	if (text === null) return unreadable(`more than ${BODY_BYTES_MAX} bytes`);
	// Other types are judged by their content: the provider's document names none.
	const isPage = /^text\/html\b/i.test(headers.get("content-type") ?? "");
	const json = isPage ? undefined : parseWireJson(text);
	if (json === undefined) return unreadable(`no JSON: ${refusalText(text.slice(0, 1_000))}`);
	return { kind: "read", json, blockMs: waitMs };
}

function unreadable(detail: string): CallAnswer {
	return { kind: "failed", fault: providerFault.unreadable({ detail }) };
}

function withoutUrls(text: string): string {
	const clean = cleanLine(text, { lengthMax: 300 }) ?? "(nothing)";
	return clean.replace(/\b[a-z]+:\/\/\S+/gi, "(URL)");
}
