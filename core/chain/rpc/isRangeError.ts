import type { RpcErrorObject } from "#core/chain/rpc/RpcErrorObject.ts";

/**
 * Nodes word "that is too much" each in their own way; these are the words of geth, erigon, reth,
 * nethermind, anvil, Alchemy, Infura, QuickNode, Ankr, Chainstack and dRPC.
 */
const RANGE_WORDS = [
	/block range/i,
	/range (is )?too (large|wide|big)/i,
	/(exceeds?|exceeded|over).{0,40}(limit|range|max|blocks)/i,
	/too many (results|logs|blocks)/i,
	/more than \d+ (results|logs)/i,
	/returned more than/i,
	/response size/i,
	/query timeout/i,
	/limited to (a )?\d+/i,
	/logs? (are )?limited/i,
];

/** Infura and others answer -32005 for "limit exceeded"; it also means "too many requests". */
const LIMIT_EXCEEDED_CODE = -32005;

/** True when a smaller range may be answered; rate limits and reverts are not that. */
export function isRangeError(error: RpcErrorObject): boolean {
	if (isRateLimit(error) || isRevert(error)) return false;
	if (error.code === LIMIT_EXCEEDED_CODE) return true;
	return RANGE_WORDS.some((words) => words.test(error.message));
}

/** True when the same question may be answered later, or by another endpoint. */
export function isRateLimit(error: RpcErrorObject): boolean {
	return !isRevert(error) && (error.code === 429 || RATE_WORDS.test(error.message));
}

/** Whole words: "generated" is no rate. */
const RATE_WORDS = new RegExp(
	[
		"\\brates?\\b|ratelimit|too many requests|request (count|limit)|per second",
		"capacity|credits|compute units|quota|throttl",
	].join("|"),
	"i",
);

/**
 * The text behind a revert is the contract's own. One that says "rate limit" must not make us ask
 * for ever, nor one that says "exceeds max" pass for the node's word on a range.
 */
function isRevert({ code, message }: RpcErrorObject): boolean {
	return (
		code === 3 || /^\W*(execution reverted|vm (exception|execution error)|revert)/i.test(message)
	);
}
