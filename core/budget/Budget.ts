// Defines budgets for calls to other people's servers, and judges one take.

import type { Clock } from "#core/clock.ts";
import { assert } from "#core/fault.ts";

/** The most units of one kind that may be taken in a window. */
export type BudgetShare = {
	/** The kind: lower case letters. A constant of ours, and the same in every process. */
	of: string;
	/** Units of this kind that may be taken in any span of `windowMs`. */
	perWindow: number;
};

/** Holds the cost of a call, and the limit in its window. Every process must use the same terms. */
export type BudgetTerms = {
	/** Units this take costs: all of them or none. */
	amount: number;
	/** Units that may be taken in any span of `windowMs`, by all processes together. */
	perWindow: number;
	windowMs: number;
	/** The kinds that this take counts into beside the whole; each must have room for it. */
	shares?: readonly BudgetShare[];
};

export type BudgetAnswer = {
	granted: boolean;
	/** Units that could be taken now on these terms. */
	remaining: number;
	/**
	 * The wait until the same take may succeed, if no other process takes meanwhile; 0 when granted.
	 */
	retryAfterMs: number;
};

/**
 * A shared allowance for calls to somebody else's server, which would refuse us, or ban us, if all
 * our processes together asked more often.
 *
 * The window slides: no minute, wherever it begins, sees more than a minute's worth. (A fixed one
 * lets twice as much through around its edge.) Each implementation passes `budgetCases`.
 */
export type Budget = {
	take(name: string, terms: BudgetTerms): Promise<BudgetAnswer>;
	/**
	 * Stops all grants under this name for `forMs`, in every process: the server refused. A pause
	 * that ends later stays.
	 */
	pause(name: string, forMs: number): Promise<void>;
};

/** Keeps refusals until the take may be granted again. */
export type Refusals = {
	add(name: string, terms: BudgetTerms, answer: BudgetAnswer): void;
	find(name: string, terms: BudgetTerms): BudgetAnswer | null;
};

/** A unit that was taken, and the kinds that it counts into. */
export type TakenUnit = { atMs: number; of: readonly string[] };

/** Remembers what this process took, by name and unit, while it counts; and its pauses. */
export type TakeLog = {
	/** Returns whether these terms allow the take now. Stores nothing. */
	judge(name: string, terms: BudgetTerms): BudgetAnswer;
	add(name: string, terms: BudgetTerms): void;
	pause(name: string, forMs: number): void;
};

/** A take that this process granted itself while the database did not answer. */
export type AloneTake = { atMs: number; windowMs: number; amount: number; of: readonly string[] };

/** Takes that are not in the database yet, by name, for as long as they count. */
export type UnsentTakes = {
	add(name: string, terms: BudgetTerms): AloneTake;
	/**
	 * Removes a take. Returns true if it was still here, so it never has to be sent.
	 */
	remove(name: string, take: AloneTake): boolean;
	/** Removes and returns all takes of a name, oldest first. The caller sends them. */
	takeOut(name: string): readonly AloneTake[];
	/** Puts takes back that could not be sent. */
	putBack(name: string, takes: readonly AloneTake[]): void;
};

type Named = { taken: TakenUnit[]; pausedUntilMs: number; pauseMs: number };

/** A take is remembered unit by unit until it leaves the window. */
export const UNITS_PER_WINDOW_MAX = 1_000;

/** Names are constants of ours, one for each upstream or key of one. */
export const NAMES_MAX = 1_000;

/** Limits the kinds that one take may count into. */
export const SHARES_MAX = 4;

/** The longest pause; one that ends later than this was written by a clock that was set back. */
export const PAUSE_MAX_MS = 3_600_000;

/** Divides the window for one process while the database cannot be asked: it may use a quarter. */
export const SHARE_ALONE_DIVISOR = 4;

/** The wait after a take that exceeds this process's share: the database may be back by then. */
export const RETRY_ALONE_MS = 1_000;

/** Limits how long a take waits for the database. */
export const TAKE_TIMEOUT_MS = 1_000;

/** The time for which the database is not asked again after it did not answer. */
export const AWAY_MS = 5_000;

/**
 * Asserts that a take could ever be granted: terms are written in code, so others are a mistake.
 */
export function assertTerms({ amount, perWindow, windowMs, shares = [] }: BudgetTerms): void {
	assert(Number.isInteger(amount) && amount > 0, "a take is a whole number of units");
	assert(perWindow <= UNITS_PER_WINDOW_MAX, "a window of more units is not remembered");
	assert(Number.isInteger(windowMs) && windowMs > 0, "a window is a whole number of milliseconds");
	assert(shares.length <= SHARES_MAX, "a take counts into a few kinds");
	for (const { of } of shares) assert(/^[a-z]{1,32}$/.test(of), "a kind is a word");
	for (const most of [perWindow, ...shares.map((share) => share.perWindow)]) {
		assert(Number.isInteger(most) && amount <= most, "a take must fit into its window");
	}
}

/** Asserts that a pause is a whole number of milliseconds, within its limit. */
export function assertPause(forMs: number): void {
	const isWhole = Number.isInteger(forMs) && forMs > 0;
	assert(
		isWhole && forMs <= PAUSE_MAX_MS,
		"a pause is a whole number of milliseconds, at most 1 h",
	);
}

/**
 * Remembers refusals of whole windows. Units leave a window by time alone, so a take on the same
 * terms, or for more, is refused until then, whoever asks.
 */
export function createRefusals(clock: Clock): Refusals {
	const refused = new Map<string, { answer: BudgetAnswer; untilMs: number }>();
	return {
		add(name, terms, answer) {
			if (refused.size >= NAMES_MAX) refused.clear();
			refused.set(keyOf(name, terms), {
				answer,
				untilMs: clock.nowMs() + answer.retryAfterMs,
			});
		},
		find(name, terms) {
			const key = keyOf(name, terms);
			const known = refused.get(key);
			if (!known) return null;
			const { answer, untilMs } = known;
			const leftMs = untilMs - clock.nowMs();
			// More than it was: the clock was set back, and the refusal is of no known age.
			if (leftMs > 0 && leftMs <= answer.retryAfterMs) return { ...answer, retryAfterMs: leftMs };
			refused.delete(key);
			return null;
		},
	};
}

/** Makes the record of what this process took and of its pauses, by name. */
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

/**
 * Decides whether these terms allow a take now, beside the units of the window, oldest first.
 * `retryAfterMs` is when the last of its limits has room again.
 */
export function judgeTake(
	taken: readonly TakenUnit[],
	terms: BudgetTerms,
	{ nowMs, pausedMs }: { nowMs: number; pausedMs: number },
): BudgetAnswer {
	const { amount, perWindow, windowMs, shares = [] } = terms;
	let remaining = Number.POSITIVE_INFINITY;
	let retryAfterMs = pausedMs;
	for (const limit of [{ of: null, perWindow }, ...shares]) {
		const { of } = limit;
		const units = of === null ? taken : taken.filter((unit) => unit.of.includes(of));
		remaining = Math.min(remaining, Math.max(0, limit.perWindow - units.length));
		const leaving = units[units.length + amount - limit.perWindow - 1];
		if (leaving) retryAfterMs = Math.max(retryAfterMs, leaving.atMs + windowMs - nowMs, 1);
	}
	const granted = pausedMs === 0 && remaining >= amount;
	return {
		granted,
		remaining: granted ? remaining - amount : pausedMs > 0 ? 0 : remaining,
		retryAfterMs: granted ? 0 : retryAfterMs,
	};
}

/**
 * Makes the list of takes that the database does not know. It never holds more than this process
 * may take alone of each window.
 */
export function createUnsentTakes(clock: Clock): UnsentTakes {
	const unsent = new Map<string, Set<AloneTake>>();
	function put(name: string, takes: readonly AloneTake[]): void {
		const nowMs = clock.nowMs();
		const all = [...(unsent.get(name) ?? []), ...takes];
		// One from the future was taken before the clock was set back: how old it is nobody knows.
		const counting = all.filter(({ atMs, windowMs }) => atMs > nowMs - windowMs && atMs <= nowMs);
		unsent.set(name, new Set(counting.sort((a, b) => a.atMs - b.atMs)));
	}
	return {
		add(name, { amount, windowMs, shares = [] }) {
			const take = { atMs: clock.nowMs(), windowMs, amount, of: shares.map(({ of }) => of) };
			put(name, [take]);
			return take;
		},
		remove: (name, take) => unsent.get(name)?.delete(take) ?? false,
		takeOut(name) {
			put(name, []);
			const takes = [...(unsent.get(name) ?? [])];
			unsent.delete(name);
			return takes;
		},
		putBack: put,
	};
}

function keyOf(name: string, { amount, perWindow, windowMs, shares = [] }: BudgetTerms): string {
	const kinds = shares.map((share) => [share.of, share.perWindow]);
	return JSON.stringify([name, amount, perWindow, windowMs, kinds]);
}
