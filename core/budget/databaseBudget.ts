import { createHash } from "node:crypto";
import { assertPause, assertTerms } from "#core/budget/assertTerms.ts";
import type { Budget, BudgetAnswer, BudgetTerms } from "#core/budget/Budget.ts";
import { createRefusals } from "#core/budget/createRefusals.ts";
import { createTakeLog, type TakeLog } from "#core/budget/createTakeLog.ts";
import { type AloneTake, createUnsentTakes } from "#core/budget/createUnsentTakes.ts";
import { judgeTake } from "#core/budget/judgeTake.ts";
import {
	AWAY_MS,
	RETRY_ALONE_MS,
	SHARE_ALONE_DIVISOR,
	TAKE_TIMEOUT_MS,
} from "#core/budget/limits.ts";
import { addUnits } from "#core/budget/sql/addUnits.ts";
import { pauseUnits } from "#core/budget/sql/pauseUnits.ts";
import { returnUnits } from "#core/budget/sql/returnUnits.ts";
import { type TakenWindow, takeUnits } from "#core/budget/sql/takeUnits.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { createTimely } from "#core/db/createTimely.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";

export type DatabaseBudgetOptions = {
	db: Queryable;
	clock: Clock;
	log: Log;
	/** How far this process's time was set ahead, by a test; the server's is moved as far. */
	aheadMs?: () => number;
	timeoutMs?: number;
};

/**
 * The budget of all processes on one database: one statement a take, by the server's clock.
 *
 * Each process also remembers what it took itself. While the database does not answer it goes on
 * with a share of the window, into which counts what it was granted before; the database is told
 * of it once it answers again. What was refused is remembered too: nothing that others do makes the
 * wait shorter, so nobody asks again before.
 */
export function databaseBudget(options: DatabaseBudgetOptions): Budget {
	const { db, clock, log, aheadMs = () => 0, timeoutMs = TAKE_TIMEOUT_MS } = options;
	const own = createTakeLog(clock);
	const refusals = createRefusals(clock);
	const unsent = createUnsentTakes(clock);
	const onAway = (why: unknown) => log.warn(AWAY, { why });
	const timely = createTimely({ clock, timeoutMs, awayMs: AWAY_MS, onAway });

	/** Sends the database what was taken without it: else others would be granted that again. */
	async function sendTakes(name: string): Promise<void> {
		const takes = unsent.takeOut(name);
		if (takes.length === 0) return;
		const sent = { takes, nowMs: clock.nowMs(), aheadMs: aheadMs() };
		await timely.ask(
			() => addUnits(db, keyOf(name), sent).then(() => true),
			(isStored) => {
				if (!isStored) unsent.putBack(name, takes);
			},
		);
	}

	async function ask(
		name: string,
		terms: BudgetTerms,
		onLate: (window: TakenWindow | null) => void,
	): Promise<BudgetAnswer | null> {
		if (!timely.isAway()) await sendTakes(name);
		if (timely.isAway()) return null;
		const asked = { ...terms, aheadMs: aheadMs() };
		const window = await timely.ask(() => takeUnits(db, keyOf(name), asked), onLate);
		if (window === null) return null;
		const { granted, taken, nowMs, pausedMs } = window;
		const before = granted ? taken.slice(0, taken.length - terms.amount) : taken;
		return { ...judgeTake(before, terms, { nowMs, pausedMs: granted ? 0 : pausedMs }), granted };
	}

	/**
	 * Settles a grant that came too late: it pays for the units taken alone in its place, or is
	 * given back.
	 */
	function settleLate(name: string, terms: BudgetTerms, late: LateGrant): void {
		if (late.alone && unsent.remove(name, late.alone)) return;
		const unused = { ...terms, atMs: late.atMs };
		// Should that fail, they leave with the window.
		returnUnits(db, keyOf(name), unused).catch(() => {});
	}

	return {
		async take(name, terms) {
			assertTerms(terms);
			const judged = own.judge(name, terms);
			if (!judged.granted) return judged;
			const refused = refusals.find(name, terms);
			if (refused) return refused;
			let taken: AloneTake | null = null;
			const shared = await ask(name, terms, (late) => {
				if (late?.granted) settleLate(name, terms, { atMs: late.nowMs, alone: taken });
			});
			const answer = shared ?? alone(own, name, terms);
			if (answer.granted) own.add(name, terms);
			else if (shared) refusals.add(name, terms, answer);
			if (answer.granted && !shared) taken = unsent.add(name, terms);
			return answer;
		},
		async pause(name, forMs) {
			assertPause(forMs);
			own.pause(name, forMs);
			if (timely.isAway()) return;
			const paused = () => pauseUnits(db, keyOf(name), { forMs, aheadMs: aheadMs() });
			await timely.ask(() => paused().then(() => true));
		},
	};
}

const AWAY = "the database does not share budgets now: this process has a quarter of each";

/** A grant that came when nobody waited for it any more, and what was taken alone meanwhile. */
type LateGrant = { atMs: number; alone: AloneTake | null };

/** Returns the key of a name. Any text is a name, also one that the database cannot hold. */
function keyOf(name: string): Buffer {
	return createHash("sha256").update(name).digest();
}

function alone(own: TakeLog, name: string, terms: BudgetTerms): BudgetAnswer {
	const quarter = (units: number) => Math.max(1, Math.floor(units / SHARE_ALONE_DIVISOR));
	const perWindow = quarter(terms.perWindow);
	const shares = terms.shares?.map(({ of, perWindow }) => ({ of, perWindow: quarter(perWindow) }));
	const answer = own.judge(name, { ...terms, perWindow, ...(shares && { shares }) });
	const least = Math.min(perWindow, ...(shares ?? []).map((share) => share.perWindow));
	if (terms.amount > least) return { ...answer, retryAfterMs: RETRY_ALONE_MS };
	// The whole window is there again as soon as the database is: nobody stands aside for longer.
	return { ...answer, retryAfterMs: Math.min(answer.retryAfterMs, AWAY_MS) };
}
