import type { RevealSubject } from "#plugins/market-index/contract.ts";
import type { Trigger } from "#plugins/reveal-snipe/detection/signals.ts";
import type { Detection } from "#plugins/reveal-snipe/sql/detections.ts";
import type { Seen } from "#plugins/reveal-snipe/sql/seen.ts";

/** The state of a watched collection in one process, between looks. */
export type Watched = {
	subject: RevealSubject;
	seen: Seen;
	/** Its newest detection; null where none was made. */
	last: Detection | null;
	/** The reason for the next look; null without one. */
	pending: Trigger | null;
	/** A look is running: the next one waits. */
	isLooking: boolean;
	lookedAtMs: number;
	/** When its documents were last requested, and when that last failed. */
	documentsAtMs: number;
	failedAtMs: number;
	/** How many looks in a row found a revealed collection hidden. */
	hiddenLooks: number;
};

/** Returns the first state of a newly watched collection. */
export function watchedOf(subject: RevealSubject, seen: Seen | undefined): Watched {
	return {
		subject,
		seen: seen ?? NOTHING_SEEN,
		last: null,
		pending: null,
		isLooking: false,
		lookedAtMs: Number.NEGATIVE_INFINITY,
		documentsAtMs: Number.NEGATIVE_INFINITY,
		failedAtMs: Number.NEGATIVE_INFINITY,
		hiddenLooks: 0,
	};
}

const NOTHING_SEEN: Seen = {
	tokenIds: [],
	uriDigest: null,
	contentDigest: null,
	reading: null,
	hiddenTraits: null,
};
