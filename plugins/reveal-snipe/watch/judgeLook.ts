// Decides what a look at a collection means.

import { createHash } from "node:crypto";
import type {
	RevealReading,
	RevealState,
	RevealSubject,
	ShownToken,
} from "#plugins/market-index/contract.ts";
import type { Trigger } from "#plugins/reveal-snipe/detection.ts";
import {
	HIDDEN_AGAIN_LOOKS,
	PARTIAL_CHANGED_MS,
	PARTIAL_SAME_MS,
} from "#plugins/reveal-snipe/limits.ts";
import type { Detection, Seen } from "#plugins/reveal-snipe/sql/detections.ts";

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

/** The consequence of a look at a collection. */
export type Verdict =
	| { kind: "nothing" }
	/** Its state changes, but no token must be read again. */
	| { kind: "move"; event: "looks_hidden" | "looks_shown" }
	| { kind: "reveal" };

export type Look = {
	state: RevealState;
	/** The reading of the look before; null at the first. */
	before: RevealReading | null;
	reading: RevealReading;
	contentDigest: string;
	isUriChanged: boolean;
	/** Looks in a row, including this one, that found it hidden. */
	hiddenLooks: number;
	last: Pick<Detection, "endedAt" | "outcome" | "contentDigest"> | null;
	nowMs: number;
};

const NOTHING_SEEN: Seen = {
	tokenIds: [],
	uriDigest: null,
	contentDigest: null,
	reading: null,
	hiddenTraits: null,
};

/**
 * Decides the consequence of a look. A reveal means: tokens differ that were alike before, by an
 * earlier look or by the index's state. A collection that was never seen hidden has no reveal.
 */
export function judgeLook(look: Look): Verdict {
	const { state, before, reading } = look;
	if (reading === "shown") {
		const wasHidden = before === "hidden" || state === "placeholder";
		if (wasHidden) return isResting(look) ? { kind: "nothing" } : { kind: "reveal" };
		return state === "unknown" ? { kind: "move", event: "looks_shown" } : { kind: "nothing" };
	}
	if (reading !== "hidden" || state === "placeholder") return { kind: "nothing" };
	// A server may return old documents for a while. A URI comes from the chain itself.
	const isBelieved =
		state === "unknown" || look.isUriChanged || look.hiddenLooks >= HIDDEN_AGAIN_LOOKS;
	return isBelieved ? { kind: "move", event: "looks_hidden" } : { kind: "nothing" };
}

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

/**
 * Returns a digest of what tokens show: equal documents have the same one, wherever they are
 * stored.
 */
export function contentDigestOf(
	tokens: readonly Pick<ShownToken, "imageUrl" | "traits">[],
): string {
	const told = tokens.map(({ imageUrl, traits }) => {
		const pairs = (traits ?? []).map(({ type, value }) => JSON.stringify([type, value]));
		return [imageUrl, pairs.sort()];
	});
	return digestOf(JSON.stringify(told));
}

/** Returns the SHA-256 in hex. */
export function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

/**
 * Returns true where a reveal should not be read again yet. While tokens are revealed one by one,
 * reading all of them at each look would never end: a partial reading is repeated after a pause,
 * shorter where more was revealed.
 */
function isResting({ last, contentDigest, nowMs }: Look): boolean {
	if (last === null) return false;
	if (last.endedAt === null) return true;
	if (last.outcome === "revealed") return false;
	const isSame = last.contentDigest === contentDigest;
	return nowMs - last.endedAt.getTime() < (isSame ? PARTIAL_SAME_MS : PARTIAL_CHANGED_MS);
}
