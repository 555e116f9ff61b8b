// Records steps that come before an intent, and resumes it once they are over.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { DAY_MS } from "#core/time.ts";
import { isAllowanceTaken } from "#plugins/wallets/allowance.ts";
import { killScopeOf, killSql, switchedOff } from "#plugins/wallets/control/kill.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { judgeSpend } from "#plugins/wallets/execution/judgeBatch.ts";
import { readyIntents } from "#plugins/wallets/execution/prepareIntent.ts";
import { isWithin, readYes, spentTodaySql } from "#plugins/wallets/execution/readSituation.ts";
import type { Preparation } from "#plugins/wallets/IntentKind.ts";
import { type IntentStatus, moveIntent } from "#plugins/wallets/intent/Intent.ts";
import type { Denial } from "#plugins/wallets/intent/intentError.ts";
import {
	type IntentToInsert,
	insertIntents,
	readIntents,
	storePlan,
} from "#plugins/wallets/intent/intentRow.ts";
import { INTENT_LIFETIME_MS, REVIEW_LIFETIME_MS } from "#plugins/wallets/limits.ts";
import type { Intent, Plan, Profile, Wallet } from "#plugins/wallets/model.ts";
import { type Behind, behindCodec } from "#plugins/wallets/plan.ts";
import { chargeFor } from "#plugins/wallets/quota.ts";
import { messageDenial } from "#plugins/wallets/spend/spend.ts";

/** An intent, and what has to come before it. */
export type FirstGiven = {
	intent: Intent;
	first: Extract<Preparation, { kind: "first" }>;
	profile: Profile;
	wallet: Wallet;
	/** Before anything was read for it. */
	beganAt: Date;
};

/** Holds the result of recording the step before an intent. */
export type FirstStep =
	| { kind: "recorded"; step: Intent }
	| { kind: "denied"; denial: Denial }
	/** Somebody else was faster with it, or it has to wait for its turn: it stays as it is. */
	| { kind: "gone" }
	/** An operator is asked, and nothing is recorded. */
	| { kind: "asked" };

/** The step before an intent is over: where that was, and what it makes of the intent. */
type Ended = { id: string; step: IntentStatus; stepId: string };

/** Steps that one intent may ask for in its life: one that asks again and again gets nowhere. */
const FIRST_STEPS_MAX = 4;

/** Waiting intents that one turn takes further. */
const RESUMED_MAX = 50;

const NO_WALLET: Denial = {
	code: "no_executable_wallet",
	detail: "The wallet is not linked any more.",
};

const stepRead = (id: string) => `Read that step by GET /v1/trading/steps/${id}`;

/** Denies an intent whose step before was done again and again. */
const tooMany = ({ afterId }: Pick<Intent, "afterId">): Denial => ({
	code: "previous_step_failed",
	detail:
		`What has to come before it was done ${FIRST_STEPS_MAX} times, and is not there. The last was ` +
		`the step ${afterId}.`,
	action: `${stepRead(afterId ?? "")}; then ask for all of it again.`,
});

const OVER_QUOTA: Denial = {
	code: "intent_quota",
	detail: "It takes more than one step, and its owner has asked for too many intents.",
};

/**
 * Records the step that has to be confirmed before an intent, and makes the intent wait for it, in
 * one transaction: there is never one without the other. An intent that an operator has to review
 * waits for the review before any step.
 */
export async function recordFirst(deps: ExecutionDeps, given: FirstGiven): Promise<FirstStep> {
	const { intent, first, profile, wallet, beganAt } = given;
	const { intent: step, spend, feeRaw, review, keep } = first;
	const { chainId, channel, asks } = intent;
	const made = readyIntents(deps, [{ ...step, profile, wallet, chainId, channel, asks }]);
	return await deps.steps.run("commit.first", () =>
		deps.db.transaction(async (tx): Promise<FirstStep> => {
			await tx.query("select 1 from wallets.profile where id = $1 for no key update", [profile.id]);
			const [row] = await tx.query<{ status: IntentStatus; steps: number; behind: unknown }>(
				`select status, coalesce(settings->'behind', '[]') as behind, (
					select count(*)::int from wallets.intent_move where intent_id = i.id and event = 'wait'
				) as steps
				from wallets.intent i where id = $1 for no key update`,
				[intent.id],
			);
			if (row?.status !== "created") return { kind: "gone" };
			if (row.steps >= FIRST_STEPS_MAX) return { kind: "denied", denial: tooMany(intent) };
			const tooDear = feeRaw === undefined ? null : messageDenial(deps, { chainId, feeRaw });
			const denial = tooDear ?? (await denialOf(deps, tx, { intent, spend }));
			if (denial) return { kind: "denied", denial };
			// An allowance that is somebody else's is not taken back: it is soon used up.
			if (await isAllowanceTaken(tx, { intent, plan: null, beganAt })) return { kind: "gone" };
			if (review && (await isReviewAsked(deps, tx, { intent, review }))) return { kind: "asked" };
			// Whatever is asked meanwhile, limits are held against all of it again before it is sent.
			const behind = [{ kind: intent.kind, spend }, ...behindCodec.read(row.behind)];
			const own = { ...made, intents: made.intents.map((one) => withBehind(one, behind)) };
			const charge = chargeFor(deps, { ...own, profileId: profile.id });
			const [recorded] = (await insertIntents(tx, own, charge)) ?? [];
			if (!recorded) return { kind: "denied", denial: OVER_QUOTA };
			await keep?.(tx);
			const at = made.times.at;
			await moveIntent(tx, { intentId: intent.id, event: "wait", at, expected: "created" });
			await tx.execute("update wallets.intent set after_id = $2 where id = $1", [
				intent.id,
				recorded.id,
			]);
			return { kind: "recorded", step: recorded };
		}),
	);
}

function withBehind(step: IntentToInsert, behind: readonly Behind[]): IntentToInsert {
	return { ...step, settings: { ...step.settings, behind: behindCodec.write(behind) } };
}

/** Says whether no operator has agreed to such a plan yet, so that one is asked now. */
async function isReviewAsked(
	deps: ExecutionDeps,
	tx: Tx,
	{ intent, review }: Pick<FirstGiven, "intent"> & { review: { plan: Plan; reason: Denial } },
): Promise<boolean> {
	const { plan, reason } = review;
	const [yes] = await readYes(tx, [intent]);
	const { id: intentId, kind } = intent;
	if (isWithin(yes?.operator ?? null, plan, deps.kindOf(kind)?.keeps)) return false;
	const atMs = deps.clock.nowMs();
	await storePlan(tx, { intentId, plan, expiresAt: new Date(atMs + REVIEW_LIFETIME_MS) });
	await moveIntent(tx, {
		...{ intentId, event: "ask_review", at: new Date(atMs), expected: "created" },
		denial: reason,
	});
	return true;
}

/**
 * Returns why what comes behind the step would be refused, as far as that is known now: nothing is
 * sent for what a switch or a limit forbids. The caller holds the profile's row.
 */
async function denialOf(
	deps: ExecutionDeps,
	tx: Tx,
	{ intent, spend }: { intent: Intent; spend: Plan["spend"] },
): Promise<Denial | null> {
	const at = new Date(deps.clock.nowMs());
	const [row] = await tx.query<{ killed: string | null; spent: string }>(
		`select (${killSql.read("$1")}) as killed,
			(${spentTodaySql({ profile: "$2", since: "$3" })}) as spent`,
		[killSql.keysOf(killScopeOf(deps, intent)), intent.profileId, new Date(at.getTime() - DAY_MS)],
	);
	if (row?.killed) return switchedOff;
	const profile = await deps.profileOf(tx, intent.profileId);
	const wallet = profile?.wallets.find(({ id }) => id === intent.walletId);
	if (!profile || !wallet) return NO_WALLET;
	const planned = [{ intent, plan: { chainId: intent.chainId, spend, recipient: null } }];
	const spentToday = BigInt(row?.spent ?? "0");
	const judged = judgeSpend(deps, { planned, profile, wallet, at, spentToday, known: [null] });
	return judged.kind === "denied" ? judged.denial : null;
}

/**
 * Takes intents further whose step is over: those behind a confirmed one are `created` again, with
 * their time renewed, and returned; the others end with it. Reads `intent_waiting`.
 */
export async function resumeWaiting(deps: ExecutionDeps): Promise<string[]> {
	const ended = await deps.db.query<Ended>(
		`select i.id, s.status as step, s.id as "stepId"
		from wallets.intent i join wallets.intent s on s.id = i.after_id
		where i.status = 'waiting'
			and s.status in ('confirmed', 'failed', 'rejected', 'expired', 'dry_run')
		order by i.changed_at limit $1`,
		[RESUMED_MAX],
	);
	const resumed: string[] = [];
	for (const one of ended) if (await resume(deps, one)) resumed.push(one.id);
	return resumed;
}

/** Resumes a step that waited; returns whether it is to be planned now. */
async function resume(
	deps: ExecutionDeps,
	{ id: intentId, step, stepId }: Ended,
): Promise<boolean> {
	const atMs = deps.clock.nowMs();
	const at = new Date(atMs);
	return await deps.steps.run("commit.resume", () =>
		deps.db.transaction(async (tx) => {
			if (step === "dry_run") {
				await moveIntent(tx, { intentId, event: "skip_dry_run", at });
				return false;
			}
			if (step !== "confirmed") {
				const [before] = await readIntents(tx, [stepId]);
				const denial = stepFailed({ id: stepId, status: step, ...before });
				await moveIntent(tx, { intentId, event: "deny", at, denial });
				return false;
			}
			const moved = await moveIntent(tx, { intentId, event: "resume", at, expected: "waiting" });
			await tx.execute("update wallets.intent set expires_at = $2 where id = $1", [
				intentId,
				new Date(atMs + INTENT_LIFETIME_MS),
			]);
			return moved !== null;
		}),
	);
}

/** Says which step ended, where and why, and where it is read. */
function stepFailed({
	id,
	kind,
	status,
	error,
	transactionHash,
}: Pick<Intent, "id" | "status"> & Partial<Intent>): Denial {
	const which = kind === undefined ? id : `${kind} ${id}`;
	const why = error ? `: ${error.message} (${error.code})` : "";
	const hash = transactionHash ? ` Its transaction is ${transactionHash}.` : "";
	const detail = `The step before it (${which}) is ${status}${why || "."}${hash}`;
	const action = `${stepRead(id)}; then ask for all of it again.`;
	return { code: "previous_step_failed", detail, action };
}

/** Returns the intent whose owner's answer one waits for: itself, or a step before it. */
export async function askingOf(db: Queryable, intent: Intent): Promise<Intent> {
	let asking = intent;
	for (let n = 0; n < FIRST_STEPS_MAX * 4; n++) {
		if (asking.status !== "waiting" || asking.afterId === null) return asking;
		const [before] = await readIntents(db, [asking.afterId]);
		if (!before) return asking;
		asking = before;
	}
	return asking;
}
