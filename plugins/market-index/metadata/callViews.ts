import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import {
	answerOf,
	callContract,
	isRefusal,
	viewCall,
} from "#plugins/market-index/metadata/callContract.ts";

/**
 * Calls several views of each contract in one request; each answers or is null by itself, as with
 * `callContract`. Answers are by contract, then by view. A node that refuses the request as a whole
 * is asked one by one.
 */
export async function callViews(
	rpc: Rpc,
	contracts: readonly Address[],
	views: readonly Hex[],
	signal: AbortSignal,
): Promise<(Hex | null)[][]> {
	const calls = contracts.flatMap((contract) => views.map((data) => viewCall(contract, data)));
	try {
		const outcomes = await rpc.settle(calls, { signal });
		const answers = outcomes.map((outcome) => {
			return outcome.kind === "result" ? answerOf(outcome.result) : null;
		});
		return contracts.map((_, index) => {
			return answers.slice(index * views.length, (index + 1) * views.length);
		});
	} catch (error) {
		if (!isRefusal(error)) throw error;
		const byContract: (Hex | null)[][] = [];
		for (const contract of contracts) {
			const own = views.map((data) => callContract(rpc, contract, data, signal));
			byContract.push(await Promise.all(own));
		}
		return byContract;
	}
}
