import type { Fault } from "#core/fault/Fault.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { CLOCK_SKEW_MS, NONCE_TTL_MS, SIWE_LIFETIME_MAX_MS } from "#plugins/wallets/limits.ts";
import { readTimestamp } from "#plugins/wallets/siwe/readTimestamp.ts";
import type { SiweMessage } from "#plugins/wallets/siwe/SiweMessage.ts";

/** What a message must say to be meant for us, now. */
export type SiweExpectation = {
	/** Pages that may ask for a sign-in: `https://app.example`. */
	origins: readonly string[];
	chainIds: readonly number[];
	nowMs: number;
};

/**
 * Says why a message is not for us, or not now; null: it is. Whether its nonce is ours and its
 * signature good is asked elsewhere.
 *
 * Domain and URI are compared with whole origins: a signature that somebody gave to another page
 * must be worth nothing here.
 */
export function siweRefusal(message: SiweMessage, expected: SiweExpectation): Fault | null {
	const asked = expected.origins.map((text) => new URL(text));
	const own = asked.filter(({ host, protocol }) => {
		const scheme = message.scheme ?? protocol.slice(0, -1);
		return host === message.domain && protocol === `${scheme}:`;
	});
	if (own.length === 0) {
		return refusal(
			"siweDomain",
			`This service signs in for ${names(asked.map((url) => url.host))}.`,
		);
	}
	if (!own.some(({ origin }) => origin === originOf(message.uri))) {
		return refusal("siweUri", "The URI is not on the domain that the message names.");
	}
	if (!expected.chainIds.includes(message.chainId)) {
		return refusal("siweChain", `Sign in with chain id ${names(expected.chainIds.map(String))}.`);
	}
	return timeRefusal(message, expected.nowMs);
}

function timeRefusal(message: SiweMessage, nowMs: number): Fault | null {
	const issuedMs = readTimestamp(message.issuedAt) ?? Number.NaN;
	const expiresMs = timeOf(message.expirationTime, Number.POSITIVE_INFINITY);
	const notBeforeMs = timeOf(message.notBefore, Number.NEGATIVE_INFINITY);
	if (!(issuedMs <= nowMs + CLOCK_SKEW_MS)) {
		return refusal("siweNotYetValid", "The message is issued in the future.");
	}
	if (!(issuedMs >= nowMs - NONCE_TTL_MS - CLOCK_SKEW_MS)) {
		return refusal("siweExpired", "The message is too old: ask for a new nonce and sign again.");
	}
	if (!(nowMs < expiresMs)) return refusal("siweExpired", "The message has expired.");
	if (!(notBeforeMs <= nowMs + CLOCK_SKEW_MS)) {
		return refusal("siweNotYetValid", "The message is not valid yet.");
	}
	if (message.expirationTime !== null && !(expiresMs - issuedMs <= SIWE_LIFETIME_MAX_MS)) {
		return refusal("siweLifetime", "The message says it is valid for more than seven days.");
	}
	return null;
}

/** Comparisons with NaN are all false, so a time that cannot be read denies. */
function timeOf(text: string | null, absentMs: number): number {
	return text === null ? absentMs : (readTimestamp(text) ?? Number.NaN);
}

/** Returns the origin of a URI; null where a user in it shows one name and leads to another. */
function originOf(uri: string): string | null {
	if (!URL.canParse(uri)) return null;
	const { origin, username, password } = new URL(uri);
	return username === "" && password === "" ? origin : null;
}

function names(all: readonly string[]): string {
	return [...new Set(all)].join(" or ") || "no page";
}

type Reason =
	| "siweDomain"
	| "siweUri"
	| "siweChain"
	| "siweNotYetValid"
	| "siweExpired"
	| "siweLifetime";

function refusal(reason: Reason, told: string): Fault {
	return walletsFault[reason]({ public: told });
}
