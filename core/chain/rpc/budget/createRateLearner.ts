import type { LearnedRate } from "#core/chain/rpc/budget/CallTimeline.ts";
import {
	BELOW_REFUSED,
	FIRST_REFUSED_LEAST,
	HOLD_MAX_MS,
	HOLD_MIN_MS,
	LEARNED_KEPT_MS,
	LEARNED_PER_SECOND_MIN,
	LOWERED_LEAST,
	LOWERED_MOST,
	RAISED_BY,
	RAISED_LEAST,
	SAME_RATE,
} from "#core/chain/rpc/budget/limits.ts";

/** Calls of the last second: sent, and answered. */
export type LastSecond = { sent: number; answered: number };

export type RateLearner = {
	/** Returns the calls per second; null while nothing limits. */
	perSecond(nowMs: number): number | null;
	/** Reports a refusal for the rate; returns whether that changed the rate. */
	refused(nowMs: number, last: LastSecond): boolean;
	/** Reports that calls waited, and none was refused; returns whether that changed the rate. */
	wasBusy(nowMs: number): boolean;
	/** Takes over what another process learned. */
	adopt(learned: LearnedRate, nowMs: number): void;
	version(): number;
};

const CHANGE_EVERY_MS = 1_000;

/**
 * Makes the learner of an endpoint's rate limit, below the operator's limit, if there is one.
 *
 * It uses additive increase and multiplicative decrease: a node's limit is an unknown rate, perhaps
 * shared with others, and this rule finds it and shares it evenly. After a refusal the rate is what
 * was answered in the last second; refusals of one second count once. Just below the refused rate
 * it stops for a while, twice as long each time, because each try above costs a refusal.
 */
export function createRateLearner(perSecondMax: number | null): RateLearner {
	let learned: number | null = null;
	let version = 0;
	let refusedRate = Number.POSITIVE_INFINITY;
	let refusedAtMs = Number.NEGATIVE_INFINITY;
	let changedAtMs = Number.NEGATIVE_INFINITY;
	let holdMs = HOLD_MIN_MS;

	return {
		perSecond(nowMs) {
			if (learned !== null && nowMs - refusedAtMs > LEARNED_KEPT_MS) learned = null;
			return learned ?? perSecondMax;
		},
		refused(nowMs, { sent, answered }) {
			const isSameVolley = nowMs - refusedAtMs < CHANGE_EVERY_MS;
			refusedAtMs = nowMs;
			if (isSameVolley) return false;
			const rate =
				learned ?? Math.min(perSecondMax ?? Infinity, Math.max(sent, FIRST_REFUSED_LEAST));
			// A node that answers nothing shows nothing about its rate.
			const isSame =
				answered > LOWERED_LEAST * rate && Math.abs(rate - refusedRate) <= SAME_RATE * refusedRate;
			holdMs = isSame ? Math.min(holdMs * 2, HOLD_MAX_MS) : HOLD_MIN_MS;
			refusedRate = rate;
			const kept = Math.min(Math.max(answered, LOWERED_LEAST * rate), LOWERED_MOST * rate);
			set(Math.max(kept, LEARNED_PER_SECOND_MIN), nowMs);
			return true;
		},
		wasBusy(nowMs) {
			if (learned === null || nowMs - changedAtMs < CHANGE_EVERY_MS) return false;
			const isHeld = nowMs - refusedAtMs < holdMs;
			const most = Math.min(
				isHeld ? Math.max(BELOW_REFUSED * refusedRate, LEARNED_PER_SECOND_MIN) : Infinity,
				perSecondMax ?? Infinity,
			);
			const raised = Math.min(learned + Math.max(learned * RAISED_BY, RAISED_LEAST), most);
			if (raised <= learned) return false;
			set(raised, nowMs);
			return true;
		},
		adopt(other, nowMs) {
			if (other.version < version || other.perSecond === learned) return;
			if (learned === null || other.perSecond < learned) refusedAtMs = nowMs;
			learned = Math.min(other.perSecond, perSecondMax ?? Infinity);
			changedAtMs = nowMs;
			version = other.version;
		},
		version: () => version,
	};

	function set(perSecond: number, nowMs: number): void {
		learned = perSecond;
		changedAtMs = nowMs;
		version++;
	}
}
