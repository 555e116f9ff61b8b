// Evaluates one armed plan: buys what fits, some side by side, within its limits.

import type { Tx } from "#core/db/Database.ts";
import { assert, Fault } from "#core/fault.ts";
import { createSerial, type Serial } from "#core/time.ts";
import type { TokenListing } from "#plugins/market-index/contract.ts";
import { buyRequestOf, NFT_BUY } from "#plugins/nft-buys/contract.ts";
import {
	ADVANCE_TIMEOUT_MS,
	BUYS_AT_ONCE,
	EVALUATED_EVERY_MS,
	EVALUATION_LOCK_MS,
	LIMITED_AGAIN_MS,
	PASS_ATTEMPTS_MAX,
	PASS_MS,
	TOKEN_ATTEMPTS_MAX,
} from "#plugins/reveal-snipe/limits.ts";
import type { PlansContext } from "#plugins/reveal-snipe/model.ts";
import { checkPlan, profileOf } from "#plugins/reveal-snipe/plans/checkPlans.ts";
import {
	type Candidate,
	chooseListings,
	endsPass,
	fillRefusal,
	isLimited,
	mayTryAgain,
} from "#plugins/reveal-snipe/plans/chooseListings.ts";
import {
	driftOf,
	isAnyOpen,
	readStandings,
	type Standing,
} from "#plugins/reveal-snipe/plans/standings.ts";
import { lockFillsOfOrder, putFill } from "#plugins/reveal-snipe/sql/fills.ts";
import {
	endEvaluation,
	lockPlan,
	type Plan,
	readPlan,
	takeEvaluation,
} from "#plugins/reveal-snipe/sql/plans.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

type FillAsked = {
	planId: string;
	/** The token of the lease for evaluating the plan. */
	token: number;
	candidate: Candidate;
	/** The profile as just read; compared with the one that the plan was armed with. */
	profile: Profile;
};

type MadeFill =
	| { kind: "made"; intentId: string }
	/** The listing is not bought; another one may be. */
	| { kind: "skipped" }
	/** The plan buys no more now: its status changed, or another process evaluates it. */
	| { kind: "stopped" };

export type FillTurns = {
	/**
	 * Waits until that plan may make a fill; returns the function that gives the turn back, or null
	 * where the signal aborted first.
	 */
	take(planId: string, signal: AbortSignal): Promise<(() => void) | null>;
};

type EvaluateOptions = {
	turns: FillTurns;
	/** Returns the current listings; plans of one collection share them. */
	listings(collectionId: number): Promise<readonly TokenListing[]>;
	signal: AbortSignal;
};

type Pass = { planId: string; token: number; options: EvaluateOptions };

/** Holds what all parallel buys of a pass share. */
type Buying = {
	plan: Plan;
	token: number;
	options: EvaluateOptions;
	candidates: readonly Candidate[];
	/** Listings that were tried, by order hash. */
	tried: Set<string>;
	/** Fills are made one after the other: each counts all that were made before. */
	inTurn: Serial;
	failureCode: string | null;
	isOver: boolean;
};

const STOPPED: MadeFill = { kind: "stopped" };

/** In these statuses the owner would be asked; a plan never asks. */
const ASKS: ReadonlySet<string> = new Set([
	"confirmation_required",
	"review_required",
	"signature_required",
]);

/**
 * Evaluates an armed plan: buys what fits, the best first, some side by side, until nothing remains
 * that it may buy. One process at a time evaluates it, for 120 s at most; a second process
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

/**
 * Records a fill and the intent that executes it, in one transaction that locks the plan's row: the
 * only place that enforces ceiling, budget and count. All fills that hold or may still spend money
 * are counted, so parallel processes or a crash between two steps cannot exceed them.
 */
export function makeFill(context: PlansContext, asked: FillAsked): Promise<MadeFill> {
	return context.steps.run("plan.fill", () =>
		context.core.db.transaction((tx) => recordFill(tx, context, asked)),
	);
}

/** Returns why the plan stopped buying; null: nothing prevented it. */
async function runPass(context: PlansContext, pass: Pass): Promise<string | null> {
	const { planId, token, options } = pass;
	const { signal } = options;
	const plan = await readPlan(context.core.db, planId);
	if (plan?.status !== "armed") return null;
	const looked = await lookAt(context, plan, signal);
	if (!looked) return null;
	const { candidates, whyNone } = await candidatesOf(context, {
		...{ plan, profile: looked.profile, options },
	});
	const buying: Buying = {
		...{ plan, token, options, candidates, tried: new Set(), inTurn: createSerial() },
		...{ failureCode: whyNone, isOver: false },
	};
	// A failed one leaves its part of the budget to whoever looks next: the buyer of it does.
	const buyers = Array.from({ length: BUYS_AT_ONCE }, () => buyOn(context, buying));
	const ended = await Promise.allSettled(buyers);
	for (const buyer of ended) if (buyer.status === "rejected") throw buyer.reason;
	return buying.failureCode;
}

/** Buys one after the other, until nothing remains that the plan may buy now. */
async function buyOn(context: PlansContext, buying: Buying): Promise<void> {
	const { plan, options, inTurn } = buying;
	for (;;) {
		const next = await inTurn(() => beginNext(context, buying));
		if (!next) return;
		try {
			const { intentId } = next;
			const outcome = await carryOut(context, { plan, intentId, options });
			buying.failureCode = outcome.failureCode ?? buying.failureCode;
			buying.isOver ||= outcome.endsPass;
		} catch (error) {
			buying.isOver = true;
			throw error;
		} finally {
			next.release();
		}
	}
}

/**
 * Waits for the plan's turn, and records its next fill; null where it buys no more now. Nobody
 * takes a turn for which nothing is left by all that was recorded before.
 */
async function beginNext(
	context: PlansContext,
	buying: Buying,
): Promise<{ intentId: string; release(): void } | null> {
	const { plan, options } = buying;
	if (!nextOf(plan, { ...buying, standings: await standingsOf(context, plan.id) })) return null;
	const release = buying.isOver ? null : await options.turns.take(plan.id, options.signal);
	if (!release) return null;
	try {
		// Others of this pass may have ended it meanwhile.
		const made = buying.isOver ? STOPPED : await makeNext(context, buying);
		if (made.kind === "made") return { intentId: made.intentId, release };
	} catch (error) {
		release();
		throw error;
	}
	release();
	return null;
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
): Promise<{ candidates: Candidate[]; whyNone: string | null }> {
	const { plan, profile, options } = given;
	const buyer = profile.wallets.find(({ id }) => id === plan.walletId)?.address ?? null;
	const { normaliseTrait } = market.book;
	const listings = await options.listings(plan.collectionId);
	const chosen = chooseListings(plan, listings, { buyer, normaliseTrait });
	const { candidates } = chosen;
	// Its owner is told why a reveal passed without a buy.
	return { candidates, whyNone: candidates.length > 0 ? null : whyNoneOf(chosen) };
}

/** Returns what most listings lack. */
function whyNoneOf({ skipped }: Pick<ReturnType<typeof chooseListings>, "skipped">): string {
	const groups = [...Map.groupBy(skipped, ({ reason }) => reason)];
	const [most] = groups.sort(([, a], [, b]) => b.length - a.length);
	return most?.[0] ?? "nothing_listed";
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

/** Makes the next possible fill. A candidate that is skipped uses no turn. */
async function makeNext(context: PlansContext, buying: Buying): Promise<MadeFill> {
	const { plan, token, candidates, tried } = buying;
	let standings = await standingsOf(context, plan.id);
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
	return STOPPED;
}

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

async function recordFill(
	tx: Tx,
	{ core, wallets: { execution } }: PlansContext,
	{ planId, token, candidate, profile }: FillAsked,
): Promise<MadeFill> {
	const { tokenId, orderHash, priceRaw, rank } = candidate;
	const plan = await lockPlan(tx, planId);
	const createdAt = new Date(core.clock.nowMs());
	if (plan?.evaluationToken !== token || plan.status !== "armed") return { kind: "stopped" };
	if (plan.expiresAt <= createdAt || driftOf(plan, profile) !== null) return { kind: "stopped" };
	// The reveal was taken back, or is too long ago: perhaps while it waited for its turn.
	if (plan.dueUntil === null || plan.dueUntil <= createdAt) return { kind: "stopped" };
	const standings = (await readStandings(tx, execution, [planId])).get(planId) ?? [];
	const asked = { ...candidate, mayTryAgain, attemptsMax: TOKEN_ATTEMPTS_MAX };
	if (fillRefusal(plan, standings, asked) !== null) return { kind: "skipped" };
	// Of two fills of one order one would revert, and its owner would pay the gas.
	const others = await lockFillsOfOrder(tx, { orderHash, planId });
	if (await isAnyOpen(tx, execution, others)) return { kind: "skipped" };
	const wallet = profile.wallets.find(({ id }) => id === plan.walletId);
	assert(wallet, "a plan without drift has its wallet");
	const { contract, chainId, priorityFeeRaw: tipRaw } = plan;
	const [intent] = await execution.create(tx, [
		{
			...{ kind: NFT_BUY, profile, wallet, chainId, channel: "snipe" },
			request: buyRequestOf({ contract, tokenId, orderHash, priceLimitRaw: priceRaw, tipRaw }),
		},
	]);
	assert(intent, "an intent that was asked for is made");
	const { id: intentId } = intent;
	await putFill(tx, { planId, tokenId, intentId, orderHash, rank, priceRaw, createdAt });
	return { kind: "made", intentId };
}
