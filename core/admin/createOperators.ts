import { createHash, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Operators } from "#core/admin/Operators.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { assert } from "#core/fault/assert.ts";
import { grantAllowance } from "#core/http/grantAllowance.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { createMemoryLimiter } from "#core/limiter/createMemoryLimiter.ts";
import type { LimiterAnswer } from "#core/limiter/Limiter.ts";
import type { Metrics } from "#core/metrics/createMetrics.ts";

/** What one address may ask of all admin routes, and what a wrong key takes of that. */
const ALLOWANCE_PER_MINUTE = 120;
const WRONG_KEY_COST = 20;
/** Keys of strangers that are looked at, from all addresses: as many as ten may guess. */
const STRANGERS_PER_MINUTE = 60;
const WINDOW_SECONDS = 60;
/** Who calls from the machine itself needs no reputation: there is always a way in. */
const THIS_MACHINE = ["127.0.0.1", "::/64"];
/** Addresses of operators that are remembered. */
const KNOWN_MAX = 100;

const KEY_LENGTH_MIN = 16;

/** Header values are bytes of Latin-1: other letters would arrive as something else. */
const ACTOR = /^[\x20-\x7e]{1,100}$/;
const UNNAMED = "unnamed";

/**
 * Operators, by the deployment's one key.
 *
 * An address that guesses is refused before its key is looked at, so that what it hears tells
 * nothing about its guesses: six wrong keys a minute. All addresses that have not shown the right
 * key yet share a second limit, so that many of them guess no faster than ten; whoever has shown it
 * is not held up by it. Each process counts by itself.
 */
export function createOperators(options: {
	apiKey: string | undefined;
	clock: Clock;
	metrics: Metrics;
}): Operators {
	const { apiKey, clock, metrics } = options;
	const isLong = apiKey === undefined || apiKey.length >= KEY_LENGTH_MIN;
	assert(isLong, "the configuration lets no short key through");
	// The key itself is not kept: what is not there cannot be written anywhere.
	const keyHash = apiKey === undefined ? null : hashOf(apiKey);
	const windowSeconds = WINDOW_SECONDS;
	const limiter = createMemoryLimiter({ requestsMax: ALLOWANCE_PER_MINUTE, windowSeconds, clock });
	const guesses = createMemoryLimiter({ requestsMax: STRANGERS_PER_MINUTE, windowSeconds, clock });
	const operators = new LRUCache<string, true>({ max: KNOWN_MAX });
	const refusals = metrics.counter({
		name: "admin_refusals_total",
		help: "Requests to admin routes that were not an operator's.",
		labels: ["reason"],
	});
	return {
		authenticate(request) {
			const context = requestContexts.get(request);
			const address = context?.clientAddress ?? "unknown";
			const refuseBeyond = (taken: LimiterAnswer, reason: string) => {
				if (taken.allowed) return;
				refusals.inc({ reason });
				grantAllowance(taken, context?.headers ?? new Map());
			};
			refuseBeyond(limiter.takeNow(address), "limited");
			const given = request.headers.get("x-api-key") ?? "";
			const isKnown = operators.has(address) || THIS_MACHINE.includes(address);
			if (keyHash !== null && given !== "" && !isKnown) {
				refuseBeyond(guesses.takeNow("all"), "limited_together");
			}
			const isRight = keyHash !== null && timingSafeEqual(hashOf(given), keyHash);
			if (!isRight) {
				const isGuess = keyHash !== null && given !== "";
				for (let cost = 1; isGuess && cost < WRONG_KEY_COST; cost += 1) limiter.takeNow(address);
				refusals.inc({ reason: reasonOf({ isGuess, isOn: keyHash !== null }) });
				throw httpFault.unauthorized({ public: "This takes the deployment's x-api-key." });
			}
			operators.set(address, true);
			return { actor: actorOf(request) };
		},
	};
}

function reasonOf({ isGuess, isOn }: { isGuess: boolean; isOn: boolean }): string {
	if (!isOn) return "no_key_configured";
	return isGuess ? "wrong_key" : "no_key";
}

/** Hashes have one length: comparing them tells neither the key's length nor where it differs. */
function hashOf(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}

/** Asked for only of those who hold the key: nobody else learns what is wrong with the header. */
function actorOf(request: Request): string {
	const given = request.headers.get("x-admin-actor");
	if (given === null || given === "") return UNNAMED;
	if (!ACTOR.test(given)) {
		throw httpFault.validationError({
			public: "x-admin-actor is 1 to 100 printable ASCII characters.",
			members: {
				issues: [{ path: "x-admin-actor", message: "not 1 to 100 printable characters" }],
			},
		});
	}
	return given;
}
