// Remembers what X refused, and tells operators what is wrong with the channel.

import type { Queryable } from "#core/db/Database.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Core } from "#core/plugin/Core.ts";
import { SECOND_MS } from "#core/time.ts";
import { REFUSED_STREAK_MIN, SILENCE_MAX_MS } from "#plugins/social/limits.ts";
import type { ReadBudget } from "#plugins/social/readBudget.ts";
import { readNewestReceived } from "#plugins/social/sql/events.ts";
import type { XAnswer } from "#plugins/social/x/callX.ts";

/** What the client of X tells: this process's view. */
export type XHealth = {
	/** Notes X's answer to a call as the bot. */
	answered(answer: XAnswer): void;
	/** Notes whether X gave a new token; `false`: it is refused, or its answer was lost. */
	renewed(isGood: boolean): void;
	degraded(): Promise<Degradation[]>;
};

type HealthDeps = {
	core: Pick<Core, "clock"> & { db: Queryable };
	reads: Pick<ReadBudget, "state">;
	/** Something can arrive: a secret or a credential is set. */
	isOpen: boolean;
};

type Streak = { count: number; sinceMs: number };

const ACTION = {
	unauthorized:
		"X refuses the credentials (401). Set SOCIAL_OAUTH1_ACCESS_TOKEN or SOCIAL_USER_REFRESH_TOKEN anew.",
	unpaid: "X wants to be paid (402). Add credits in X's console: answers wait for half an hour.",
	forbidden: "X forbids what the bot does (403). Look at the app's permissions, and at the log.",
	token:
		"X gives no new OAuth 2 token. Authorise the account again and set SOCIAL_USER_REFRESH_TOKEN; " +
		"where OAuth 1.0a is set, that posts meanwhile.",
	silence: "Nothing was written to the bot for a day. Look at X's webhook, and subscribe it again.",
	budget:
		"The month's reads of X end before the month. Raise SOCIAL_MONTHLY_READS_MAX, or poll less.",
} as const;

/** Makes what watches the calls of X. Nothing here stops the service. */
export function createXHealth({ core, reads, isOpen }: HealthDeps): XHealth {
	const { clock, db } = core;
	const startedMs = clock.nowMs();
	const streaks = new Map<keyof typeof ACTION, Streak>();

	function note(what: keyof typeof ACTION): void {
		const { count = 0, sinceMs = clock.nowMs() } = streaks.get(what) ?? {};
		streaks.set(what, { count: count + 1, sinceMs });
	}

	function told(what: keyof typeof ACTION, code: string, least: number): Degradation[] {
		const streak = streaks.get(what);
		if (streak === undefined || streak.count < least) return [];
		return [line(code, { ...streak, action: ACTION[what] })];
	}

	function line(
		code: string,
		{ count, sinceMs, action }: Streak & { action: string },
	): Degradation {
		const oldestAgeSeconds = Math.max(0, Math.floor((clock.nowMs() - sinceMs) / SECOND_MS));
		return { code, count, oldestAgeSeconds, action };
	}

	async function silence(): Promise<Degradation[]> {
		const newestMs = (await readNewestReceived(db))?.getTime() ?? startedMs;
		if (!isOpen || clock.nowMs() - newestMs <= SILENCE_MAX_MS) return [];
		return [line("social_silent", { count: 1, sinceMs: newestMs, action: ACTION.silence })];
	}

	async function budget(): Promise<Degradation[]> {
		const { endsAt } = await reads.state();
		if (!isOpen || endsAt === null) return [];
		const sinceMs = clock.nowMs();
		return [line("social_reads_end", { count: 1, sinceMs, action: ACTION.budget })];
	}

	return {
		answered(answer) {
			if (answer.kind === "read") {
				for (const what of ["unauthorized", "unpaid", "forbidden"] as const) streaks.delete(what);
			}
			if (answer.kind === "limited" && answer.isUnpaid) note("unpaid");
			if (answer.kind !== "refused") return;
			if (answer.status === 401) note("unauthorized");
			if (answer.status === 403) note("forbidden");
		},
		renewed(isGood) {
			if (isGood) streaks.delete("token");
			else note("token");
		},
		degraded: async () => [
			...told("unauthorized", "social_unauthorized", 1),
			...told("unpaid", "social_unpaid", 1),
			...told("forbidden", "social_refused", REFUSED_STREAK_MIN),
			...told("token", "social_token_dead", 1),
			...(await silence()),
			...(await budget()),
		],
	};
}
