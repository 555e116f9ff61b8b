// Calls the wallet provider, once, and reads what kind of answer came back.

import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { callOut } from "#core/http/call.ts";
import { readJson } from "#core/json.ts";
import type { Log } from "#core/log.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { ANSWER_BYTES_MAX, LOG_EVERY_MS, NAME_LENGTH_MAX } from "#plugins/custody/limits.ts";

export type ProviderCall = {
	url: string;
	/** Makes the call a POST: the bytes that were signed, and their headers. */
	signed?: { headers: Record<string, string>; text: string };
	/** True: the request is sent without the application's secret, because the answer is public. */
	isPublic?: boolean;
	signal?: AbortSignal | undefined;
};

/**
 * Holds the provider's answer. Nothing in it is the provider's own text, but `json`, which is never
 * logged.
 */
export type ProviderAnswer =
	| { kind: "answer"; status: number; json: unknown }
	/** The body is no JSON, or larger than the limit. */
	| { kind: "unreadable"; status: number; detail: string }
	| { kind: "silent"; detail: string };

export type Caller = (call: ProviderCall) => Promise<ProviderAnswer>;

export type FailureLog = (endpoint: string, detail: string) => void;

/**
 * Codes which prove, with 400 and 422, that nothing was sent: they are given before anything is
 * broadcast, or (funds) by a node that did not take it. `transaction_broadcast_failure` is not
 * among them: one node's failure is not every node's. Neither is a 400 without a code: a used
 * idempotency key, a reference that exists and a request past its expiry have none that anybody
 * wrote down.
 */
export const UNSENT_CODES: ReadonlySet<string> = new Set([
	"policy_violation",
	"insufficient_funds",
	"missing_or_empty_authorization_header",
	"zero_correct_authorization_signatures",
	"insufficient_correct_authorization_signatures",
	"incorrect_quantity_of_authorization_signatures",
	"no_valid_user_session_keys",
	"user_session_keys_expired",
]);

const refusalSchema = z.object({
	error: z.string(),
	code: z.string().optional().catch(undefined),
});

/** Codes of the provider's that we know by name; every other one is `unlisted`. */
const LISTED: ReadonlySet<string> = new Set([...UNSENT_CODES, "transaction_broadcast_failure"]);

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
	const { appId, timeoutMs, ending, fetch: fetchIt } = options;
	const basic = Buffer.from(`${appId}:${options.appSecret}`).toString("base64");
	const identity = { authorization: `Basic ${basic}`, "privy-app-id": appId };
	return async ({ url, signed, isPublic = false, signal }) => {
		const headers = {
			...(isPublic ? {} : identity),
			...(signed ? { ...signed.headers, "content-type": "application/json" } : {}),
		};
		const answer = await callOut(
			{ url, headers, body: signed?.text },
			{
				...{ timeoutMs, bytesMax: ANSWER_BYTES_MAX, refusalBytesMax: ANSWER_BYTES_MAX },
				...{ signals: [signal, ending], fetch: fetchIt },
			},
		);
		if (answer.kind === "silent") return { kind: "silent", detail: answer.detail };
		const { status } = answer;
		if (answer.kind === "unreadable") return { kind: "unreadable", status, detail: answer.detail };
		// Half a refusal proves nothing: what it refused may have been sent.
		const isWhole = answer.kind === "read" || answer.isWhole;
		if (!isWhole) return { kind: "unreadable", status, detail: "a refusal that is not whole" };
		const json = readJson(answer.text);
		if (json === undefined) return { kind: "unreadable", status, detail: "no JSON" };
		return { kind: "answer", status, json };
	};
}

/** Logs one line a minute for each endpoint, with the number of failures in that time. */
export function createFailureLog({ log, clock }: { log: Log; clock: Clock }): FailureLog {
	// Endpoints are ours and few.
	const told = new Map<string, { atMs: number; untold: number }>();
	return (endpoint, detail) => {
		const nowMs = clock.nowMs();
		const last = told.get(endpoint);
		if (last && Math.abs(nowMs - last.atMs) < LOG_EVERY_MS) {
			last.untold++;
			return;
		}
		told.set(endpoint, { atMs: nowMs, untold: 0 });
		const untold = last?.untold ? { untold: last.untold } : {};
		log.warn("a call to the wallet provider failed", { endpoint, detail, ...untold });
	};
}

/**
 * Writes a name as one segment of a path. Refuses `.` and `..`: URL parsers remove these, and the
 * URL that is called would not be the one that was signed.
 */
export function pathSegment(name: string): string {
	if (name === "" || name === "." || name === ".." || name.length > NAME_LENGTH_MAX) {
		throw custodyFault.refused({ detail: "a name that is no path segment" });
	}
	return encodeURIComponent(name.toWellFormed());
}

/**
 * Returns the code of a refusal in the provider's own form: `unlisted` where it has none that we
 * know, null where the answer is no refusal of the provider's. Its sentence is not kept: it may
 * quote what we sent, and what we sent is signed.
 */
export function refusalCode(json: unknown): string | null {
	const { data } = refusalSchema.safeParse(json);
	if (data === undefined) return null;
	return data.code !== undefined && LISTED.has(data.code) ? data.code : "unlisted";
}
