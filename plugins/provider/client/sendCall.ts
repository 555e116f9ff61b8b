// Sends one call to the provider, and reads its answer within bounds.

import { z } from "zod";
import type { Fault } from "#core/fault.ts";
import { callOut, type OutboundAnswer } from "#core/http/call.ts";
import { cleanLine } from "#core/outside.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import {
	BLOCK_MAX_MS,
	BODY_BYTES_MAX,
	REFUSAL_BYTES_MAX,
	REFUSAL_LENGTH_MAX,
} from "#plugins/provider/limits.ts";
import { parseWireJson } from "#plugins/provider/wire/rows.ts";

/** An undefined member is left out; a list repeats its name. */
export type CallQuery = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export type SentCall = {
	url: string;
	/** Left out for a GET. */
	body?: Readonly<Record<string, unknown>> | undefined;
	apiKey?: string | undefined;
	signal?: AbortSignal | undefined;
	timeoutMs: number;
	fetch?: typeof fetch | undefined;
	nowMs: () => number;
};

/** The result of one call. `blockMs` is for how long the headers ask us to wait, if they do. */
export type CallAnswer =
	| { kind: "read"; json: unknown; blockMs: number | null }
	| { kind: "not_found"; blockMs: number | null }
	| { kind: "too_often"; detail: string; blockMs: number | null }
	| { kind: "failed"; fault: Fault };

/** The one form of RFC 9110 that is sent today: `Date.parse` alone also reads "1.5" as a date. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

const refusalSchema = z.object({
	errors: z.array(z.unknown()).max(1_000).optional().catch(undefined),
	detail: z.string().optional().catch(undefined),
	error: z.object({ message: z.string() }).optional().catch(undefined),
});

/** Sends one call, once. It returns within its timeout, even if the other side is silent. */
export async function sendCall(call: SentCall): Promise<CallAnswer> {
	const answer = await callOut(
		{
			url: call.url,
			headers: {
				...(call.body ? { "content-type": "application/json" } : {}),
				// An empty key header is refused where a missing one is accepted.
				...(call.apiKey ? { "x-api-key": call.apiKey } : {}),
			},
			body: call.body && JSON.stringify(call.body),
		},
		{
			timeoutMs: call.timeoutMs,
			bytesMax: BODY_BYTES_MAX,
			refusalBytesMax: REFUSAL_BYTES_MAX,
			signals: [call.signal],
			fetch: call.fetch,
		},
	);
	if (answer.kind === "silent") return unavailable(answer.detail);
	return readAnswer(answer, call.nowMs());
}

/**
 * Returns for how long an answer's headers ask us to wait, in ms; null where they do not say.
 * `retry-after` comes first, then a used-up allowance that states when it is renewed.
 *
 * A time is compared with the answer's own `Date`, so a wrong clock on either side does not matter.
 * A time in the past, or in no standard form ("5s", "1.5"), counts as none.
 */
export function blockMs(headers: Headers, nowMs: number): number | null {
	const answeredAtMs = readDate(headers.get("date")) ?? nowMs;
	return retryAfterMs(headers, answeredAtMs) ?? usedUpMs(headers, answeredAtMs);
}

/**
 * Returns the URL of a call. Every segment is encoded, and `.` and `..` are refused with a Fault: a
 * URL parser would resolve them, also where they are percent-encoded.
 */
export function callUrl(baseUrl: string, segments: readonly string[], query: CallQuery): string {
	const path = segments.map((segment) => {
		if (segment === "" || segment === "." || segment === "..") {
			throw providerFault.refused({ detail: "a name that is no path segment" });
		}
		// A lone surrogate cannot be encoded, and names nothing.
		return encodeURIComponent(segment.toWellFormed());
	});
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		for (const one of value === undefined ? [] : [value].flat()) search.append(name, String(one));
	}
	const text = search.size > 0 ? `?${search}` : "";
	return `${baseUrl.replace(/\/+$/, "")}/api/v2/${path.join("/")}${text}`;
}

/**
 * Returns the text of a refusal, in any of the provider's three forms or in none of them. Only for
 * the log: it may quote what we sent.
 */
export function refusalText(body: string): string {
	const { data } = refusalSchema.safeParse(parseWireJson(body));
	const errors = data?.errors?.map((error) =>
		typeof error === "string" ? error : JSON.stringify(error),
	);
	const said = errors?.join("; ") || data?.detail || data?.error?.message || body;
	return cleanLine(said, { lengthMax: REFUSAL_LENGTH_MAX }) ?? "(nothing)";
}

function readAnswer(
	answer: Exclude<OutboundAnswer, { kind: "silent" }>,
	nowMs: number,
): CallAnswer {
	const { status, headers } = answer;
	const waitMs = blockMs(headers, nowMs);
	if (status === 404 || status === 410) return { kind: "not_found", blockMs: waitMs };
	if (answer.kind === "unreadable") return unreadable(answer.detail);
	if (answer.kind === "refused") return readRefusal(status, { text: answer.text, waitMs });
	const { text } = answer;
	// Other types are judged by their content: the provider's document names none.
	const isPage = /^text\/html\b/i.test(headers.get("content-type") ?? "");
	const json = isPage ? undefined : parseWireJson(text);
	if (json === undefined) return unreadable(`no JSON: ${refusalText(text.slice(0, 1_000))}`);
	return { kind: "read", json, blockMs: waitMs };
}

function readRefusal(
	status: number,
	{ text, waitMs }: { text: string; waitMs: number | null },
): CallAnswer {
	const detail = `HTTP ${status}: ${refusalText(text)}`;
	// A proxy before the provider answers 599 in place of 429.
	if (status === 429 || status === 599) return { kind: "too_often", detail, blockMs: waitMs };
	// The provider's document has no 404 for orders: a missing one is a 400 that says so.
	if (status === 400 && /\bnot found\b/i.test(detail)) {
		return { kind: "not_found", blockMs: waitMs };
	}
	const isTheirs = status >= 500 || status === 408 || status < 400;
	if (isTheirs) return unavailable(detail);
	return { kind: "failed", fault: providerFault.refused({ detail }) };
}

function unavailable(detail: string): CallAnswer {
	return { kind: "failed", fault: providerFault.unavailable({ detail }) };
}

function unreadable(detail: string): CallAnswer {
	return { kind: "failed", fault: providerFault.unreadable({ detail }) };
}

function readDate(text: string | null): number | null {
	const ms = text && HTTP_DATE.test(text.trim()) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(ms) ? null : ms;
}

function retryAfterMs(headers: Headers, answeredAtMs: number): number | null {
	const text = headers.get("retry-after")?.trim() ?? "";
	if (/^\d{1,9}$/.test(text)) return bounded(Number(text) * 1_000);
	const untilMs = readDate(text);
	return untilMs === null ? null : bounded(untilMs - answeredAtMs);
}

function bounded(ms: number): number | null {
	return ms > 0 ? Math.min(ms, BLOCK_MAX_MS) : null;
}

function usedUpMs(headers: Headers, answeredAtMs: number): number | null {
	if (headers.get("x-ratelimit-remaining")?.trim() !== "0") return null;
	// Seconds since 1970, so ten digits; a shorter number has a meaning that is not documented.
	const reset = headers.get("x-ratelimit-reset")?.trim() ?? "";
	return /^\d{10}$/.test(reset) ? bounded(Number(reset) * 1_000 - answeredAtMs) : null;
}
