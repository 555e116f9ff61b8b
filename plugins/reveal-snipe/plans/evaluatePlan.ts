import { Fault } from "#core/fault/Fault.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { checkPlan, profileOf } from "#plugins/reveal-snipe/plans/checkPlans.ts";
import {
	type Candidate,
	chooseListings,
	fillRefusal,
} from "#plugins/reveal-snipe/plans/chooseListings.ts";
import type { FillTurns } from "#plugins/reveal-snipe/plans/createFillTurns.ts";
import {
	ADVANCE_TIMEOUT_MS,
	EVALUATED_EVERY_MS,
	EVALUATION_LOCK_MS,
	LIMITED_AGAIN_MS,
	PASS_ATTEMPTS_MAX,
	PASS_MS,
	TOKEN_ATTEMPTS_MAX,
} from "#plugins/reveal-snipe/plans/limits.ts";
import { type MadeFill, makeFill } from "#plugins/reveal-snipe/plans/makeFill.ts";
import type { PlansContext } from "#plugins/reveal-snipe/plans/PlansContext.ts";
import { endsPass, isLimited, mayTryAgain } from "#plugins/reveal-snipe/plans/refusals.ts";
import { readStandings, type Standing } from "#plugins/reveal-snipe/plans/standings.ts";
import {
	endEvaluation,
	type Plan,
	readPlan,
	takeEvaluation,
} from "#plugins/reveal-snipe/sql/plans.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

export type EvaluateOptions = {
	turns: FillTurns;
	/** Returns the current listings; plans of one collection share them. */
	listings(collectionId: number): Promise<readonly TokenListing[]>;
	signal: AbortSignal;
};

/**
 * Evaluates an armed plan: buys what fits, the best first, one after the other, until nothing
 * remains that it may buy. One process at a time evaluates it, for 120 s at most; a second process
 * with an outdated token makes no fill.
 */
export async function evaluatePlan(
	context: PlansContext,
	planId: string,
	options: EvaluateOptions,
): Promise<void> {
	const { core } = context;
	const lease = { id: planId, session: core.session, durationMs: EVALUATION_LOCK_MS };
	const token = await context.steps.run("plan.take", () => takeEvaluation(core.db, lease));
	if (token === null) return;
	const signal = AbortSignal.any([options.signal, AbortSignal.timeout(PASS_MS)]);
	let failureCode: string | null = null;
	try {
		failureCode = await runPass(context, { planId, token, options: { ...options, signal } });
	} catch (error) {
		failureCode = error instanceof Fault ? error.code : "internal_error";
		const level = error instanceof Fault ? "warn" : "error";
		core.log[level]("a plan was not evaluated to its end", { id: planId, error });
	}
	const againMs = isLimited(failureCode) ? LIMITED_AGAIN_MS : EVALUATED_EVERY_MS;
	const dueAt = new Date(core.clock.nowMs() + againMs);
	await context.steps.run("plan.end", () =>
		endEvaluation(core.db, { id: planId, token, dueAt, failureCode }),
	);
}

type Pass = { planId: string; token: number; options: EvaluateOptions };

/** Returns why the plan stopped buying; null: nothing prevented it. */
async function runPass(context: PlansContext, pass: Pass): Promise<string | null> {
	const { planId, token, options } = pass;
	const { signal } = options;
	const plan = await readPlan(context.core.db, planId);
	if (plan?.status !== "armed") return null;
	const looked = await lookAt(context, plan, signal);
	if (!looked) return null;
	const candidates = await candidatesOf(context, { plan, profile: looked.profile, options });
	const tried = new Set<string>();
	let { standings } = looked;
	let failureCode: string | null = null;
	while (nextOf(plan, { candidates, standings, tried })) {
		const release = await options.turns.take(planId, signal);
		if (!release) return failureCode;
		try {
			const made = await makeNext(context, { plan, token, candidates, standings, tried });
			if (made.kind !== "made") return failureCode;
			const outcome = await carryOut(context, { plan, intentId: made.intentId, options });
			failureCode = outcome.failureCode ?? failureCode;
			if (outcome.endsPass) return failureCode;
		} finally {
			release();
		}
		standings = await standingsOf(context, planId);
	}
	return failureCode;
}

/** Makes the next possible fill. A candidate that is skipped uses no turn. */
async function makeNext(
	context: PlansContext,
	given: {
		plan: Plan;
		token: number;
		candidates: readonly Candidate[];
		standings: readonly Standing[];
		tried: Set<string>;
	},
): Promise<MadeFill> {
	const { plan, token, candidates, tried } = given;
	let { standings } = given;
	// It may have waited long for its turn, so the profile is read again.
	const profile = await profileOf(context, plan.profileId);
	while (profile) {
		const candidate = nextOf(plan, { candidates, standings, tried });
		if (!candidate) break;
		tried.add(candidate.orderHash);
		const made = await makeFill(context, { planId: plan.id, token, candidate, profile });
		if (made.kind !== "skipped") return made;
		standings = await standingsOf(context, plan.id);
	}
	return { kind: "stopped" };
}

/** In these statuses the owner would be asked; a plan never asks. */
const ASKS: ReadonlySet<string> = new Set([
	"confirmation_required",
	"review_required",
	"signature_required",
]);

/**
 * Executes a fill's intent as far as possible; returns the failure's code, and whether the pass
 * ends.
 */
async function carryOut(
	context: PlansContext,
	given: { plan: Plan; intentId: string; options: EvaluateOptions },
): Promise<{ failureCode: string | null; endsPass: boolean }> {
	const { plan, intentId, options } = given;
	const signal = AbortSignal.any([options.signal, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
	const [intent] = await context.wallets.execution.advance([intentId], signal);
	const status = intent?.status ?? "created";
	if (ASKS.has(status)) {
		// Wallet or profile changed just now: the plan is paused, and the question cancelled.
		await lookAt(context, plan, options.signal);
		return { failureCode: status, endsPass: true };
	}
	const isOver = status === "rejected" || status === "failed" || status === "expired";
	const failureCode = isOver ? (intent?.errorCode ?? status) : null;
	return { failureCode, endsPass: endsPass(failureCode) };
}

/** Ends or pauses the plan if due, and then returns null; else what it continues with. */
async function lookAt(
	context: PlansContext,
	plan: Plan,
	signal: AbortSignal,
): Promise<{ profile: Profile; standings: readonly Standing[] } | null> {
	const standings = await standingsOf(context, plan.id);
	const profile = await checkPlan(context, plan, { standings, signal });
	return profile && { profile, standings };
}

async function standingsOf(context: PlansContext, planId: string): Promise<readonly Standing[]> {
	const { core, wallets } = context;
	return (await readStandings(core.db, wallets.execution, [planId])).get(planId) ?? [];
}

async function candidatesOf(
	{ market }: PlansContext,
	given: { plan: Plan; profile: Profile; options: EvaluateOptions },
): Promise<Candidate[]> {
	const { plan, profile, options } = given;
	const buyer = profile.wallets.find(({ id }) => id === plan.walletId)?.address ?? null;
	const { normaliseTrait } = market.book;
	const listings = await options.listings(plan.collectionId);
	return chooseListings(plan, listings, { buyer, normaliseTrait }).candidates;
}

function nextOf(
	plan: Plan,
	given: {
		candidates: readonly Candidate[];
		standings: readonly Standing[];
		tried: ReadonlySet<string>;
	},
): Candidate | undefined {
	const { candidates, standings, tried } = given;
	if (tried.size >= PASS_ATTEMPTS_MAX) return undefined;
	const rules = { mayTryAgain, attemptsMax: TOKEN_ATTEMPTS_MAX };
	return candidates.find((candidate) => {
		if (tried.has(candidate.orderHash)) return false;
		return fillRefusal(plan, standings, { ...candidate, ...rules }) === null;
	});
}
