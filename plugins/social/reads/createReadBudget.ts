import type { Core } from "#core/plugin/Core.ts";
import { socialFault } from "#plugins/social/faults.ts";
import { giveBackReads, monthOf, readReads, takeReads } from "#plugins/social/sql/reads.ts";

/** What may be read of X in a month, by all processes together. X bills what it answers. */
export type ReadBudget = {
	/**
	 * Makes a call that answers at most so many things, if the month has room for all of them; it
	 * says how many there were. Throws `rate_limited` where it has not. A call that fails without
	 * saying so counts whole: X may have answered.
	 */
	spend<Result>(
		atMost: number,
		call: (used: (count: number) => void) => Promise<Result>,
	): Promise<Result>;
	state(): Promise<{ month: string; reads: number; readsMax: number }>;
};

export function createReadBudget(
	{ db, clock }: Pick<Core, "db" | "clock">,
	readsMax: number,
): ReadBudget {
	return {
		async spend(atMost, call) {
			const nowMs = clock.nowMs();
			const month = monthOf(nowMs);
			if (!(await takeReads(db, { month, reads: atMost, readsMax }))) {
				const retryAfterMs = msToNextMonth(nowMs);
				throw socialFault.limited({
					public: "The month's reads of X are used up.",
					members: { provider: "x", retryAfterMs },
				});
			}
			let count = atMost;
			try {
				return await call((used) => {
					count = Math.min(used, atMost);
				});
			} finally {
				if (count < atMost) await giveBackReads(db, { month, reads: atMost - count });
			}
		},
		async state() {
			const month = monthOf(clock.nowMs());
			return { month: month.slice(0, 7), reads: await readReads(db, month), readsMax };
		},
	};
}

function msToNextMonth(nowMs: number): number {
	const now = new Date(nowMs);
	return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - nowMs;
}
