/** What a node's error object may hold. */
export type RpcErrorObject = { code?: number; message?: string };

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
	/limited to \d+/i,
	/logs? (are )?limited/i,
];

/** Infura and others answer -32005 for "limit exceeded"; it also means "too many requests". */
const LIMIT_EXCEEDED_CODE = -32005;

/** True when a smaller range may be answered; rate limits are not that. */
export function isRangeError(error: RpcErrorObject): boolean {
	const message = error.message ?? "";
	if (/rate|too many requests|per second|capacity|credits/i.test(message)) return false;
	if (error.code === LIMIT_EXCEEDED_CODE) return true;
	return RANGE_WORDS.some((words) => words.test(message));
}
