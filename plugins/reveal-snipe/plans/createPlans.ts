// Arms, shows, moves and cancels plans.

import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert, Fault } from "#core/fault.ts";
import { invalidPlan, planFault } from "#plugins/reveal-snipe/faults.ts";
import { OPEN_PLANS_MAX, WATCHED_MAX } from "#plugins/reveal-snipe/limits.ts";
import type { PlanEvent, PlanStatus, PlansContext } from "#plugins/reveal-snipe/model.ts";
import { readOutlook } from "#plugins/reveal-snipe/plans/outlook.ts";
import { type PlanBody, termsOf } from "#plugins/reveal-snipe/plans/planBody.ts";
import { type PlanView, renderPlan } from "#plugins/reveal-snipe/plans/renderPlan.ts";
import { armedWith, readStandings, requireWallet } from "#plugins/reveal-snipe/plans/standings.ts";
import {
	countOpenPlans,
	insertPlan,
	listPlans,
	movePlan,
	type Plan,
	type PlanMove,
	type PlanTerms,
	type PlanTrait,
	readPlan,
} from "#plugins/reveal-snipe/sql/plans.ts";
import { countWatchedOthers, watchCollection } from "#plugins/reveal-snipe/sql/watch.ts";
import type { Principal, Profile } from "#plugins/wallets/contract.ts";

type ArmRequest = {
	principal: Principal;
	body: PlanBody;
	/** Names the request together with its key: a route, or a tool. */
	route: string;
	idempotencyKey: string | null;
	/** True: the plan is stored paused, and its owner must resume it. For requests of programs. */
	isProposed: boolean;
};

export type Plans = ReturnType<typeof createPlans>;

type Target = { collectionId: number; chain: Chain; contract: Plan["contract"] };

/** Statuses of intents that were perhaps not sent: stopping a plan cancels them too. */
const UNSENT: ReadonlySet<string> = new Set([
	"created",
	// It may wait in its wallet's nonce queue.
	"submitting",
	"confirmation_required",
	"review_required",
	"signature_required",
	"waiting",
]);

/** Makes the operations on plans: arm, show, list, pause, resume, cancel. */
export function createPlans(context: PlansContext) {
	const { core, market } = context;

	/** Returns the plan; throws `not_found` for another profile's plan as for a missing one. */
	async function own(profileId: string, id: string): Promise<Plan> {
		const plan = await readPlan(core.db, id);
		if (plan?.profileId !== profileId) throw planFault.notFound();
		return plan;
	}

	async function view(profile: Profile, id: string): Promise<PlanView> {
		const plan = await own(profile.id, id);
		const [shown] = await viewsOf(context, [plan]);
		assert(shown, "a plan has a view");
		const standings = (await readStandings(core.db, context.wallets.execution, [id])).get(id) ?? [];
		const chain = core.chains.byId(plan.chainId);
		try {
			return { ...shown, outlook: await readOutlook(context, { plan, standings, profile, chain }) };
		} catch (error) {
			// The plan itself is known, and perhaps was stored just now.
			const level = error instanceof Fault ? "warn" : "error";
			core.log[level]("the outlook of a plan could not be read", { id, error });
			const why = error instanceof Fault ? error.code : "internal_error";
			return {
				...shown,
				outlookUnknown: `It could not be read now (${why}): read the plan again.`,
			};
		}
	}

	return {
		view,
		own,
		/** Stores a plan, once per key, and answers 201 with it. */
		async arm(request: ArmRequest): Promise<Response> {
			if (!context.isOn) throw planFault.snipesDisabled();
			const { principal, body, route, idempotencyKey, isProposed } = request;
			const { profile } = principal;
			const target = await targetOf(context, body);
			const terms = termsOf(body, { chain: target.chain, nowMs: core.clock.nowMs() });
			await refuseNeverBuying(context, target.collectionId, body);
			return context.wallets.once({
				...{ principal, route, idempotencyKey, body, intents: [] },
				record: (tx, id) => record(context, tx, { id, profile, target, terms, body, isProposed }),
				async answer(_ids, recorded, id) {
					assert(id !== null, "a plan that was recorded has an id");
					if (recorded) market.touch(target.collectionId, "detail");
					return { status: 201, body: await view(profile, id) };
				},
			});
		},
		/** Returns a page of a profile's plans, and the id after which the next page begins. */
		async list(query: {
			profileId: string;
			status: PlanStatus | null;
			collectionId: number | null;
			afterId: string | null;
			limit: number;
		}): Promise<{ items: PlanView[]; nextId: string | null }> {
			const found = await listPlans(core.db, { ...query, limit: query.limit + 1 });
			const shown = found.slice(0, query.limit);
			const nextId = found.length > query.limit ? (shown.at(-1)?.id ?? null) : null;
			return { items: await viewsOf(context, shown), nextId };
		},
		/** Pauses, resumes or cancels a plan for its owner, and returns its new state. */
		async move(
			profile: Profile,
			id: string,
			{
				event,
				signal,
			}: { event: PlanEvent & ("pause" | "resume" | "cancel"); signal: AbortSignal },
		): Promise<PlanView> {
			const plan = await own(profile.id, id);
			if (event === "resume" && !context.isOn) throw planFault.snipesDisabled();
			const renewed =
				event === "resume"
					? { armedWith: armedWith(profile, requireWallet(profile, plan.walletId)) }
					: {};
			const isMoved = await changePlan(context, plan, { event, signal, ...renewed });
			if (!isMoved) throw planFault.planState();
			return view(profile, id);
		},
	};
}

/**
 * Moves a plan, in a transaction of its own; returns false where its status does not allow the
 * event. When the plan stops buying, its unsent intents are cancelled; sent ones continue.
 */
export async function changePlan(
	context: PlansContext,
	plan: Pick<Plan, "id" | "profileId" | "status">,
	change: Pick<PlanMove, "event" | "pauseReason" | "armedWith"> & { signal: AbortSignal },
): Promise<boolean> {
	const { core } = context;
	const { signal, ...move } = change;
	const at = new Date(core.clock.nowMs());
	const isMoved = await context.steps.run("plan.move", () =>
		movePlan(core.db, { ...move, id: plan.id, at }),
	);
	if (!isMoved) {
		core.log.info("a plan is not moved", { id: plan.id, event: move.event });
		return false;
	}
	if (move.event !== "resume") await callOffUnsent(context, plan, signal);
	return true;
}

/** Returns the collection that a body names, on a chain that is served here. */
export async function targetOf(
	{ core, served, market }: PlansContext,
	{ collectionSlug, chain: named }: PlanBody,
): Promise<Target> {
	const found = await market.find(collectionSlug, named);
	const chainId = core.chains.bySlug(found.chain)?.id;
	const chain = served.find(({ id }) => id === chainId);
	if (!chain) throw invalidPlan("chain", `"${found.chain}" is not served here.`);
	return { collectionId: found.id, chain, contract: found.address };
}

/** Returns plans as their owner sees them, read together. */
async function viewsOf(context: PlansContext, plans: readonly Plan[]): Promise<PlanView[]> {
	const { core, market, wallets } = context;
	const ids = plans.map(({ id }) => id);
	const collections = [...new Set(plans.map(({ collectionId }) => collectionId))];
	const [standings, subjects] = await Promise.all([
		readStandings(core.db, wallets.execution, ids),
		market.reveals.subjects(collections),
	]);
	const slugs = new Map(subjects.map(({ id, slug }) => [id, slug]));
	return plans.map((plan) => {
		const slug = slugs.get(plan.collectionId) ?? plan.contract;
		const chain = core.chains.byId(plan.chainId);
		return renderPlan(plan, standings.get(plan.id) ?? [], { slug, chain, outlook: null });
	});
}

/**
 * Throws for a rank in a collection whose tokens are never ranked, and for traits that a revealed
 * one lacks: such a plan would never buy.
 */
async function refuseNeverBuying(
	{ market }: PlansContext,
	collectionId: number,
	{ traits, maxRank }: { traits: readonly PlanTrait[]; maxRank?: number | undefined },
): Promise<void> {
	const [subject] = await market.reveals.subjects([collectionId]);
	if (maxRank !== undefined && subject?.standard === "erc1155") {
		throw invalidPlan("maxRank", "tokens of an ERC-1155 have no ranks: name traits alone");
	}
	if (traits.length === 0 || subject?.revealState !== "revealed") return;
	const normal = market.book.normaliseTrait;
	const known = await market.book.traitValues(collectionId);
	if (known === null || known.length === 0) return;
	for (const [index, { type, values }] of traits.entries()) {
		const there = known.filter((trait) => trait.type === normal(type)).map(({ value }) => value);
		const missing = values.find((value) => !there.includes(normal(value)));
		if (missing !== undefined) {
			throw invalidPlan(`traits.${index}`, "no token of this revealed collection has that");
		}
	}
}

async function record(
	context: PlansContext,
	tx: Tx,
	given: {
		id: string;
		profile: Profile;
		target: Target;
		terms: PlanTerms & { expiresAt: Date };
		body: PlanBody;
		isProposed: boolean;
	},
): Promise<void> {
	const { id, profile, target, terms, body, isProposed } = given;
	const wallet = requireWallet(profile, body.walletId?.toLowerCase() ?? null);
	if ((await countOpenPlans(tx, profile.id)) >= OPEN_PLANS_MAX) throw planFault.plansTooMany();
	const { collectionId, contract, chain } = target;
	const createdAt = new Date(context.core.clock.nowMs());
	await insertPlan(tx, {
		...{ id, profileId: profile.id, walletId: wallet.id, collectionId, contract, createdAt },
		...{ chainId: chain.id, ...terms, ...armedWith(profile, wallet) },
		status: isProposed ? "paused" : "armed",
		pauseReason: isProposed ? "confirmation_required" : null,
	});
	const others = await countWatchedOthers(tx, { collectionId, chainId: chain.id });
	if (others >= WATCHED_MAX) throw planFault.revealsFull();
	const watched = { collectionId, chainId: chain.id, reason: "plan", at: createdAt } as const;
	await watchCollection(tx, watched);
}

async function callOffUnsent(
	{ core, wallets: { execution } }: PlansContext,
	{ id, profileId }: Pick<Plan, "id" | "profileId">,
	signal: AbortSignal,
): Promise<void> {
	const standings = await readStandings(core.db, execution, [id]);
	const unsent = (standings.get(id) ?? []).filter(({ status }) => UNSENT.has(status));
	for (const { intentId } of unsent) {
		try {
			const actor = `profile:${profileId}`;
			await execution.cancel(intentId, { actor, isUnsentOnly: true, signal });
		} catch (error) {
			// Sent just now, or settled: then it continues, and needs no cancelling transaction.
			if (!(error instanceof Fault)) throw error;
			core.log.warn("a buy of a plan could not be called off", { intentId, error });
		}
	}
}
