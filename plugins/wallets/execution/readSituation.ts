// Takes the locks of a decision, and reads under them what it is decided by.

import { hexToBytes } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { DAY_MS } from "#core/time.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import { killScopeOf, killSql, switchedOff, switchLockKey } from "#plugins/wallets/control/kill.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { CostedPlan } from "#plugins/wallets/execution/judgeBatch.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import type { Intent, Plan, Profile } from "#plugins/wallets/model.ts";
import { type Behind, behindCodec, hashPlan, planCodec } from "#plugins/wallets/plan.ts";
import {
	type ProfileRow,
	profileColumns,
	profileOf,
	walletOrder,
	walletsOfProfile,
} from "#plugins/wallets/profile/sql.ts";
import {
	type NonceQueue,
	nonceQueueSql,
	type QueueRow,
} from "#plugins/wallets/submission/nonceQueue.ts";

/**
 * Holds the plan that the owner approved, the one that an operator approved, and whether the owner
 * approved an earlier step.
 */
export type SaidYes = { owner: Plan | null; operator: Plan | null; isStepConfirmed: boolean };

/** Holds what a batch is decided by, all of it read under the lock of the profile's row. */
export type Situation = {
	profile: Profile | null;
	isStillCreated: boolean;
	/** The denial by a kill switch; null: nothing is switched off. */
	killed: Denial | null;
	/** Microdollars of the last 24 hours. */
	spentToday: bigint;
	queue: NonceQueue;
	/** How long the profile knows each recipient, in milliseconds; null where there is none. */
	known: readonly (number | null)[];
	/** The approvals of each intent. */
	yes: readonly SaidYes[];
	/** What the intents that wait for these steps will spend. */
	behind: readonly Behind[];
};

/**
 * Holds an intent with its planned transaction, the reason for an operator's review, and what is
 * stored with the plan.
 */
export type PlannedIntent = CostedPlan & {
	intent: Intent;
	review?: Denial;
	/** The worth in microdollars, as its kind returned it beside the plan. */
	worthUsdMicros?: bigint;
	asks?: boolean;
	keep?(tx: Tx): Promise<void>;
};

type Row = { id: string; owner: unknown; operator: unknown; isStepConfirmed: boolean };

type Given = { planned: readonly PlannedIntent[]; account: AccountState; at: Date };

type SituationRow = ProfileRow & QueueRow & { spent: string; killed: string | null };

const NOBODY: SaidYes = { owner: null, operator: null, isStepConfirmed: false };

/** Steps of one chain that are walked back. */
const STEPS_MAX = 16;

const knowSql = `insert into wallets.recipient as known (profile_id, address, first_seen_at)
	select $1, address, $3 from unnest($2::bytea[]) as t (address)
	on conflict (profile_id, address) do update set first_seen_at = known.first_seen_at
	returning '0x' || encode(address, 'hex') as address, first_seen_at as "firstSeenAt"`;

/**
 * Takes the locks in the order that all code keeps: the profile's row, the intents' rows, the
 * switches' lock. The profile's row is locked `for no key update`, so rows that refer to it can be
 * written meanwhile. A row that was waited for is read as its writer left it.
 */
const locksSql = (ids: string) => `with profile as materialized (
		select from wallets.profile where id = $1 for no key update
	), held as materialized (
		select status, settings->'behind' as behind from wallets.intent
		where ${ids} and exists (select from profile) order by id for no key update
	)
	select created, behind, pg_advisory_xact_lock_shared($3)
	from (
		select count(*) filter (where status = 'created')::int as created,
			coalesce(jsonb_agg(behind) filter (where behind is not null), '[]') as behind
		from held
	) as counted`;

/** A list is planned at each call, one id once for a connection. */
const lockingSql = { one: locksSql("id = $2"), many: locksSql("id = any($2)") };

/** Reads a row for each wallet. Held nonces, which can be many, are only in the payer's row. */
const situationSql = `select ${profileColumns},
		(${spentTodaySql({ profile: "$1", since: "$2" })}) as spent,
		(${killSql.read("$3")}) as killed,
		${nonceQueueSql.columns(5, "w.id = $4")}
	from wallets.profile as p ${walletsOfProfile}
	where p.id = $1 order by ${walletOrder}`;

/**
 * Takes the locks that a decision needs and reads under them. All statements are sent together and
 * run in this order, each with its own snapshot: one round trip. The locks are a statement of their
 * own, so that later ones read what is true under the locks.
 */
export async function readSituation(
	deps: ExecutionDeps,
	tx: Tx,
	given: Given,
): Promise<Situation | null> {
	const { planned, at } = given;
	const [first] = planned;
	if (!first) return null;
	const { profileId } = first.intent;
	const [held, found, known, yes] = await Promise.all([
		takeLocks(tx, planned),
		readUnderLocks(deps, tx, given, first),
		// Whatever is decided: what denies one of a batch must not keep the others unknown.
		knowRecipients(tx, { profileId, recipients: planned.map(({ plan }) => plan.recipient), at }),
		readYes(
			tx,
			planned.map(({ intent }) => intent),
		),
	]);
	return { ...found, ...held, known, yes };
}

/**
 * Reads the approvals of intents, in their order. Costs nothing where none was asked for yet: such
 * an intent has no plan and no step before it.
 */
export async function readYes(tx: Tx, intents: readonly Intent[]): Promise<SaidYes[]> {
	const asked = intents.filter(({ plan, afterId }) => plan !== null || afterId !== null);
	if (asked.length === 0) return intents.map(() => NOBODY);
	const rows = await tx.query<Row>(
		`select i.id, i.confirmed_plan as owner, i.reviewed_plan as operator, exists (
			with recursive steps (id, depth) as (
				select i.after_id, 1
				union all
				select s.after_id, depth + 1 from steps join wallets.intent s on s.id = steps.id
				where depth < ${STEPS_MAX}
			)
			select from steps join wallets.intent s on s.id = steps.id
			where s.confirmed_plan is not null
		) as "isStepConfirmed"
		from wallets.intent i where i.id = any($1::uuid[])`,
		[asked.map(({ id }) => id)],
	);
	const byId = new Map(rows.map((row) => [row.id, read(row)]));
	return intents.map(({ id }) => byId.get(id) ?? NOBODY);
}

/** Returns whether a newly made plan is still within the one that was approved. */
export function isWithin(
	approved: Plan | null,
	fresh: Plan,
	keeps: ((approved: Plan, fresh: Plan) => boolean) | undefined,
): boolean {
	if (approved === null) return false;
	return hashPlan(approved) === hashPlan(fresh) || keeps?.(approved, fresh) === true;
}

/**
 * Returns how long a profile knows each recipient, in milliseconds; null where there is none.
 * Asking makes them known: a cooldown begins with the first attempt, which is when its owner hears
 * of it.
 */
export async function knowRecipients(
	tx: Tx,
	given: { profileId: string; recipients: readonly (Address | null)[]; at: Date },
): Promise<(number | null)[]> {
	const { profileId, recipients, at } = given;
	const asked = [...new Set(recipients.flatMap((one) => one ?? []))];
	if (asked.length === 0) return recipients.map(() => null);
	const rows = await tx.query<{ address: Address; firstSeenAt: Date }>(knowSql, [
		profileId,
		asked.map((one) => hexToBytes(one)),
		at,
	]);
	const since = new Map(rows.map(({ address, firstSeenAt }) => [address, firstSeenAt.getTime()]));
	return recipients.map((one) => {
		return one && at.getTime() - (since.get(one) ?? at.getTime());
	});
}

/**
 * Answers microdollars, as text, that a profile reserved since a time and did not get back. What
 * was released counts for nothing from the moment it was, and what was reserved before that time
 * never. Its values are the places of the profile and of the time.
 *
 * Reads the one range of `spend_counted`, and beside it only the intents that something was given
 * back for: it grows with a profile's day, and is asked at each decision.
 */
export function spentTodaySql({ profile, since }: { profile: string; since: string }): string {
	return `select coalesce(sum(
			case when kind = 'release' then -usd_micros else usd_micros end
		), 0)::text as spent
		from wallets.spend_entry as counted
		where profile_id = ${profile} and at >= ${since}
			and kind in ('reserve', 'release', 'unrelease')
			and (kind = 'reserve' or exists (
				select from wallets.spend_entry as own
				where own.intent_id = counted.intent_id and own.kind = 'reserve' and own.at >= ${since}
			))`;
}

/**
 * Locks the intents, so that none of them moves before the batch is decided, and reads what waits
 * for them.
 */
async function takeLocks(
	tx: Tx,
	planned: readonly PlannedIntent[],
): Promise<Pick<Situation, "isStillCreated" | "behind">> {
	const ids = planned.map(({ intent }) => intent.id);
	const [only = ""] = ids;
	const [text, which] = ids.length === 1 ? [lockingSql.one, only] : [lockingSql.many, ids];
	const profileId = planned[0]?.intent.profileId ?? "";
	const values = [profileId, which, switchLockKey];
	const [row] = await tx.query<{ created: number; behind: unknown[] }>(text, values);
	return {
		isStillCreated: row?.created === planned.length,
		behind: (row?.behind ?? []).flatMap((one) => behindCodec.read(one)),
	};
}

/**
 * Reads all that is needed under the locks in one statement, because each costs as much again as
 * most of what is read here.
 */
async function readUnderLocks(
	deps: ExecutionDeps,
	tx: Tx,
	{ account, at }: Given,
	{ intent, plan }: PlannedIntent,
): Promise<Omit<Situation, "isStillCreated" | "behind" | "known" | "yes">> {
	const rows = await tx.query<SituationRow>(situationSql, [
		intent.profileId,
		new Date(at.getTime() - DAY_MS),
		killSql.keysOf(killScopeOf(deps, intent)),
		intent.walletId,
		...nonceQueueSql.values(plan, account),
	]);
	const [row] = rows;
	return {
		profile: profileOf(rows),
		killed: row?.killed === null ? null : switchedOff,
		spentToday: BigInt(row?.spent ?? "0"),
		queue: nonceQueueSql.read(rows.find(({ walletId }) => walletId === intent.walletId)),
	};
}

function read({ owner, operator, isStepConfirmed }: Row): SaidYes {
	const planOf = (stored: unknown) => (stored === null ? null : planCodec.read(stored));
	return { owner: planOf(owner), operator: planOf(operator), isStepConfirmed };
}
