import type { Core } from "#core/plugin/Core.ts";
import { socialFault } from "#plugins/social/faults.ts";
import { giveBackReads, monthOf, readReads, takeReads } from "#plugins/social/sql/reads.ts";

/**
 * The monthly budget of reads on X, for all processes together. X bills each item in its answers.
 */
export type ReadBudget = {
	/**
	 * Makes a call that returns at most `atMost` items, if the month has room for all of them; the
	 * call reports the real number. Throws `rate_limited` where there is no room. A call that fails
	 * without a report counts fully: X may have answered.
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
