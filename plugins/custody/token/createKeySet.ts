import { createPublicKey, type KeyObject } from "node:crypto";
import { z } from "zod";
import type { Clock } from "#core/clock/Clock.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import {
	KEY_SET_ASK_AGAIN_MS,
	KEY_SET_ASK_EVERY_MS,
	KEY_SET_FRESH_MS,
	KEY_SET_STALE_MS,
	KEYS_PER_SET_MAX,
	NAME_LENGTH_MAX,
} from "#plugins/custody/limits.ts";
import type { KeySource } from "#plugins/custody/token/KeySource.ts";

const setSchema = z.object({ keys: z.array(z.unknown()).max(KEYS_PER_SET_MAX) });
const keySchema = z.object({
	kty: z.literal("EC"),
	crv: z.literal("P-256"),
	x: z.string().regex(/^[\w-]{43}$/),
	y: z.string().regex(/^[\w-]{43}$/),
	kid: z.string().min(1).max(NAME_LENGTH_MAX),
	alg: z.literal("ES256").optional(),
	use: z.literal("sig").optional(),
});

/**
 * Keeps the provider's public keys (JWKS), and asks for them once at a time. A key that we do not
 * know is asked for, but seldom: whoever invents key names costs one request in half a minute.
 * While the provider is away its last keys hold for an hour.
 *
 * @param options.ask returns the set as JSON; throws where it cannot be had.
 */
export function createKeySet(options: { ask: () => Promise<unknown>; clock: Clock }): KeySource {
	const { ask, clock } = options;
	let keys = new Map<string, KeyObject>();
	let readAtMs = Number.NEGATIVE_INFINITY;
	let askedAtMs = Number.NEGATIVE_INFINITY;
	let asking: Promise<void> | null = null;

	async function refresh(): Promise<void> {
		askedAtMs = clock.nowMs();
		const read = readKeys(await ask());
		// An empty set is the provider's mistake, and would sign everybody out.
		if (read.size === 0 && keys.size > 0) return;
		keys = read;
		readAtMs = clock.nowMs();
	}

	function refreshOnce(): Promise<void> {
		asking ??= refresh().finally(() => {
			asking = null;
		});
		return asking;
	}

	return async (keyId) => {
		// Without a name it cannot be said which key it is meant to be.
		if (keyId === null) return null;
		const nowMs = clock.nowMs();
		const isStale = nowMs - readAtMs >= KEY_SET_STALE_MS;
		const everyMs = isStale ? KEY_SET_ASK_AGAIN_MS : KEY_SET_ASK_EVERY_MS;
		const mayAsk = asking !== null || nowMs - askedAtMs >= everyMs;
		if (nowMs - readAtMs >= KEY_SET_FRESH_MS || !keys.has(keyId)) {
			try {
				if (mayAsk) await refreshOnce();
				else if (isStale) throw custodyFault.unavailable({ detail: "no keys, asked just now" });
			} catch (error) {
				if (isStale || !keys.has(keyId)) throw error;
			}
		}
		return keys.get(keyId) ?? null;
	};
}

function readKeys(json: unknown): Map<string, KeyObject> {
	const read = new Map<string, KeyObject>();
	for (const one of setSchema.safeParse(json).data?.keys ?? []) {
		const { data } = keySchema.safeParse(one);
		if (!data) continue;
		try {
			const { kty, crv, x, y } = data;
			read.set(data.kid, createPublicKey({ key: { kty, crv, x, y }, format: "jwk" }));
		} catch {
			// A point that is not on the curve is no key.
		}
	}
	return read;
}
