import { rpcFault } from "#core/chain/rpc/faults.ts";
import { isBatchRefusal } from "#core/chain/rpc/isBatchRefusal.ts";
import { isRangeError, isRateLimit, isTooFast } from "#core/chain/rpc/isRangeError.ts";
import type { RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { RpcErrorObject } from "#core/chain/rpc/RpcErrorObject.ts";
import { rangeBlocksMax } from "#core/chain/rpc/rangeBlocksMax.ts";
import type { Fault } from "#core/fault/Fault.ts";

/** Error texts of nodes are cut here: a revert's message can be megabytes. */
const ERROR_TEXT_MAX = 300;

type Answer = { id?: unknown; result?: unknown; error?: unknown };

/** Returns the results in the order of the calls; one call's error fails all. */
export function readAnswers(body: unknown, calls: readonly RpcCall[], firstId: number): unknown[] {
	return settleAnswers(body, calls, firstId).map((outcome) => {
		if (outcome.kind === "fault") throw outcome.fault;
		return outcome.result;
	});
}

/**
 * Returns each call's outcome in the order of the calls, assigned by their ids: a node may answer a
 * batch in any order. Throws unless each call has exactly one answer: then nothing was learned.
 */
export function settleAnswers(
	body: unknown,
	calls: readonly RpcCall[],
	firstId: number,
): RpcOutcome[] {
	const answers = (Array.isArray(body) ? body : [body]) as (Answer | null)[];
	// A batch refused as a whole comes back as one error object.
	if (answers.length !== calls.length) {
		const [answer] = answers;
		if (answer?.error) throw refusal(answer.error, calls);
		const detail = `${answers.length} answers to ${calls.length} calls`;
		const isCut = isBeginning(answers, { firstId, count: calls.length });
		throw rpcFault.transport({ detail, meta: isCut ? { batchRefused: true } : {} });
	}
	const outcomes = new Map<number, RpcOutcome>();
	for (const answer of answers) {
		const index = indexOf(answer?.id, { firstId, count: calls.length });
		const call = calls[index];
		if (answer?.error) {
			const fault = call ? answerFault(answer.error, call) : refusal(answer.error, calls);
			// An error without a call, or one that only means "not now", applies to all.
			if (!call || outcomes.has(index) || fault.code === "rpc_transport") throw fault;
			outcomes.set(index, { kind: "fault", fault });
			continue;
		}
		if (answer?.result === undefined || !call || outcomes.has(index)) {
			const said = cutText(JSON.stringify(answer));
			throw rpcFault.transport({ detail: `an answer that fits no call: ${said}` });
		}
		outcomes.set(index, { kind: "result", result: answer.result });
	}
	return calls.flatMap((_, index) => outcomes.get(index) ?? []);
}

/** Returns whether these answer the first calls of a batch: a node that cuts batches. */
function isBeginning(
	answers: readonly (Answer | null)[],
	asked: { firstId: number; count: number },
): boolean {
	if (answers.length === 0 || answers.length >= asked.count) return false;
	return answers.every((answer, place) => indexOf(answer?.id, asked) === place);
}

/**
 * Returns the index of an id's call. One answer to one call needs no id; the order proves nothing.
 */
function indexOf(id: unknown, { firstId, count }: { firstId: number; count: number }): number {
	if (typeof id === "number") return id - firstId;
	if (typeof id === "string" && /^\d{1,15}$/.test(id)) return Number(id) - firstId;
	return count === 1 && (id === undefined || id === null) ? 0 : -1;
}

/** Returns the fault of an error without a call, which may be about the batch. */
function refusal(raw: unknown, calls: readonly RpcCall[]): Fault {
	const error = errorObject(raw);
	if (calls.length === 1 || !isBatchRefusal(error)) return answerFault(raw, calls[0]);
	const detail = `a batch of ${calls.length}: ${error.code} ${cutText(error.message)}`;
	return rpcFault.refused({ detail, meta: { batchRefused: true } });
}

function answerFault(raw: unknown, call: RpcCall | undefined): Fault {
	const error = errorObject(raw);
	const detail = `${call?.method ?? "a batch"}: ${error.code} ${cutText(error.message)}`;
	if (isRangeError(error)) {
		const blocksMax = rangeBlocksMax(error.message);
		return rpcFault.range({
			detail,
			meta: blocksMax === null ? {} : { rangeBlocksMax: blocksMax },
		});
	}
	if (!isRateLimit(error)) return rpcFault.refused({ detail });
	return rpcFault.transport({ detail, meta: { rateLimited: isTooFast(error) } });
}

function errorObject(raw: unknown): RpcErrorObject {
	if (typeof raw !== "object" || raw === null) return { code: null, message: String(raw) };
	const code = "code" in raw && typeof raw.code === "number" ? raw.code : null;
	const message = "message" in raw && typeof raw.message === "string" ? raw.message : "";
	const isVague = code !== null && VAGUE_CODES.has(code);
	const more = isVague && "data" in raw ? spokenData(raw.data) : "";
	return { code, message: more === "" ? message : `${message}: ${more}` };
}

/** "Invalid params" and "internal error": Ronin and Tenderly put the reason into `data`. */
const VAGUE_CODES = new Set([-32_602, -32_603]);

function spokenData(data: unknown): string {
	if (typeof data === "string") return data;
	if (typeof data !== "object" || data === null || !("payload" in data)) return "";
	return typeof data.payload === "string" ? data.payload : "";
}

export function cutText(text: string): string {
	return text.length > ERROR_TEXT_MAX ? `${text.slice(0, ERROR_TEXT_MAX)}…` : text;
}
