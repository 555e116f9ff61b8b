import type { AccountState, Simulation } from "#plugins/wallets/chain/readAccount.ts";
import type { Denial, Plan } from "#plugins/wallets/contract.ts";

/** A plan with the gas it was found to take. */
export type CostedPlan = { plan: Plan; gasLimit: bigint };

/**
 * Whether an account can pay for all plans of a batch and their gas, and whether each of them runs.
 * One denial denies all of them: nothing of a batch is sent that cannot be sent whole.
 */
export function judgeBatch(
	plans: readonly Plan[],
	account: AccountState,
	simulations: readonly Simulation[],
): { kind: "ok"; plans: CostedPlan[] } | { kind: "denied"; denial: Denial } {
	const value = plans.reduce((sum, { valueRaw }) => sum + valueRaw, 0n);
	if (value > account.balanceRaw) {
		return denied("balance_insufficient", "The wallet holds less than would be sent.");
	}
	const costed: CostedPlan[] = [];
	let gas = 0n;
	for (const [index, plan] of plans.entries()) {
		const simulation = simulations[index];
		if (simulation?.kind !== "ok") {
			const why = simulation ? `: ${simulation.detail}` : ".";
			return denied("simulation_failed", `It would fail on chain${why}`);
		}
		gas += simulation.gasLimit * account.maxFeePerGas;
		costed.push({ plan, gasLimit: simulation.gasLimit });
	}
	if (value + gas > account.balanceRaw) {
		return denied("gas_reserve", "The wallet holds too little of the chain's coin for gas.");
	}
	return { kind: "ok", plans: costed };
}

function denied(code: string, detail: string): { kind: "denied"; denial: Denial } {
	return { kind: "denied", denial: { code, detail } };
}
