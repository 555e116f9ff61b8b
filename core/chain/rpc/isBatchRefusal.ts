import type { RpcErrorObject } from "#core/chain/rpc/RpcErrorObject.ts";

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
