import { expect, test } from "bun:test";
import {
	HIDDEN_AGAIN_LOOKS,
	PARTIAL_CHANGED_MS,
	PARTIAL_SAME_MS,
} from "#plugins/reveal-snipe/limits.ts";
import { contentDigestOf, judgeLook, type Look } from "#plugins/reveal-snipe/watch/judgeLook.ts";

const NOW_MS = 1_000_000_000;
const look = (given: Partial<Look>): Look => ({
	state: "placeholder",
	before: "hidden",
	reading: "shown",
	contentDigest: "aa",
	isUriChanged: false,
	hiddenLooks: 0,
	last: null,
	nowMs: NOW_MS,
	...given,
});
const ended = (outcome: "partial" | "revealed", agoMs: number, contentDigest = "aa") => ({
	endedAt: new Date(NOW_MS - agoMs),
	outcome,
	contentDigest,
});

test("tokens that differ now and were alike before are a reveal, by our look or the index's state", () => {
	expect(judgeLook(look({})).kind).toBe("reveal");
	expect(judgeLook(look({ before: null })).kind).toBe("reveal");
	expect(judgeLook(look({ state: "revealed" })).kind).toBe("reveal");
	expect(judgeLook(look({ state: "unknown" })).kind).toBe("reveal");
});

test("a collection that was never seen hidden is called revealed, and nothing is read again", () => {
	const first = look({ state: "unknown", before: null });
	expect(judgeLook(first)).toEqual({ kind: "move", event: "looks_shown" });
	expect(judgeLook(look({ state: "revealed", before: "shown" })).kind).toBe("nothing");
});

test("a collection that looks hidden becomes a placeholder at once if its state was unknown", () => {
	const hidden = look({ state: "unknown", before: null, reading: "hidden", hiddenLooks: 1 });
	expect(judgeLook(hidden)).toEqual({ kind: "move", event: "looks_hidden" });
	expect(judgeLook(look({ reading: "hidden" })).kind).toBe("nothing");
	expect(judgeLook(look({ reading: "unclear" })).kind).toBe("nothing");
});

test("hidden documents of a revealed collection need three looks; a changed URI counts at once", () => {
	const old = { state: "revealed", before: "shown", reading: "hidden" } as const;
	expect(judgeLook(look({ ...old, hiddenLooks: 1 })).kind).toBe("nothing");
	const again = look({ ...old, hiddenLooks: HIDDEN_AGAIN_LOOKS });
	expect(judgeLook(again)).toEqual({ kind: "move", event: "looks_hidden" });
	const swapped = look({ ...old, hiddenLooks: 1, isUriChanged: true });
	expect(judgeLook(swapped)).toEqual({ kind: "move", event: "looks_hidden" });
});

test("after a partial burst the next one waits, and waits less if more tokens were revealed", () => {
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

test("equal documents have one digest, whatever the order of their traits", () => {
	const hat = { type: "Hat", value: "Red" };
	const eye = { type: "Eye", value: "Blue" };
	const image = "https://a.test/1.png";
	const digest = contentDigestOf([{ imageUrl: image, traits: [hat, eye] }]);
	expect(contentDigestOf([{ imageUrl: image, traits: [eye, hat] }])).toBe(digest);
	expect(contentDigestOf([{ imageUrl: image, traits: [eye] }])).not.toBe(digest);
	expect(contentDigestOf([{ imageUrl: null, traits: [eye, hat] }])).not.toBe(digest);
});
