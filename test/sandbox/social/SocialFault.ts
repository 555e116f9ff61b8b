// Lists the faults, limits and prices of the emulated X.

import { z } from "zod";
import type { Account } from "./createTimeline.ts";

export type SocialFaults = ReturnType<typeof createSocialFaults>;

/** The identity of a call; null: unknown to X. */
export type CallerKind = "app" | "user" | "account" | null;

export type Grants = ReturnType<typeof createGrants>;

export type Meter = ReturnType<typeof createMeter>;

export type Window = { max: number; windowMs: number };

/** The credentials of the bot's app. They are valid in this sandbox only. */
export type SocialAccess = {
	botUsername: string;
	apiKey: string;
	apiSecret: string;
	bearerToken: string;
	clientId: string;
	clientSecret: string;
	userAccessToken: string;
	userRefreshToken: string;
	oauth1AccessToken: string;
	oauth1AccessTokenSecret: string;
	webhookId: string;
	webhookSecret: string;
};

/** An ordered fault; `path` is a pattern of the calls that it affects. */
export const SocialFault = z.strictObject({
	kind: z.enum([
		/** Rate limited: nothing is done. `retryAfter` in seconds. */
		"429",
		/** It is done, but the answer is a 429. */
		"lost_429",
		/** Nothing is done, and the answer has this `status`. */
		"status",
		/** It is done, but the answer is a 500. */
		"lost",
		/** It is done, but no answer comes. */
		"silence",
		/** Nothing is done, and no answer comes. */
		"dead",
		/** The answer comes after `delayMs`. */
		"slow",
		"html",
		/** For deliveries: not sent, sent twice, sent after the next one. */
		"drop_delivery",
		"duplicate_delivery",
		"late_delivery",
	]),
	path: z.string().default(""),
	status: z.int().min(300).max(599).default(503),
	retryAfter: z.int().min(1).max(86_400).default(60),
	delayMs: z.int().min(1).max(120_000).default(3_000),
	times: z.int().min(1).optional(),
});
export type SocialFault = z.output<typeof SocialFault>;
export type SocialFaultOrder = z.input<typeof SocialFault>;

/** X's prices, in thousandths of a dollar. */
const PRICES = {
	post_read: 5,
	owned_read: 1,
	user_read: 10,
	message_read: 10,
	post: 15,
	summoned_reply: 10,
	post_with_link: 200,
	message: 15,
	delivery: 5,
	message_delivery: 10,
} as const;

export type Billed = keyof typeof PRICES;

/** X's limits per account; each is a fixed window that begins with its first call. */
export const LIMITS: readonly (readonly [RegExp, Window])[] = [
	[/^POST \/2\/tweets$/, { max: 100, windowMs: 900_000 }],
	[/^POST \/2\/dm_conversations\//, { max: 15, windowMs: 900_000 }],
	[/^GET \/2\/users\/\d+\/mentions$/, { max: 300, windowMs: 900_000 }],
	[/^GET \/2\/dm_events$/, { max: 15, windowMs: 900_000 }],
	[/^GET \/2\/users\/me$/, { max: 75, windowMs: 900_000 }],
	[/^GET \/2\/usage\/tweets$/, { max: 50, windowMs: 900_000 }],
];

/** Makes the list of ordered faults, used one by one. */
export function createSocialFaults() {
	let orders: { fault: SocialFault; left: number }[] = [];
	return {
		add(order: SocialFaultOrder): void {
			const fault = SocialFault.parse(order);
			orders.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
		},
		clear(): void {
			orders = [];
		},
		all: () => orders.map(({ fault }) => fault),
		/** Returns the first fault for this call, or for a delivery. */
		take(what: "call" | "delivery", path: string): SocialFault | null {
			const wanted = orders.find(({ fault }) => {
				const isDelivery = fault.kind.endsWith("_delivery");
				return isDelivery === (what === "delivery") && new RegExp(fault.path).test(path);
			});
			if (!wanted) return null;
			wanted.left -= 1;
			if (wanted.left <= 0) orders = orders.filter((one) => one !== wanted);
			return wanted.fault;
		},
	};
}

/**
 * Makes the bot's tokens. A refresh token works once: if it is used again, X revokes all tokens.
 */
export function createGrants(access: SocialAccess, nowMs: () => number) {
	let round = 0;
	let isRevoked = false;
	let current = {
		token: access.userAccessToken,
		refresh: access.userRefreshToken,
		endsAtMs: Infinity,
	};
	const nonces = new Set<string>();

	function callerOf(authorization: string | null): CallerKind {
		if (authorization === `Bearer ${access.bearerToken}`) return "app";
		if (authorization === `Bearer ${current.token}`) {
			return !isRevoked && nowMs() < current.endsAtMs ? "user" : null;
		}
		return authorization?.startsWith("OAuth ") && isSigned(authorization) ? "account" : null;
	}

	/**
	 * Checks only the parts of the signature; another test proves the signature itself with X's
	 * example.
	 */
	function isSigned(header: string): boolean {
		const parts = new Map(
			[...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => {
				return [name, decodeURIComponent(value)];
			}),
		);
		const nonce = parts.get("oauth_nonce") ?? "";
		const isNew = nonce !== "" && !nonces.has(nonce);
		nonces.add(nonce);
		return (
			isNew &&
			parts.get("oauth_consumer_key") === access.apiKey &&
			parts.get("oauth_token") === access.oauth1AccessToken &&
			parts.get("oauth_signature_method") === "HMAC-SHA1" &&
			Buffer.from(parts.get("oauth_signature") ?? "", "base64").length === 20
		);
	}

	async function refresh(request: Request): Promise<Response> {
		const form = new URLSearchParams(await request.text());
		const basic = Buffer.from(`${access.clientId}:${access.clientSecret}`).toString("base64");
		const isClient = request.headers.get("authorization") === `Basic ${basic}`;
		if (!isClient) return Response.json({ error: "unauthorized_client" }, { status: 401 });
		const isRight = form.get("refresh_token") === current.refresh && !isRevoked;
		if (!isRight) {
			isRevoked = true;
			return Response.json({ error: "invalid_grant" }, { status: 400 });
		}
		round += 1;
		current = {
			token: `${access.userAccessToken}-${round}`,
			refresh: `${access.userRefreshToken}-${round}`,
			endsAtMs: nowMs() + 7_200_000,
		};
		return Response.json({
			token_type: "bearer",
			expires_in: 7_200,
			access_token: current.token,
			refresh_token: current.refresh,
		});
	}

	return {
		callerOf,
		refresh,
		rounds: () => round,
		isRevoked: () => isRevoked,
		/** Ends the access token, as after two hours, or by X. */
		expire(): void {
			current.endsAtMs = 0;
		},
	};
}

/** Counts what the app would pay, by kind of item; an item that is read again on a day is free. */
export function createMeter(nowMs: () => number) {
	const counts = new Map<Billed, number>();
	let read = new Set<string>();
	let day = 0;

	function note(what: Billed, times = 1): void {
		counts.set(what, (counts.get(what) ?? 0) + times);
	}

	return {
		note,
		noteRead(what: Billed, ids: readonly string[]): void {
			const today = Math.floor(nowMs() / 86_400_000);
			if (today !== day) read = new Set();
			day = today;
			const fresh = new Set(ids.filter((id) => !read.has(`${what} ${id}`)));
			for (const id of fresh) read.add(`${what} ${id}`);
			note(what, fresh.size);
		},
		read() {
			const items = Object.fromEntries(counts);
			const thousandths = [...counts].reduce((sum, [what, n]) => sum + PRICES[what] * n, 0);
			return { items, usd: thousandths / 1_000 };
		},
	};
}

/** Counts calls; returns the window of a call, with what is left: below 0 it is refused. */
export function createRates(nowMs: () => number) {
	const windows = new Map<string, { taken: number; endsAtMs: number }>();
	return (call: string): { max: number; left: number; endsAtMs: number } | null => {
		const found = LIMITS.find(([pattern]) => pattern.test(call));
		if (!found) return null;
		const [pattern, { max, windowMs }] = found;
		const atMs = nowMs();
		const known = windows.get(pattern.source);
		const window = known && known.endsAtMs > atMs ? known : { taken: 0, endsAtMs: atMs + windowMs };
		windows.set(pattern.source, window);
		window.taken += 1;
		return { max, left: max - window.taken, endsAtMs: window.endsAtMs };
	};
}

/** Returns the credentials of a bot; `seed` makes those of each start different. */
export function socialAccessOf(bot: Account, seed: string): SocialAccess {
	const secret = (what: string) => `sandbox-${what}-${seed}`;
	return {
		botUsername: bot.username,
		apiKey: secret("api-key"),
		apiSecret: secret("api-secret"),
		bearerToken: secret("bearer"),
		clientId: secret("client"),
		clientSecret: secret("client-secret"),
		userAccessToken: secret("access-0"),
		userRefreshToken: secret("refresh-0"),
		oauth1AccessToken: `${bot.id}-${secret("token")}`,
		oauth1AccessTokenSecret: secret("token-secret"),
		webhookId: "1700000000000000001",
		webhookSecret: secret("webhook"),
	};
}

/** Returns the credentials as a service's environment variables. */
export function socialEnv(url: string, access: SocialAccess): Record<string, string> {
	return {
		SOCIAL_BASE_URL: url,
		SOCIAL_BOT_USERNAME: access.botUsername,
		SOCIAL_API_KEY: access.apiKey,
		SOCIAL_API_SECRET: access.apiSecret,
		SOCIAL_BEARER_TOKEN: access.bearerToken,
		SOCIAL_CLIENT_ID: access.clientId,
		SOCIAL_CLIENT_SECRET: access.clientSecret,
		SOCIAL_USER_ACCESS_TOKEN: access.userAccessToken,
		SOCIAL_USER_REFRESH_TOKEN: access.userRefreshToken,
		SOCIAL_OAUTH1_ACCESS_TOKEN: access.oauth1AccessToken,
		SOCIAL_OAUTH1_ACCESS_TOKEN_SECRET: access.oauth1AccessTokenSecret,
		SOCIAL_WEBHOOK_ID: access.webhookId,
		SOCIAL_WEBHOOK_SECRET: access.webhookSecret,
	};
}
