import type { BudgetTerms } from "#core/budget/Budget.ts";
import type { Clock } from "#core/clock/Clock.ts";

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

/** Bounded: it never holds more than this process may take alone of each window. */
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
