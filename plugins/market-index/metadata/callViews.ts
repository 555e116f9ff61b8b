import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import {
	answerOf,
	callContract,
	isRefusal,
	viewCall,
} from "#plugins/market-index/metadata/callContract.ts";

/**
 * Calls several views of one contract in one request; each answers or is null by itself, as with
 * `callContract`. A node that refuses the request as a whole is asked one by one.
 */
export async function callViews(
	rpc: Rpc,
	contract: Address,
	views: readonly Hex[],
	signal: AbortSignal,
): Promise<(Hex | null)[]> {
	const calls = views.map((data) => viewCall(contract, data));
	try {
		const outcomes = await rpc.settle(calls, { signal });
		return outcomes.map((outcome) => {
			return outcome.kind === "result" ? answerOf(outcome.result) : null;
		});
	} catch (error) {
		if (!isRefusal(error)) throw error;
		return Promise.all(views.map((data) => callContract(rpc, contract, data, signal)));
	}
}
