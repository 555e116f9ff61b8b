import type { RpcErrorObject } from "#core/chain/rpc/RpcErrorObject.ts";

/** JSON-RPC's "invalid request": to a whole batch of sound calls it means the batch. */
const INVALID_REQUEST_CODE = -32600;

/** geth, erigon, nethermind, besu, jsonrpsee (reth), proxyd (OP chains) and dRPC. */
const BATCH_WORDS = new RegExp(
	"too (large|many|big|long)|limit|exceed|max(imum)?\\b|more than|over |size|" +
		"not (allowed|supported)|unsupported|disabled",
	"i",
);

/** The body of our request, that is: an answer's size is a matter of range. */
const BODY_WORDS = /(entity|payload|request|body) (is )?too (large|big)|oversized request/i;

/**
 * True when a smaller batch, or none, may be answered.
 *
 * Only for an error that came in place of all answers: what names one call may hold the words of a
 * contract. As some nodes say no more than "invalid request", the code alone decides too.
 */
export function isBatchRefusal(error: RpcErrorObject): boolean {
	if (BODY_WORDS.test(error.message)) return true;
	if (/batch/i.test(error.message)) return BATCH_WORDS.test(error.message);
	return error.code === INVALID_REQUEST_CODE && !/block|range/i.test(error.message);
}
