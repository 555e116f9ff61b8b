// Reads a node's answers, and names the kind of each error.

import {
	type RpcCall,
	type RpcErrorObject,
	type RpcOutcome,
	rpcFault,
} from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { cleanLine } from "#core/outside.ts";

type Answer = { id?: unknown; result?: unknown; error?: unknown };

/** JSON-RPC's "invalid request": for a whole batch of valid calls it refers to the batch. */
const INVALID_REQUEST_CODE = -32600;

/** Words of geth, erigon, nethermind, besu, jsonrpsee (reth), proxyd (OP chains) and dRPC. */
const BATCH_WORDS = new RegExp(
	"too (large|many|big|long)|limit|exceed|max(imum)?\\b|more than|over |size|" +
		"not (allowed|supported)|unsupported|disabled",
	"i",
);

/** About the body of our request: the size of an answer is a matter of range. */
const BODY_WORDS = /(entity|payload|request|body) (is )?too (large|big)|oversized request/i;

/**
 * Each node words "that is too much" in its own way; these are the words of geth, erigon, reth,
 * nethermind, anvil, proxyd (Base, Optimism), Alchemy, Infura, QuickNode, Ankr, Chainstack, dRPC,
 * BlockPI, Cloudflare, Tenderly and evmos chains. The test lists each with its source.
 */
const RANGE_WORDS = [
	/blocks? range/i,
	/range (is )?too (large|wide|big|high)/i,
	/(exceeds?|exceeded|exceeding|over|greater than|bigger than).{0,40}(limit|range|max|blocks)/i,
	/too many (results|logs|blocks|events)/i,
	/more than [\d,]+ (results|logs|events)/i,
	/returned more than/i,
	/response (size|is too (large|big)|too (large|big))/i,
	/query (timeout|timed out)/i,
	/limited to (an? )?\d+/i,
	/logs? (are )?limited/i,
	/blocks distance/i,
	/at most [\d,]+k? blocks/i,
	/smaller than size \d/i,
	/max(imum)? (is )?(allowed|number|set)\b.{0,40}\d/i,
	// Nouns stand before their verbs as well: "range threshold exceeded", "range exceeds 1000".
	/\branges?\b.{0,40}\b(exceed(s|ed|ing)?|threshold)\b/i,
];

/** Infura and others answer -32005 for "limit exceeded"; it also means "too many requests". */
const LIMIT_EXCEEDED_CODE = -32005;

/** Words about the rate, and about the end of a plan. "generated" must not match. */
const RATE_WORDS = new RegExp(
	[
		"\\brates?\\b|ratelimit|too many requests|request (count|limit)|per second",
		"capacity|credits|compute units|quota|throttl|too many request\\b",
	].join("|"),
	"i",
);

/** Words of a gateway without a backend. */
const AWAY_WORDS =
	/no backend|(temporar|service|server).{0,20}(unavailable|overloaded|busy|error)|try again later/i;

const SILENCES = new Set(["rpc_transport", "rpc_wrong_chain", "rpc_unreadable"]);

/**
 * Limits block ranges that a node may allow; a larger number in its message is the end of a range.
 */
const RANGE_BLOCKS_MAX = 10_000_000;
/** The sentence is the endpoint's: only its beginning is read. */
const TEXT_MAX = 600;

/** "…this block range should work: [0x1, 0x2]", as Alchemy, Infura and Blast suggest. */
const SUGGESTED_HEX = /\brange\b[^[]{0,40}\[\s*(0x[0-9a-f]{1,13})\s*,\s*(0x[0-9a-f]{1,13})\s*\]/i;
/** "…retry with the range 1-20", as reth suggests. */
const SUGGESTED_DECIMAL = /retry with the range (\d{1,15})\s*-\s*(\d{1,15})/i;

/** A limit on the number of results says nothing about blocks. */
const COUNTS_LOGS =
	/\b(logs|results|entries|events)\b.{0,40}(exceed|limit)|(more than|max(imum)?) [\d,]*\s?(results|logs)/i;
const SPEAKS_OF_BLOCKS = /blocks?\b|\brange/i;

const NUMBER = "(\\d[\\d,_]{0,14})(\\s?k\\b)?";
/** "up to a 2K block range", "limited to 0 - 50 blocks", "ranges over 10000 blocks". */
const BEFORE_ITS_NOUN = new RegExp(
	`(?:up to|limited to|at most|than|over|within|allows?)(?: an?| size| 0 -)* ${NUMBER} ?(?:max|blocks?|range)`,
	"gi",
);
/** "Max range: 800", "exceeds limit of 10000", "maximum is set to 2048". */
const AFTER_ITS_WORD = new RegExp(`(?:max|limit|allowed|than size)[^\\d.;]{0,40}?${NUMBER}`, "gi");

/** "(1000 > 500)": the limit is the smaller of two numbers that are compared. */
const COMPARED = new RegExp(`${NUMBER} ?[<>]=? ?(?:[a-z]{1,9} ){0,3}${NUMBER}`, "i");
/** "block range exceeds 1000", "greater than the 1000". */
const AFTER_EXCEEDS = new RegExp(
	`(?:exceed(?:s|ed|ing)?|(?:greater|larger|bigger|wider) than)(?: the| a| of|:){0,2} ${NUMBER}`,
	"gi",
);

/** Error texts of nodes are cut here: a revert's message can be megabytes. */
const ERROR_TEXT_MAX = 300;

/** Limits the characters of an error message that are read. */
const MESSAGE_MAX = 2_000;

/** "Invalid params" and "internal error": Ronin and Tenderly put the reason into `data`. */
const VAGUE_CODES = new Set([-32_602, -32_603]);

/** The longest retry time that is followed: a longer one may be a mistake. */
const RETRY_AFTER_MAX_MS = 5 * 60_000;

/** Returns the results in the order of the calls; one call's error fails all. */
export function readAnswers(body: unknown, calls: readonly RpcCall[], firstId: number): unknown[] {
	return settleAnswers(body, calls, firstId).map((outcome) => {
		if (outcome.kind === "fault") throw outcome.fault;
		return outcome.result;
	});
}

/** Returns true if nothing was learned, so that another endpoint may be asked the same. */
export function isSilence(error: unknown): boolean {
	if (!(error instanceof Fault)) return false;
	return SILENCES.has(error.code);
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

/**
 * Returns true if a smaller batch, or none, may be answered.
 *
 * Only for an error in place of all answers: an error of one call may contain a contract's words.
 * Some nodes say no more than "invalid request", so the code alone is enough, too.
 */
export function isBatchRefusal(error: RpcErrorObject): boolean {
	if (BODY_WORDS.test(error.message)) return true;
	if (/batch/i.test(error.message)) return BATCH_WORDS.test(error.message);
	return error.code === INVALID_REQUEST_CODE && !/block|range/i.test(error.message);
}

/** Returns true if a smaller range may be answered; not for rate limits and reverts. */
export function isRangeError(error: RpcErrorObject): boolean {
	if (isRateLimit(error) || isRevert(error)) return false;
	if (error.code === LIMIT_EXCEEDED_CODE) return true;
	return RANGE_WORDS.some((words) => words.test(error.message));
}

/** Returns true if the same question may be answered later, or by another endpoint. */
export function isRateLimit(error: RpcErrorObject): boolean {
	return !isRevert(error) && (isTooFast(error) || AWAY_WORDS.test(error.message));
}

/** Returns true for such an error if it is about the rate. */
export function isTooFast(error: RpcErrorObject): boolean {
	return !isRevert(error) && (error.code === 429 || RATE_WORDS.test(error.message));
}

/** Returns how many blocks an endpoint says it allows at once; null if it names none. */
export function rangeBlocksMax(message: string): number | null {
	const text = message.slice(0, TEXT_MAX);
	const suggested = SUGGESTED_HEX.exec(text) ?? SUGGESTED_DECIMAL.exec(text);
	if (suggested) return plausible(Number(suggested[2]) - Number(suggested[1]) + 1);
	if (COUNTS_LOGS.test(text) || !SPEAKS_OF_BLOCKS.test(text)) return null;
	return (
		smallerOf(COMPARED.exec(text)) ??
		lastNumber(text, BEFORE_ITS_NOUN) ??
		lastNumber(text, AFTER_ITS_WORD) ??
		lastNumber(text, AFTER_EXCEEDS)
	);
}

export function cutText(text: string): string {
	return text.length > ERROR_TEXT_MAX ? `${text.slice(0, ERROR_TEXT_MAX)}…` : text;
}

/**
 * Returns the retry time of a 429 or 503 (RFC 9110, 10.2.3) in ms; null if it has none.
 *
 * A date is compared with the answer's own `Date`, so that a wrong clock does not matter.
 */
export function retryAfterMs(headers: Headers): number | null {
	const text = headers.get("retry-after")?.trim() ?? "";
	if (/^\d{1,9}$/.test(text)) return bounded(Number(text) * 1_000);
	const untilMs = Date.parse(text);
	const saidAtMs = Date.parse(headers.get("date") ?? "");
	return Number.isNaN(untilMs) || Number.isNaN(saidAtMs) ? null : bounded(untilMs - saidAtMs);
}

/** Returns the fault of an error without a call, which may be about the batch. */
function refusal(raw: unknown, calls: readonly RpcCall[]): Fault {
	const error = errorObject(raw);
	if (calls.length === 1 || !isBatchRefusal(error)) return answerFault(raw, calls[0]);
	const detail = `a batch of ${calls.length}: ${error.code} ${cutText(error.message)}`;
	return rpcFault.refused({ detail, meta: { batchRefused: true } });
}

function errorObject(raw: unknown): RpcErrorObject {
	if (typeof raw !== "object" || raw === null) {
		return { code: null, message: cleanLine(String(raw), { lengthMax: MESSAGE_MAX }) ?? "" };
	}
	const code = "code" in raw && typeof raw.code === "number" ? raw.code : null;
	const message = "message" in raw && typeof raw.message === "string" ? raw.message : "";
	const isVague = code !== null && VAGUE_CODES.has(code);
	const more = isVague && "data" in raw ? spokenData(raw.data) : "";
	const said = more === "" ? message : `${message}: ${more}`;
	// A revert's text is the contract's own words, and what becomes of it is stored and shown.
	return { code, message: cleanLine(said, { lengthMax: MESSAGE_MAX }) ?? "" };
}

function spokenData(data: unknown): string {
	if (typeof data === "string") return data;
	if (typeof data !== "object" || data === null || !("payload" in data)) return "";
	return typeof data.payload === "string" ? data.payload : "";
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
	if (!isRateLimit(error)) {
		return rpcFault.refused({ detail, meta: isRevert(error) ? { reverted: true } : {} });
	}
	return rpcFault.transport({ detail, meta: { rateLimited: isTooFast(error) } });
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

/**
 * Returns true for a revert, whose text is the contract's own. A text "rate limit" must not make us
 * retry for ever, nor "exceeds max" count as the node's limit of a range.
 */
function isRevert({ code, message }: RpcErrorObject): boolean {
	return (
		code === 3 || /^\W*(execution reverted|vm (exception|execution error)|revert)/i.test(message)
	);
}

function plausible(blocks: number): number | null {
	return blocks >= 1 && blocks <= RANGE_BLOCKS_MAX ? blocks : null;
}

function smallerOf(compared: RegExpExecArray | null): number | null {
	if (!compared) return null;
	const [, left = "", leftThousands, right = "", rightThousands] = compared;
	return plausible(Math.min(countOf(left, leftThousands), countOf(right, rightThousands)));
}

function countOf(digits: string, thousands: string | undefined): number {
	return Number(digits.replace(/[,_]/g, "")) * (thousands ? 1_000 : 1);
}

/** Returns the last number, because the requested range is named before the limit. */
function lastNumber(text: string, pattern: RegExp): number | null {
	const found = [...text.matchAll(pattern)].at(-1);
	if (!found) return null;
	const [, digits = "", thousands] = found;
	return plausible(countOf(digits, thousands));
}

function bounded(ms: number): number {
	return Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS);
}
