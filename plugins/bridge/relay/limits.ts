import { MINUTE_MS, SECOND_MS } from "#core/time/units.ts";

export const RELAY_ID = "bridge";
export const RELAY_BASE_URL_DEFAULT = "https://api.relay.link";
export const CALL_TIMEOUT_MS = 10_000;
/** A list of chains is the largest answer: under 1 MB in 2026. */
export const BODY_BYTES_MAX = 4 * 1_048_576;
export const REFUSAL_BYTES_MAX = 65_536;
/** A person waits so long for the provider's limits; the clock never does. */
export const WAITED_OUT_MS = 3_000;
/** How long all processes stay away after a 429 that does not say. */
export const PAUSE_DEFAULT_MS = 5_000;
export const PAUSE_MAX_MS = 5 * MINUTE_MS;

export type CallClass = "quote" | "requests" | "other";
type Terms = { perWindow: number; windowMs: number };

/** The provider's published limits, without a key and with one. */
export const CALL_LIMITS: Readonly<Record<"open" | "keyed", Readonly<Record<CallClass, Terms>>>> = {
	open: {
		quote: { perWindow: 50, windowMs: MINUTE_MS },
		requests: { perWindow: 200, windowMs: MINUTE_MS },
		other: { perWindow: 200, windowMs: MINUTE_MS },
	},
	keyed: {
		quote: { perWindow: 10, windowMs: SECOND_MS },
		requests: { perWindow: 10, windowMs: SECOND_MS },
		other: { perWindow: 200, windowMs: MINUTE_MS },
	},
};
/** Of the minute that all other calls share: what polls, and what strangers look at, may take. */
export const POLLS_PER_MINUTE = 150;
export const VIEWS_PER_MINUTE = 30;
