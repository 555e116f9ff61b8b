// Lets operators in by the deployment's key, and limits guesses.

import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "#core/clock.ts";
import { assert } from "#core/fault.ts";
import { grantAllowance } from "#core/http/allowance.ts";
import { httpFault } from "#core/http/faults.ts";
import { requestContexts } from "#core/http/requests.ts";
import { createMemoryLimiter } from "#core/limiter.ts";
import type { Metrics } from "#core/metrics.ts";

/** Names an operator who has the deployment's key, by the name they gave. */
export type Operator = { actor: string };

/** Decides who may change what belongs to the deployment. */
export type Operators = {
	/**
	 * `x-api-key` compared in constant time; `x-admin-actor` is who says they hold it (`unnamed`
	 * without). Throws `unauthorized` (401): also where no key is configured.
	 */
	authenticate(request: Request): Operator;
};

/** Limits admin requests of one address without the right key, and charges this for a wrong one. */
const ALLOWANCE_PER_MINUTE = 120;
const WRONG_KEY_COST = 20;
const WINDOW_SECONDS = 60;

const KEY_LENGTH_MIN = 16;

/** The same whether there is a key or not: a stranger learns nothing of that. */
const NO_KEY =
	"This is for operators: send the header `x-api-key` with the ADMIN_API_KEY that the deployment is " +
	"started with. In the sandbox the banner of `bun run up` names one.";

/** Header values are bytes of Latin-1: other letters would arrive as something else. */
const ACTOR = /^[\x20-\x7e]{1,100}$/;
const UNNAMED = "unnamed";

/**
 * Checks operators by the deployment's one key.
 *
 * The right key always passes, even while others guess: the kill switch must never depend on them.
 * So the answer to a guess shows whether it was right, at any rate of guesses; a key of 16
 * characters or more cannot be found so. Wrong keys are limited by address and counted, and an
 * alert is made of the count. Each process counts by itself.
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
	const limiter = createMemoryLimiter({
		requestsMax: ALLOWANCE_PER_MINUTE,
		windowSeconds: WINDOW_SECONDS,
		clock,
	});
	const refusals = metrics.counter({
		name: "admin_refusals_total",
		help: "Requests to admin routes that were not an operator's.",
		labels: ["reason"],
	});
	return {
		authenticate(request) {
			const given = request.headers.get("x-api-key") ?? "";
			if (keyHash !== null && timingSafeEqual(hashOf(given), keyHash)) {
				return { actor: actorOf(request) };
			}
			const context = requestContexts.get(request);
			const address = context?.clientAddress ?? "unknown";
			const isGuess = keyHash !== null && given !== "";
			const taken = limiter.takeNow(address);
			for (let cost = 1; isGuess && cost < WRONG_KEY_COST; cost += 1) limiter.takeNow(address);
			const reason = reasonOf({ isGuess, isOn: keyHash !== null });
			refusals.inc({ reason: taken.allowed ? reason : "limited" });
			grantAllowance(taken, context?.headers ?? new Map());
			throw httpFault.unauthorized({ public: NO_KEY });
		},
	};
}

/**
 * Hashes a text. Hashes have one length: comparing them shows neither the key's length nor where it
 * differs.
 */
function hashOf(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}

/**
 * Reads the operator's name, after the key was checked: a caller without it learns nothing about
 * the header.
 */
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

function reasonOf({ isGuess, isOn }: { isGuess: boolean; isOn: boolean }): string {
	if (!isOn) return "no_key_configured";
	return isGuess ? "wrong_key" : "no_key";
}
