import { expect, test } from "bun:test";
import {
	HIDDEN_AGAIN_LOOKS,
	PARTIAL_CHANGED_MS,
	PARTIAL_SAME_MS,
} from "#plugins/reveal-snipe/limits.ts";
import { judgeLook, type Look } from "#plugins/reveal-snipe/watch/judgeLook.ts";

const NOW_MS = 1_000_000_000;
const look = (given: Partial<Look>): Look => ({
	...{ state: "placeholder", reading: "shown", change: "out", isHiddenAgain: false },
	...{ contentDigest: "aa", isUriChanged: false, hiddenLooks: 0, last: null, nowMs: NOW_MS },
	isReplaced: false,
	...given,
});
const ended = (outcome: "partial" | "revealed", agoMs: number, contentDigest = "aa") => ({
	endedAt: new Date(NOW_MS - agoMs),
	outcome,
	contentDigest,
});

test("tokens revealed since the baseline are a reveal, in any state of the collection", () => {
	for (const state of ["placeholder", "revealed", "unknown"] as const) {
		expect(judgeLook(look({ state })).kind).toBe("reveal");
		expect(judgeLook(look({ state, reading: "unclear" })).kind).toBe("reveal");
	}
});

test("an uncertain change is no reveal, and changes no state", () => {
	for (const state of ["placeholder", "revealed", "unknown"] as const) {
		expect(judgeLook(look({ state, change: "rerolled" })).kind).toBe("nothing");
	}
});

test("a collection that was revealed before the first check is marked so, and nothing is read again", () => {
	const first = look({ state: "unknown", change: "same" });
	expect(judgeLook(first)).toEqual({ kind: "move", event: "looks_shown" });
	expect(judgeLook(look({ state: "revealed", change: "same" })).kind).toBe("nothing");
	expect(judgeLook(look({ state: "placeholder", change: "same" })).kind).toBe("nothing");
});

test("a collection that looks hidden becomes a placeholder at once if its state was unknown", () => {
	const hidden = look({ state: "unknown", change: "same", reading: "hidden" });
	expect(judgeLook(hidden)).toEqual({ kind: "move", event: "looks_hidden" });
	expect(judgeLook(look({ change: "same", reading: "hidden" })).kind).toBe("nothing");
	expect(judgeLook(look({ change: "same", reading: "unclear" })).kind).toBe("nothing");
});

test("hidden documents of a revealed collection need three checks; a changed URI counts at once", () => {
	const old = {
		state: "revealed",
		change: "same",
		reading: "hidden",
		isHiddenAgain: true,
	} as const;
	expect(judgeLook(look({ ...old, hiddenLooks: 1 })).kind).toBe("nothing");
	const again = look({ ...old, hiddenLooks: HIDDEN_AGAIN_LOOKS });
	expect(judgeLook(again)).toEqual({ kind: "move", event: "looks_hidden" });
	const swapped = look({ ...old, hiddenLooks: 1, isUriChanged: true });
	expect(judgeLook(swapped)).toEqual({ kind: "move", event: "looks_hidden" });
});

test("the burst after a partial one waits, and waits less if more tokens were revealed", () => {
	const after = (agoMs: number, digest = "aa") =>
		judgeLook(look({ last: ended("partial", agoMs, digest) })).kind;
	expect(after(PARTIAL_SAME_MS - 1)).toBe("nothing");
	expect(after(PARTIAL_SAME_MS)).toBe("reveal");
	expect(after(PARTIAL_CHANGED_MS - 1, "bb")).toBe("nothing");
	expect(after(PARTIAL_CHANGED_MS, "bb")).toBe("reveal");
});

test("no second burst begins while one runs; after a full reveal a new one begins at once", () => {
	const last = { endedAt: null, outcome: null, contentDigest: "aa" };
	expect(judgeLook(look({ last })).kind).toBe("nothing");
	expect(judgeLook(look({ last: ended("revealed", 1) })).kind).toBe("reveal");
});

test("documents that replace a reveal while it is read are read instead", () => {
	const last = { endedAt: null, outcome: null, contentDigest: "aa" };
	const replaced = look({ last, isReplaced: true });
	expect(judgeLook(replaced)).toEqual({ kind: "reveal", isInPlace: true });
	expect(judgeLook(look({ ...replaced, isHiddenAgain: true })).kind).toBe("nothing");
});
