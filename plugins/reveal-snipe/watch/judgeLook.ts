import { createHash } from "node:crypto";
import type { RevealReading, RevealState, ShownToken } from "#plugins/market-index/contract.ts";
import {
	HIDDEN_AGAIN_LOOKS,
	PARTIAL_CHANGED_MS,
	PARTIAL_SAME_MS,
} from "#plugins/reveal-snipe/limits.ts";
import type { Detection } from "#plugins/reveal-snipe/sql/detections.ts";

/** What a look at a collection leads to. */
export type Verdict =
	| { kind: "nothing" }
	/** Its state moves, without anything to read again. */
	| { kind: "move"; event: "looks_hidden" | "looks_shown" }
	| { kind: "reveal" };

export type Look = {
	state: RevealState;
	/** At the look before; null at the first. */
	before: RevealReading | null;
	reading: RevealReading;
	contentDigest: string;
	isUriChanged: boolean;
	/** Looks in a row, this one included, at which it looked hidden. */
	hiddenLooks: number;
	last: Pick<Detection, "endedAt" | "outcome" | "contentDigest"> | null;
	nowMs: number;
};

/**
 * Decides what follows from a look. A reveal is: tokens differ that were alike before, here or by
 * the index's own word. What was never seen hidden has nothing to reveal.
 */
export function judgeLook(look: Look): Verdict {
	const { state, before, reading } = look;
	if (reading === "shown") {
		const wasHidden = before === "hidden" || state === "placeholder";
		if (wasHidden) return isResting(look) ? { kind: "nothing" } : { kind: "reveal" };
		return state === "unknown" ? { kind: "move", event: "looks_shown" } : { kind: "nothing" };
	}
	if (reading !== "hidden" || state === "placeholder") return { kind: "nothing" };
	// A server may hand out old documents for a while. A URI comes from the chain itself.
	const isBelieved =
		state === "unknown" || look.isUriChanged || look.hiddenLooks >= HIDDEN_AGAIN_LOOKS;
	return isBelieved ? { kind: "move", event: "looks_hidden" } : { kind: "nothing" };
}

/**
 * While tokens come out one by one, reading all of them again at each look would never end. So a
 * reading that found many hidden is repeated after a while, sooner where more has come out.
 */
function isResting({ last, contentDigest, nowMs }: Look): boolean {
	if (last === null) return false;
	if (last.endedAt === null) return true;
	if (last.outcome === "revealed") return false;
	const isSame = last.contentDigest === contentDigest;
	return nowMs - last.endedAt.getTime() < (isSame ? PARTIAL_SAME_MS : PARTIAL_CHANGED_MS);
}

/** A digest of what tokens show: the same documents have the same one, wherever they are. */
export function contentDigestOf(
	tokens: readonly Pick<ShownToken, "imageUrl" | "traits">[],
): string {
	const told = tokens.map(({ imageUrl, traits }) => {
		const pairs = (traits ?? []).map(({ type, value }) => JSON.stringify([type, value]));
		return [imageUrl, pairs.sort()];
	});
	return digestOf(JSON.stringify(told));
}

/** SHA-256 in hex. */
export function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
