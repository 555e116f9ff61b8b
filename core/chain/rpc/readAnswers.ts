import { rpcFault } from "#core/chain/rpc/faults.ts";
import { isRangeError, isRateLimit } from "#core/chain/rpc/isRangeError.ts";
import type { RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { RpcErrorObject } from "#core/chain/rpc/RpcErrorObject.ts";
import type { Fault } from "#core/fault/Fault.ts";

/** Error texts from nodes are cut here: a revert's message can be megabytes. */
const ERROR_TEXT_MAX = 300;

type Answer = { id?: unknown; result?: unknown; error?: unknown };

/** The results in the order of the calls; one call's error fails all. */
export function readAnswers(text: string, calls: readonly RpcCall[], firstId: number): unknown[] {
	return settleAnswers(text, calls, firstId).map((outcome) => {
		if (outcome.kind === "fault") throw outcome.fault;
		return outcome.result;
	});
}

/**
 * Each call's outcome in the order of the calls, told apart by their ids: a node may answer a batch
 * in any order. Whatever does not answer each call exactly once taught us nothing.
 */
export function settleAnswers(
	text: string,
	calls: readonly RpcCall[],
	firstId: number,
): RpcOutcome[] {
	const parsed = parseJson(text);
	const answers: (Answer | null)[] = Array.isArray(parsed) ? parsed : [parsed];
	// A batch refused as a whole comes back as one error object.
	if (answers.length !== calls.length) {
		const [answer] = answers;
		if (answer?.error) throw answerFault(answer.error, calls[0]);
		throw rpcFault.transport({ detail: `${answers.length} answers to ${calls.length} calls` });
	}
	const outcomes = new Map<number, RpcOutcome>();
	for (const answer of answers) {
		const index = indexOf(answer?.id, { firstId, count: calls.length });
		const call = calls[index];
		if (answer?.error) {
			const fault = answerFault(answer.error, call);
			// An error that names no call, or that only says "not now", is everybody's.
			if (!call || outcomes.has(index) || fault.code === "rpc_transport") throw fault;
			outcomes.set(index, { kind: "fault", fault });
			continue;
		}
		if (answer?.result === undefined || !call || outcomes.has(index)) {
			throw rpcFault.transport({ detail: `an answer that fits no call: ${cutText(text)}` });
		}
		outcomes.set(index, { kind: "result", result: answer.result });
	}
	return calls.flatMap((_, index) => outcomes.get(index) ?? []);
}

/** Which call an id belongs to. One answer to one call needs none; places prove nothing. */
function indexOf(id: unknown, { firstId, count }: { firstId: number; count: number }): number {
	if (typeof id === "number") return id - firstId;
	if (typeof id === "string" && /^\d{1,15}$/.test(id)) return Number(id) - firstId;
	return count === 1 && (id === undefined || id === null) ? 0 : -1;
}

function parseJson(text: string) {
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw rpcFault.transport({ detail: `not JSON: ${cutText(text)}`, cause });
	}
}

function answerFault(raw: unknown, call: RpcCall | undefined): Fault {
	const error = errorObject(raw);
	const detail = `${call?.method ?? "a batch"}: ${error.code} ${cutText(error.message)}`;
	if (isRangeError(error)) return rpcFault.range({ detail });
	return isRateLimit(error) ? rpcFault.transport({ detail }) : rpcFault.refused({ detail });
}

function errorObject(raw: unknown): RpcErrorObject {
	if (typeof raw !== "object" || raw === null) return { code: null, message: String(raw) };
	const code = "code" in raw && typeof raw.code === "number" ? raw.code : null;
	const message = "message" in raw && typeof raw.message === "string" ? raw.message : "";
	return { code, message };
}

export function cutText(text: string): string {
	return text.length > ERROR_TEXT_MAX ? `${text.slice(0, ERROR_TEXT_MAX)}…` : text;
}
