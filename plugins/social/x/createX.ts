// Makes the client for X, and remembers what X refused, for operators.

import type { TwitterApi } from "twitter-api-v2";
import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { Degradation } from "#core/http/createHttpApp.ts";
import type { Core } from "#core/plugin/Core.ts";
import { MINUTE_MS, SECOND_MS } from "#core/time.ts";
import type { ReadBudget } from "#plugins/social/budgets.ts";
import { socialFault } from "#plugins/social/faults.ts";
import { REFUSED_STREAK_MIN, SILENCE_MAX_MS, type SocialConfig } from "#plugins/social/limits.ts";
import { readNewestReceived } from "#plugins/social/sql/events.ts";
import {
	type AsX,
	type CallX,
	createAskX,
	createCallX,
	hasOAuth1,
	hasOAuth2,
	missing,
	needed,
	oauth1Keys,
	type XAnswer,
} from "#plugins/social/x/callX.ts";
import { createUserTokens } from "#plugins/social/x/userTokens.ts";

/** The identity for a call: the app, or the bot's account by OAuth 2 or by OAuth 1.0a. */
type Speaker = "app" | "user" | "account";

export type Asked = {
	as: Speaker;
	/** Builds the one call with the library. */
	use(v2: TwitterApi["v2"]): Promise<unknown>;
	signal?: AbortSignal;
};

/** The client for X. */
export type X = {
	/**
	 * Makes one call and returns X's answer. Throws only where a credential is missing or refused.
	 */
	ask(asked: Asked): Promise<XAnswer>;
	/** Makes a call that only reads: throws a Fault for anything but a valid answer. */
	read<Output>(asked: Asked, schema: z.ZodType<Output>): Promise<Output>;
	/**
	 * Returns the id of the account whose credentials are set: from the OAuth 1.0a token, which
	 * begins with it, else asked of X, once. Throws a Fault where neither has it.
	 */
	botId(): Promise<string>;
	/** Returns the bot's own account. Called at most once in ten minutes. */
	me(): Promise<{ id: string; username: string }>;
};

/** Holds what this process knows of calls to X: how they end and how much is left. */
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
	/** True: deliveries can arrive, because a secret or a credential is set. */
	isOpen: boolean;
};

type Streak = { count: number; sinceMs: number };

const accountSchema = z.looseObject({
	data: z.looseObject({ id: z.string().regex(/^\d{1,20}$/), username: z.string().max(50) }),
});
const ME_KEPT_MS = 10 * MINUTE_MS;
/** The pause after X did not say who the bot is: a flood of deliveries asks it once. */
const ME_RETRY_MS = 10 * SECOND_MS;

type XDeps = {
	core: Pick<Core, "db" | "clock" | "log" | "holder" | "session">;
	config: SocialConfig;
	ending: AbortSignal;
	call?: CallX;
	health?: Pick<XHealth, "answered" | "renewed">;
	/** Counts what X bills for saying who the bot is. */
	note?(items: readonly string[]): Promise<void>;
};

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

/** Makes the client for X. Before the first use nothing is called, and no credential is needed. */
export function createX({ core, config, ending, ...given }: XDeps): X {
	const call = given.call ?? createCallX({ nowMs: () => core.clock.nowMs(), ending });
	const { health = null } = given;
	const renewed = (isGood: boolean) => health?.renewed(isGood);
	const askX = createAskX(call, config.SOCIAL_BASE_URL);
	const tokens = createUserTokens({ core, config, askX, renewed });
	let me: { id: string; username: string; atMs: number } | null = null;

	const withToken = (token: string): AsX => {
		return (settings, Client) => new Client(token, settings);
	};
	const account: AsX = (settings, Client) => new Client(oauth1Keys(config), settings);

	async function ask({ as, use, signal }: Asked) {
		const by = (who: AsX) => askX(who, ({ v2 }) => use(v2), signal);
		switch (wayOf(as, config)) {
			case "bearer":
				return await by(withToken(needed(config, "SOCIAL_BEARER_TOKEN")));
			case "oauth1":
				return noted(await by(account));
			default:
				return noted(await askAsUser(by));
		}
	}

	function noted(answer: XAnswer): XAnswer {
		health?.answered(answer);
		return answer;
	}

	/**
	 * Calls with the user's token. A call with a refused token did nothing, so it is repeated once
	 * with the next token; where X gives none, or refuses that too, by OAuth 1.0a.
	 */
	async function askAsUser(by: (who: AsX) => Promise<XAnswer>): Promise<XAnswer> {
		let token: string | null = null;
		try {
			token = await tokens.access();
			const answer = await by(withToken(token));
			if (answer.kind !== "refused" || answer.status !== 401) return answer;
			token = await tokens.renew(token);
		} catch (error) {
			// Thrown by the tokens alone, before this call was made or after X refused it.
			if (!isUnasked(error) || !hasOAuth1(config)) throw error;
			return await by(account);
		}
		const again = await by(withToken(token));
		const isRefused = again.kind === "refused" && again.status === 401;
		return isRefused && hasOAuth1(config) ? await by(account) : again;
	}

	async function read<Output>(asked: Asked, schema: z.ZodType<Output>): Promise<Output> {
		const answer = await ask(asked);
		if (answer.kind !== "read") throw faultOf(answer, core.clock.nowMs());
		const parsed = schema.safeParse(answer.json);
		if (parsed.success) return parsed.data;
		throw socialFault.unavailable({ detail: "an answer of another shape" });
	}

	async function readMe() {
		const atMs = core.clock.nowMs();
		if (me === null || atMs - me.atMs > ME_KEPT_MS) {
			const { data } = await read({ as: "user", use: (v2) => v2.me() }, accountSchema);
			me = { id: data.id, username: data.username, atMs };
			await given.note?.([`user:${data.id}`]);
		}
		return { id: me.id, username: me.username };
	}

	return { ask, read, me: readMe, botId: createBotId(config, core.clock, readMe) };
}

/** Makes the function that says who the bot is; calls at the same time share one call of X. */
function createBotId(
	config: SocialConfig,
	clock: Clock,
	readMe: () => Promise<{ id: string }>,
): X["botId"] {
	let id = /^(\d{1,20})-/.exec(config.SOCIAL_OAUTH1_ACCESS_TOKEN ?? "")?.[1] ?? null;
	let asked: { atMs: number; id: Promise<string> } | null = null;
	return async () => {
		if (id !== null) return id;
		const nowMs = clock.nowMs();
		if (asked === null || nowMs - asked.atMs >= ME_RETRY_MS) {
			asked = { atMs: nowMs, id: readMe().then((me) => me.id) };
		}
		id = await asked.id;
		return id;
	};
}

/**
 * Returns how to authenticate; either OAuth version replaces the other where its credentials are
 * unset.
 */
function wayOf(as: Speaker, config: SocialConfig): "bearer" | "oauth1" | "oauth2" {
	if (as === "app") return "bearer";
	const [first, second] = as === "user" ? ["oauth2", "oauth1"] : ["oauth1", "oauth2"];
	const has = { oauth1: hasOAuth1(config), oauth2: hasOAuth2(config) };
	for (const way of [first, second] as const) {
		if (way === "oauth1" && has.oauth1) return way;
		if (way === "oauth2" && has.oauth2) return way;
	}
	throw missing(["SOCIAL_USER_ACCESS_TOKEN or the four of OAuth 1.0a"]);
}

/** Returns the fault for an answer that could not be read. */
export function faultOf(answer: Exclude<XAnswer, { kind: "read" }>, nowMs: number): Fault {
	switch (answer.kind) {
		case "limited": {
			const retryAfterMs = Math.max(1_000, answer.untilMs - nowMs);
			return socialFault.limited({ members: { provider: "x", retryAfterMs } });
		}
		case "refused":
			return socialFault.refused({ detail: `HTTP ${answer.status}: ${answer.detail}` });
		default:
			return socialFault.unavailable({ detail: answer.detail });
	}
}

/** Returns true if X was not called at all: a credential is missing, or was refused. */
export function isUnasked(error: unknown): error is Fault {
	const codes = ["social_credential_missing", "social_token_refused", "social_unavailable"];
	return error instanceof Fault && codes.includes(error.code);
}

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
