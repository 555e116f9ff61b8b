// Reads, writes and moves plans, and the right to evaluate them.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { movesBy } from "#core/states.ts";
import { type PlanEvent, type PlanStatus, planMoves } from "#plugins/reveal-snipe/model.ts";

/** A trait that a token must have, with one of these values. */
export type PlanTrait = { type: string; values: string[] };

/** The limits of a plan. Amounts in base units of the chain's coin. */
export type PlanTerms = {
	maxRank: number | null;
	traits: PlanTrait[];
	maxPriceRaw: bigint;
	budgetRaw: bigint;
	maxItems: number;
	/** The order in which it buys several tokens. */
	order: PlanOrder;
	/** Says whether a plan buys by traits alone, as soon as a token shows them. */
	early: boolean;
	/** The least tip per gas that its buys offer, in base units; null: what nodes ask for. */
	priorityFeeRaw: bigint | null;
};

export const PLAN_ORDERS = ["cheapest", "rarest"] as const;
type PlanOrder = (typeof PLAN_ORDERS)[number];

/** State of wallet and profile when a plan is armed. */
export type ArmedWith = {
	canonicalWalletId: string | null;
	profileRevision: number;
	walletRevision: number;
};

type NewPlan = PlanTerms &
	ArmedWith & {
		id: string;
		profileId: string;
		walletId: string;
		collectionId: number;
		chainId: number;
		contract: Address;
		status: PlanStatus;
		pauseReason: string | null;
		createdAt: Date;
		expiresAt: Date;
	};

export type Plan = NewPlan & {
	failureCode: string | null;
	changedAt: Date;
	/** The time of the next evaluation after a reveal, and of the last one. */
	dueAt: Date | null;
	dueUntil: Date | null;
	evaluationToken: number;
};

/** A collection with open plans. Urgent: it is being revealed, or its plans are evaluated. */
type PlannedCollection = { collectionId: number; chainId: number; isUrgent: boolean };

export type PlanMove = {
	id: string;
	event: PlanEvent;
	at: Date;
	pauseReason?: string | null;
	/** The new state to compare with; without it the old one stays. */
	armedWith?: ArmedWith;
};

type PlanRow = Omit<Plan, "maxPriceRaw" | "budgetRaw" | "priorityFeeRaw"> & {
	maxPriceRaw: string;
	budgetRaw: string;
	priorityFeeRaw: string | null;
};

const COLUMNS = `id, profile_id as "profileId", wallet_id as "walletId",
	collection_id as "collectionId", chain_id as "chainId",
	'0x' || encode(contract, 'hex') as contract, max_rank as "maxRank", traits,
	max_price_raw as "maxPriceRaw", budget_raw as "budgetRaw", max_items as "maxItems",
	buys_first as "order", early, priority_fee_raw as "priorityFeeRaw", status,
	pause_reason as "pauseReason", failure_code as "failureCode",
	canonical_wallet_id as "canonicalWalletId", profile_revision as "profileRevision",
	wallet_revision as "walletRevision", created_at as "createdAt", changed_at as "changedAt",
	expires_at as "expiresAt", due_at as "dueAt", due_until as "dueUntil",
	evaluation_token as "evaluationToken"`;

export async function insertPlan(tx: Tx, plan: NewPlan): Promise<void> {
	await tx.execute(
		`insert into reveal_snipe.plan (id, profile_id, wallet_id, collection_id, chain_id, contract,
			max_rank, traits, max_price_raw, budget_raw, max_items, status, pause_reason,
			canonical_wallet_id, profile_revision, wallet_revision, created_at, changed_at, expires_at,
			buys_first, early, priority_fee_raw)
		values ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17,
			$18, $19, $20, $21)`,
		[
			...[plan.id, plan.profileId, plan.walletId, plan.collectionId, plan.chainId],
			...[bytesOf(plan.contract), plan.maxRank, JSON.stringify(plan.traits)],
			...[plan.maxPriceRaw, plan.budgetRaw, plan.maxItems, plan.status, plan.pauseReason],
			...[plan.canonicalWalletId, plan.profileRevision, plan.walletRevision],
			...[plan.createdAt, plan.expiresAt, plan.order, plan.early, plan.priorityFeeRaw],
		],
	);
}

/** Returns a plan by primary key; null where there is none. */
export async function readPlan(db: Queryable, id: string): Promise<Plan | null> {
	const rows = await db.query<PlanRow>(`select ${COLUMNS} from reveal_snipe.plan where id = $1`, [
		id,
	]);
	return rows[0] ? planOf(rows[0]) : null;
}

/**
 * Returns a plan and locks it until the transaction ends: no fill, move or evaluation meanwhile.
 */
export async function lockPlan(tx: Tx, id: string): Promise<Plan | null> {
	const rows = await tx.query<PlanRow>(
		`select ${COLUMNS} from reveal_snipe.plan where id = $1 for update`,
		[id],
	);
	return rows[0] ? planOf(rows[0]) : null;
}

/** Returns a profile's plans, newest first (ids grow with time). By `plan_of_profile`. */
export async function listPlans(
	db: Queryable,
	query: {
		profileId: string;
		status: PlanStatus | null;
		collectionId: number | null;
		afterId: string | null;
		limit: number;
	},
): Promise<Plan[]> {
	const { profileId, status, collectionId, afterId, limit } = query;
	const rows = await db.query<PlanRow>(
		`select ${COLUMNS} from reveal_snipe.plan
		where profile_id = $1 and ($2::text is null or status = $2)
			and ($3::int4 is null or collection_id = $3) and ($4::uuid is null or id < $4)
		order by id desc limit $5`,
		[profileId, status, collectionId, afterId, limit],
	);
	return rows.map(planOf);
}

/** Counts the plans of a profile that are armed or paused. */
export async function countOpenPlans(db: Queryable, profileId: string): Promise<number> {
	const [row] = await db.query<{ count: number }>(
		`select count(*)::int4 as count from reveal_snipe.plan
		where profile_id = $1 and status in ('armed', 'paused')`,
		[profileId],
	);
	return row?.count ?? 0;
}

/** Returns a page of open plans, ordered by id. */
export async function readOpenPlans(
	db: Queryable,
	{ afterId, limit }: { afterId: string | null; limit: number },
): Promise<Plan[]> {
	const rows = await db.query<PlanRow>(
		`select ${COLUMNS} from reveal_snipe.plan
		where status in ('armed', 'paused') and ($1::uuid is null or id > $1) order by id limit $2`,
		[afterId, limit],
	);
	return rows.map(planOf);
}

/** Returns collections with open plans, ordered by their oldest plan. By `plan_open`. */
export async function readPlannedCollections(
	db: Queryable,
	at: Date,
): Promise<PlannedCollection[]> {
	return db.query(
		`select collection_id as "collectionId", chain_id as "chainId",
			coalesce(bool_or(due_until > $1), false) or exists (
				select from reveal_snipe.detection as d
				where d.collection_id = p.collection_id and d.ended_at is null) as "isUrgent"
		from reveal_snipe.plan as p where status in ('armed', 'paused')
		group by collection_id, chain_id order by min(id::text)`,
		[at],
	);
}

/** Moves a plan by the table of moves; returns false where its status does not allow the event. */
export async function movePlan(tx: Queryable, move: PlanMove): Promise<boolean> {
	const { id, event, at, pauseReason = null, armedWith = null } = move;
	const moves = movesBy(planMoves, event);
	const moved = await tx.execute(
		`update reveal_snipe.plan set status = $3, pause_reason = $4, changed_at = $5,
			canonical_wallet_id = case when $6 then $7::uuid else canonical_wallet_id end,
			profile_revision = coalesce($8, profile_revision),
			wallet_revision = coalesce($9, wallet_revision)
		where id = $1 and status = any($2::text[])`,
		[
			...[id, moves.map(({ from }) => from), moves[0]?.to ?? "", pauseReason, at],
			...[armedWith !== null, armedWith?.canonicalWalletId ?? null],
			...[armedWith?.profileRevision ?? null, armedWith?.walletRevision ?? null],
		],
	);
	return moved > 0;
}

/**
 * Makes the open plans of a revealed collection due; returns how many. `isEarly`: only those that
 * need not wait until all its tokens are read.
 */
export async function makePlansDue(
	db: Queryable,
	due: { detectionId: number; collectionId: number; at: Date; until: Date; isEarly?: boolean },
): Promise<number> {
	return db.execute(
		`update reveal_snipe.plan set due_at = $2, due_until = $3
		where collection_id = $1 and status in ('armed', 'paused') and (early or not $5)
			and not exists (
			select from (
				select ended_at from reveal_snipe.detection where id = $4::int8 for share
			) as noticed where ended_at is not null
		)`,
		[due.collectionId, due.at, due.until, due.detectionId, due.isEarly ?? false],
	);
}

/** Makes them no longer due: the collection is hidden again, or its reveal left the chain. */
export async function endPlansDue(db: Queryable, collectionId: number): Promise<void> {
	await db.execute(
		`update reveal_snipe.plan set due_at = null, due_until = null
		where collection_id = $1 and due_until is not null and status in ('armed', 'paused')`,
		[collectionId],
	);
}

/** Returns armed plans that are due now, those that wait longest first. By `plan_due`. */
export async function readDuePlans(
	db: Queryable,
	due: { at: Date; limit: number; collectionId?: number },
): Promise<string[]> {
	const rows = await db.query<{ id: string }>(
		`select id from reveal_snipe.plan
		where status = 'armed' and due_at <= $1 and due_until > $1
			and ($3::int4 is null or collection_id = $3)
			and (evaluation_until is null or evaluation_until <= clock_timestamp() or not exists (
				select from pg_stat_activity where application_name = evaluation_session))
		order by due_at, id limit $2`,
		[due.at, due.limit, due.collectionId ?? null],
	);
	return rows.map(({ id }) => id);
}

/**
 * Takes the right to evaluate an armed plan for a time, and returns its token; null where another
 * process has it. The token grows each time, so that a process that stalled past its time makes no
 * more fills. A holder whose process has no database connection any more is replaced at once.
 */
export async function takeEvaluation(
	db: Queryable,
	{ id, session, durationMs }: { id: string; session: string; durationMs: number },
): Promise<number | null> {
	const rows = await db.query<{ token: number }>(
		`update reveal_snipe.plan set evaluation_token = evaluation_token + 1,
			evaluation_session = $2,
			evaluation_until = clock_timestamp() + $3 * interval '1 millisecond'
		where id = $1 and status = 'armed' and (evaluation_until is null
			or evaluation_until <= clock_timestamp() or not exists (
				select from pg_stat_activity where application_name = evaluation_session))
		returning evaluation_token as token`,
		[id, session, durationMs],
	);
	return rows[0]?.token ?? null;
}

/**
 * Ends the exclusive evaluation of a plan; stores when it is evaluated next and why it bought no
 * more.
 */
export async function endEvaluation(
	db: Queryable,
	ended: { id: string; token: number; dueAt: Date; failureCode: string | null },
): Promise<void> {
	await db.execute(
		`update reveal_snipe.plan set evaluation_until = null, failure_code = $4,
			due_at = case when due_until > $3 then $3 end,
			due_until = case when due_until > $3 then due_until end
		where id = $1 and evaluation_token = $2`,
		[ended.id, ended.token, ended.dueAt, ended.failureCode],
	);
}

function planOf({ maxPriceRaw, budgetRaw, priorityFeeRaw, ...row }: PlanRow): Plan {
	return {
		...row,
		maxPriceRaw: BigInt(maxPriceRaw),
		budgetRaw: BigInt(budgetRaw),
		priorityFeeRaw: priorityFeeRaw === null ? null : BigInt(priorityFeeRaw),
	};
}
