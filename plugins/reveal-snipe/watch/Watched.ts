import type { RevealSubject } from "#plugins/market-index/contract.ts";
import type { Trigger } from "#plugins/reveal-snipe/detection/signals.ts";
import type { Detection } from "#plugins/reveal-snipe/sql/detections.ts";
import type { Seen } from "#plugins/reveal-snipe/sql/seen.ts";

/** A watched collection as one process holds it between looks. */
export type Watched = {
	subject: RevealSubject;
	seen: Seen;
	/** Its newest detection; null where none was made. */
	last: Detection | null;
	/** Why it is to be looked at next; null while nothing asks for it. */
	pending: Trigger | null;
	/** A look is under way: the next one waits. */
	isLooking: boolean;
	lookedAtMs: number;
	/** When its documents were last asked for, and when that was in vain. */
	documentsAtMs: number;
	failedAtMs: number;
	/** Looks in a row at which a shown collection looked hidden. */
	hiddenLooks: number;
};

/** A collection that is watched from now on. */
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
