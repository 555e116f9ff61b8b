import type { Fault } from "#core/fault/Fault.ts";
import type { Problem } from "#core/http/Problem.ts";
import { statusWords } from "#core/http/statusWords.ts";

/** The retry advice of a 503 without its own: long enough not to add load. */
const UNAVAILABLE_RETRY_MS = 5_000;

/** Returns the answer for a Fault. Nothing private (detail, meta, cause) is read here. */
export function problemResponse(
	fault: Fault,
	options: { requestId: string; publicUrl?: string | undefined },
): Response {
	const standard: Problem = {
		type: `${options.publicUrl?.replace(/\/+$/, "") ?? ""}/problems/${fault.code}`,
		title: statusWords(fault.status) ?? "Error",
		status: fault.status,
		detail: fault.publicDetail,
		code: fault.code,
		message: fault.publicDetail,
		requestId: options.requestId,
	};
	// Standard members come first in the text, and override the fault's.
	const problem = { ...standard, ...fault.members, ...standard };
	const headers = new Headers({
		"content-type": "application/problem+json",
		// No cache may keep an error: the next answer may be a good one.
		"cache-control": "no-store",
	});
	const retryMs = retryAfterMs(fault);
	if (retryMs !== undefined) {
		headers.set("retry-after", String(Math.max(1, Math.ceil(retryMs / 1000))));
	}
	return new Response(JSON.stringify(problem, plain), { status: fault.status, headers });
}

function retryAfterMs(fault: Fault): number | undefined {
	const told = fault.members.retryAfterMs;
	if (typeof told === "number" && Number.isFinite(told)) return told;
	return fault.status === 503 || fault.status === 429 ? UNAVAILABLE_RETRY_MS : undefined;
}

function plain(_key: string, value: unknown): unknown {
	return typeof value === "bigint" ? value.toString() : value;
}
