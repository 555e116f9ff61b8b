import type { CallBudget } from "#core/chain/rpc/budget/CallBudget.ts";
import { PAUSE_ALONE_MAX_MS, TRIES_ALONE_MAX } from "#core/chain/rpc/budget/limits.ts";
import type { RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { RPC_PURPOSES } from "#core/chain/rpc/RpcPurpose.ts";
import { Fault } from "#core/fault/Fault.ts";

type Paying = Pick<RpcOptions, "purpose" | "signal"> & {
	budget?: CallBudget | undefined;
	/** True without another endpoint: then a rate-limited request is repeated. */
	isAlone?: boolean | undefined;
};

/**
 * Sends a batch in as many parts as the budget grants; returns answers in the order of the calls. A
 * rate-limit refusal teaches the budget; without another endpoint it waits for a short pause,
 * because the answered parts were already paid for.
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
		// If nothing limits, the list is not copied.
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

/** Returns the pause in ms, by the node or by us; null if the refusal is not about the rate. */
function pauseAfter(error: unknown, budget: CallBudget): number | null {
	if (!(error instanceof Fault) || error.meta["rateLimited"] !== true) return null;
	const { retryAfterMs } = error.meta;
	const toldMs = typeof retryAfterMs === "number" ? retryAfterMs : 0;
	return Math.max(budget.refused(toldMs), toldMs);
}
