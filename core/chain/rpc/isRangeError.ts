import type { RpcErrorObject } from "#core/chain/rpc/RpcErrorObject.ts";

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
];

/** Infura and others answer -32005 for "limit exceeded"; it also means "too many requests". */
const LIMIT_EXCEEDED_CODE = -32005;

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

/**
 * Returns true for a revert, whose text is the contract's own. A text "rate limit" must not make us
 * retry for ever, nor "exceeds max" count as the node's limit of a range.
 */
function isRevert({ code, message }: RpcErrorObject): boolean {
	return (
		code === 3 || /^\W*(execution reverted|vm (exception|execution error)|revert)/i.test(message)
	);
}
