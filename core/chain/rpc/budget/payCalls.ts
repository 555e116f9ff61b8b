import type { CallBudget } from "#core/chain/rpc/budget/CallBudget.ts";
import { PAUSE_ALONE_MAX_MS, TRIES_ALONE_MAX } from "#core/chain/rpc/budget/limits.ts";
import type { RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { RPC_PURPOSES } from "#core/chain/rpc/RpcPurpose.ts";
import { Fault } from "#core/fault/Fault.ts";

type Paying = Pick<RpcOptions, "purpose" | "signal"> & {
	budget?: CallBudget | undefined;
	/** There is no other endpoint: what is refused for its rate is put again. */
	isAlone?: boolean | undefined;
};

/**
 * Puts a batch in as many parts as the budget grants; answers come in the order of the calls. What
 * is refused for its rate teaches the budget, and where nobody else could be asked a short pause is
 * waited for: what the other parts answered was paid for.
 */
export async function payCalls<Answer>(
	calls: readonly RpcCall[],
	paying: Paying,
	put: (part: readonly RpcCall[]) => Promise<Answer[]>,
): Promise<Answer[]> {
	const { budget, purpose = "other", signal } = paying;
	if (!budget) return put(calls);
	const turn = { rank: RPC_PURPOSES[purpose], signal };
	const answers: Answer[] = [];
	let tries = 0;
	while (answers.length < calls.length) {
		const taken = budget.take(calls.length - answers.length, turn);
		const granted = typeof taken === "number" ? taken : await taken;
		// Where nothing limits no list is copied.
		const isWhole = granted >= calls.length;
		const part = isWhole ? calls : calls.slice(answers.length, answers.length + granted);
		try {
			const answered = await put(part);
			budget.answered(part.length);
			if (isWhole) return answered;
			answers.push(...answered);
			tries = 0;
		} catch (error) {
			tries++;
			const pauseMs = pauseAfter(error, budget);
			const isWorthIt =
				paying.isAlone === true && pauseMs !== null && pauseMs <= PAUSE_ALONE_MAX_MS;
			if (!isWorthIt || tries >= TRIES_ALONE_MAX || signal?.aborted) throw error;
		}
	}
	return answers;
}

/** How long nobody is to ask, in the node's words or ours; null where it is no matter of rate. */
function pauseAfter(error: unknown, budget: CallBudget): number | null {
	if (!(error instanceof Fault) || error.meta["rateLimited"] !== true) return null;
	const { retryAfterMs } = error.meta;
	const toldMs = typeof retryAfterMs === "number" ? retryAfterMs : 0;
	return Math.max(budget.refused(toldMs), toldMs);
}
