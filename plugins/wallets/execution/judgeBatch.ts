// Judges whether a batch can be paid for, runs, and stays within limits.

import type { Address } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import type { AccountState, Simulation } from "#plugins/wallets/chain/readAccount.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { moveIntent } from "#plugins/wallets/intent/Intent.ts";
import { amountFigure, type Denial, type Figure } from "#plugins/wallets/intent/intentError.ts";
import type { Intent, Plan, Profile, SpendSituation, Wallet } from "#plugins/wallets/model.ts";
import type { Behind } from "#plugins/wallets/plan.ts";
import { chargeRefused } from "#plugins/wallets/quota.ts";
import { limitsInForce, spendDenial, usdMicros } from "#plugins/wallets/spend/spend.ts";
import { offeredBy } from "#plugins/wallets/submission/nonceQueue.ts";

/**
 * What routers and tokens commonly revert with. Any other text is a contract's own words, which may
 * say whatever its author wants people to read: only operators see that.
 */
const KNOWN_REVERTS =
	/Too little received|Too much requested|Transaction too old|transfer amount exceeds (?:balance|allowance)|insufficient (?:balance|allowance)/;

const TAKES_NO_COIN =
	"The wallet holds it; the recipient may be a contract that takes no coin: name another.";

/** A plan with the gas it was found to take. */
export type CostedPlan = { plan: Plan; gasLimit: bigint };

type Given = {
	planned: readonly {
		intent: Intent;
		plan: Pick<Plan, "chainId" | "spend" | "recipient">;
		/** The worth in microdollars, as its kind returned it. */
		worthUsdMicros?: bigint;
	}[];
	profile: Profile;
	wallet: Wallet;
	/** The time, and what was found under the lock of the profile's row. */
	at: Date;
	spentToday: bigint;
	/** How long the profile knows each recipient, in milliseconds; null where there is none. */
	known: readonly (number | null)[];
};

/**
 * Says whether an account can pay for all plans of a batch and their gas, and whether each of them
 * runs. One denial denies all of them: nothing of a batch is sent that cannot be sent whole.
 */
export function judgeBatch(
	plans: readonly (Plan & {
		/** The least amount that must arrive, for the message if the simulation fails. */
		least?: Figure | undefined;
	})[],
	account: AccountState,
	simulations: readonly Simulation[],
): { kind: "ok"; plans: CostedPlan[] } | { kind: "denied"; denial: Denial } {
	const value = plans.reduce((sum, { valueRaw }) => sum + valueRaw, 0n);
	const wei = (raw: bigint): Figure => ({ value: String(raw), unit: "wei" });
	const limit = wei(account.balanceRaw);
	if (value > account.balanceRaw) {
		const amount = wei(value);
		const detail = "The wallet holds less than would be sent.";
		return refused({ code: "balance_insufficient", detail, limit, amount });
	}
	const costed: CostedPlan[] = [];
	let gas = 0n;
	for (const [index, plan] of plans.entries()) {
		const simulation = simulations[index];
		if (simulation?.kind !== "ok") {
			const heard = simulation?.detail;
			const amount = amountFigure(plan.spend.raw, plan.spend);
			const [known] = KNOWN_REVERTS.exec(heard ?? "") ?? [];
			const detail = `It would fail on chain${known === undefined ? "" : `: ${known}`}.`;
			// Of the coin itself the wallet holds enough.
			const isCoin = plan.data === "0x" && plan.valueRaw > 0n;
			return refused({
				...{ code: "simulation_failed", detail, amount, heard },
				limit: plan.least ?? (isCoin ? amountFigure(account.balanceRaw, plan.spend) : undefined),
				...(isCoin && simulation && { action: TAKES_NO_COIN }),
			});
		}
		gas += simulation.gasLimit * offeredBy(account, plan).maxFeePerGas;
		costed.push({ plan, gasLimit: simulation.gasLimit });
	}
	if (value + gas > account.balanceRaw) {
		const detail = "The wallet holds too little of the chain's coin for gas.";
		return refused({ code: "gas_reserve", detail, limit, amount: wei(value + gas) });
	}
	return { kind: "ok", plans: costed };
}

/** Denies a batch. Returns null: nothing of it was sent. */
export async function deny(
	deps: ExecutionDeps,
	intents: readonly Intent[],
	denial: Denial,
): Promise<null> {
	await closeBatch(deps, intents, { event: "deny", denial });
	return null;
}

/** Ends intents of one batch for which nothing was sent, and charges their owner for a refusal. */
export async function closeBatch(
	deps: ExecutionDeps,
	intents: readonly Intent[],
	{ event, denial }: { event: "deny" | "expire"; denial: Denial | null },
): Promise<void> {
	const at = new Date(deps.clock.nowMs());
	await deps.steps.run("commit.close", () =>
		deps.db.transaction(async (tx) => {
			// One order for all, so that two who deny one batch do not lock each other out.
			const ids = intents.map(({ id }) => id).sort();
			let moved = 0;
			for (const intentId of ids) {
				const to = await moveIntent(tx, { intentId, event, at, denial });
				if (to !== null) moved++;
			}
			const profileId = intents[0]?.profileId ?? "";
			const { quota } = deps.settings;
			if (event === "deny") await chargeRefused(tx, { profileId, refused: moved, quota });
		}),
	);
}

/**
 * Holds a batch against the limits in force: each spend by itself, and each beside all before it in
 * the last 24 hours and in the batch. Answers what each is in microdollars.
 */
export function judgeSpend(
	deps: ExecutionDeps,
	{ planned, profile, wallet, at, spentToday, known }: Given,
): { kind: "ok"; usdMicros: bigint[] } | { kind: "denied"; denial: Denial } {
	let spent = spentToday;
	const usdMicrosOfAll: bigint[] = [];
	for (const [index, { intent, plan, worthUsdMicros = null }] of planned.entries()) {
		const micros = most(worthOf(deps, plan, at), worthUsdMicros);
		const situation: SpendSituation = {
			usdMicros: micros,
			spentTodayUsdMicros: spent,
			limits: limitsInForce(deps.settings.limits, {
				...{ profile, wallet, channel: intent.channel, recipient: plan.recipient },
			}),
			recipientKnownForMs: known[index] ?? null,
		};
		// A kind may deny more, in its own words, and none less: what no limit can hold is denied.
		const denial = kindDenial(deps, intent.kind, situation) ?? spendDenial(situation);
		if (denial) {
			const amount = micros === null ? amountFigure(plan.spend.raw, plan.spend) : undefined;
			return { kind: "denied", denial: { ...(amount && { amount }), ...denial } };
		}
		assert(micros !== null, "what has no price in dollars was denied");
		spent += micros;
		usdMicrosOfAll.push(micros);
	}
	return { kind: "ok", usdMicros: usdMicrosOfAll };
}

/**
 * Returns why limits deny what waits for a step, so that the step is not sent: between a question
 * and its owner's yes other intents may have spent what it was to use. `spentToday` has the step.
 */
export function behindDenial(
	deps: ExecutionDeps,
	{ planned, behind, ...given }: Omit<Given, "known"> & { behind: readonly Behind[] },
): Denial | null {
	const [step] = planned;
	if (!step) return null;
	const later = behind.map(({ kind, spend }) => ({
		intent: { ...step.intent, kind },
		plan: { chainId: step.plan.chainId, spend, recipient: null },
	}));
	const judged = judgeSpend(deps, { ...given, planned: later, known: later.map(() => null) });
	if (judged.kind === "ok") return null;
	const { denial } = judged;
	return { ...denial, detail: `What it is a step for is not allowed now. ${denial.detail}` };
}

function refused(denial: Denial): { kind: "denied"; denial: Denial } {
	return { kind: "denied", denial };
}

/** Returns microdollars of what is spent, or of its stated worth where that is more. */
function worthOf(
	{ prices }: ExecutionDeps,
	{ chainId, spend }: Pick<Plan, "chainId" | "spend">,
	at: Date,
): bigint | null {
	const priceOf = ({ currency, raw }: { currency: Address; raw: bigint }) => {
		return usdMicros(raw, prices.usdRate({ chainId, currency }, at.getTime()));
	};
	const own = priceOf(spend);
	const worth = spend.worth ? priceOf(spend.worth) : null;
	return most(own, worth);
}

/** Returns the greater figure; of two of which one is not known, the other. */
function most(one: bigint | null, other: bigint | null): bigint | null {
	if (one === null || other === null) return one ?? other;
	return one > other ? one : other;
}

function kindDenial(deps: ExecutionDeps, name: string, situation: SpendSituation): Denial | null {
	const kind = deps.kindOf(name);
	if (kind) return kind.deny(situation);
	return { code: "disabled", detail: "Nothing here knows this kind of intent any more." };
}
