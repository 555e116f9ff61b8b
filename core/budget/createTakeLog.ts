import type { BudgetAnswer, BudgetTerms } from "#core/budget/Budget.ts";
import { judgeTake, type TakenUnit } from "#core/budget/judgeTake.ts";
import { NAMES_MAX } from "#core/budget/limits.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { assert } from "#core/fault/assert.ts";

/** What this process took, by name and unit, for as long as it counts; and its pauses. */
export type TakeLog = {
	/** Whether these terms allow the take now. Remembers nothing. */
	judge(name: string, terms: BudgetTerms): BudgetAnswer;
	add(name: string, terms: BudgetTerms): void;
	pause(name: string, forMs: number): void;
};

type Named = { taken: TakenUnit[]; pausedUntilMs: number; pauseMs: number };

export function createTakeLog(clock: Clock): TakeLog {
	const known = new Map<string, Named>();

	function named(name: string): Named {
		const found = known.get(name);
		if (found) return found;
		assert(known.size < NAMES_MAX, "a budget's name is a constant");
		const made = { taken: [], pausedUntilMs: 0, pauseMs: 0 };
		known.set(name, made);
		return made;
	}
	/** Returns the entry of a name, without units that left the window. */
	function current(name: string, windowMs: number): Named {
		const found = named(name);
		const nowMs = clock.nowMs();
		// Also what a clock that was set back put more than a window ahead: it would never leave.
		found.taken = found.taken.filter(
			({ atMs }) => atMs > nowMs - windowMs && atMs <= nowMs + windowMs,
		);
		return found;
	}
	function pausedMs({ pausedUntilMs, pauseMs }: Named): number {
		return Math.min(Math.max(pausedUntilMs - clock.nowMs(), 0), pauseMs);
	}

	return {
		judge(name, terms) {
			const found = current(name, terms.windowMs);
			return judgeTake(found.taken, terms, { nowMs: clock.nowMs(), pausedMs: pausedMs(found) });
		},
		add(name, { amount, windowMs, shares = [] }) {
			const { taken } = current(name, windowMs);
			const unit = { atMs: clock.nowMs(), of: shares.map(({ of }) => of) };
			for (let count = 0; count < amount; count++) taken.push(unit);
		},
		pause(name, forMs) {
			const found = named(name);
			if (forMs <= pausedMs(found)) return;
			found.pausedUntilMs = clock.nowMs() + forMs;
			found.pauseMs = forMs;
		},
	};
}
