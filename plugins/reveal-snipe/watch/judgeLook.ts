// Decides what a check of a collection means.

import type { RevealReading, RevealState, RevealSubject } from "#plugins/market-index/contract.ts";
import type { Trigger } from "#plugins/reveal-snipe/detection.ts";
import {
	HIDDEN_AGAIN_LOOKS,
	PARTIAL_CHANGED_MS,
	PARTIAL_SAME_MS,
} from "#plugins/reveal-snipe/limits.ts";
import type { Change, Print } from "#plugins/reveal-snipe/prints.ts";
import type { Detection, Seen } from "#plugins/reveal-snipe/sql/detections.ts";

/** Holds the state of a watched collection in one process, between checks. */
export type Watched = {
	subject: RevealSubject;
	seen: Seen;
	/** Holds what the index stored of tokens that no check has read yet, by id. */
	stored: ReadonlyMap<string, StoredPrint>;
	/** The newest detection of the collection; null where none was made. */
	last: Detection | null;
	/** The reason for the next check; null without one. */
	pending: Trigger | null;
	/** True while a check is running: the next one waits. */
	isLooking: boolean;
	lookedAtMs: number;
	/** The time when its documents were last requested, and when that last failed. */
	documentsAtMs: number;
	failedAtMs: number;
	/** True once it is stored that nothing of its tokens could be read yet. */
	isUnseenStored: boolean;
	/** The number of checks in a row that found a revealed collection hidden. */
	hiddenLooks: number;
	/** Holds what rerolled tokens showed, and when: a later block has to show the same. */
	rerolled: { contentDigest: string; block: number | null; atMs: number } | null;
};

/** Holds a stored print; `isOwnWord`: it is from the contract, and not from the provider. */
export type StoredPrint = Print & { isOwnWord: boolean };

/** Holds the consequence of checking a collection. */
export type Verdict =
	| { kind: "nothing" }
	/** The state changes, but no token must be read again. */
	| { kind: "move"; event: "looks_hidden" | "looks_shown" }
	/** `isInPlace`: what was noticed before it is not read to its end. */
	| { kind: "reveal"; isInPlace: boolean }
	/** The noticed reveal is hidden again, before all was read. */
	| { kind: "withdrawn" };

export type Look = {
	state: RevealState;
	reading: RevealReading;
	/** The change since the baseline; `rerolled` only where it is not certain yet. */
	change: Change;
	/** Says whether tokens are hidden again after a reveal. */
	isHiddenAgain: boolean;
	contentDigest: string;
	isUriChanged: boolean;
	/** Says whether tokens certainly show something else than the reveal that is being read. */
	isReplaced: boolean;
	/** Looks in a row, including this one, that found it hidden. */
	hiddenLooks: number;
	last: Pick<Detection, "endedAt" | "outcome" | "contentDigest"> | null;
	nowMs: number;
};

const NOTHING_SEEN: Seen = {
	...{ tokenIds: [], baseline: [], shown: null, latest: [], reading: null, hiddenTraits: null },
};

/**
 * Decides the consequence of a check. A reveal means: most tokens show something new since the
 * baseline, in which they differ. A collection that was revealed before its first check has no
 * reveal.
 */
export function judgeLook(look: Look): Verdict {
	const { state, reading, change, last } = look;
	if (look.isHiddenAgain && last?.endedAt === null) {
		return { kind: look.isUriChanged ? "withdrawn" : "nothing" };
	}
	if (look.isHiddenAgain && state === "revealed") {
		// A server may return old documents for a while. A URI comes from the chain itself.
		const isBelieved = look.isUriChanged || look.hiddenLooks >= HIDDEN_AGAIN_LOOKS;
		return isBelieved ? { kind: "move", event: "looks_hidden" } : { kind: "nothing" };
	}
	if (change === "out") {
		const isResting = !look.isReplaced && mustRest(look);
		return isResting ? { kind: "nothing" } : { kind: "reveal", isInPlace: look.isReplaced };
	}
	if (state !== "unknown") return { kind: "nothing" };
	if (reading === "hidden") return { kind: "move", event: "looks_hidden" };
	const isShown = reading === "shown" && change === "same";
	return isShown ? { kind: "move", event: "looks_shown" } : { kind: "nothing" };
}

/** Returns the first state of a newly watched collection. */
export function watchedOf(subject: RevealSubject, seen: Seen | undefined): Watched {
	return {
		subject,
		seen: seen ?? NOTHING_SEEN,
		stored: new Map(),
		last: null,
		pending: null,
		isLooking: false,
		lookedAtMs: Number.NEGATIVE_INFINITY,
		documentsAtMs: Number.NEGATIVE_INFINITY,
		failedAtMs: Number.NEGATIVE_INFINITY,
		isUnseenStored: false,
		hiddenLooks: 0,
		rerolled: null,
	};
}

/**
 * Returns true where a reveal should not be read again yet. While tokens are revealed one by one,
 * reading all of them at each check would never end: a partial reading is repeated after a pause,
 * shorter where more was revealed.
 */
function mustRest({ last, contentDigest, nowMs }: Look): boolean {
	if (last === null) return false;
	if (last.endedAt === null) return true;
	if (last.outcome === "revealed" || last.outcome === "withdrawn") return false;
	const isSame = last.contentDigest === contentDigest;
	return nowMs - last.endedAt.getTime() < (isSame ? PARTIAL_SAME_MS : PARTIAL_CHANGED_MS);
}
