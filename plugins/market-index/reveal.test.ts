import { describe, expect, test } from "bun:test";
import {
	isRevealed,
	nextRevealState,
	type RevealEvent,
	type RevealState,
	readingOf,
	type Shown,
} from "#plugins/market-index/reveal.ts";

describe("isRevealed", () => {
	const of = (...tokens: [string, string][][]) =>
		tokens.map((traits) => ({ traits: traits.map(([type, value]) => ({ type, value })) }));

	test("tokens that are all alike are not revealed, in any order", () => {
		expect(isRevealed([])).toBe(false);
		expect(isRevealed(of([["a", "1"]]))).toBe(false);
		expect(isRevealed(of([], []))).toBe(false);
		expect(
			isRevealed(
				of(
					[
						["a", "1"],
						["b", "2"],
					],
					[
						["b", "2"],
						["a", "1"],
					],
				),
			),
		).toBe(false);
	});

	test("a single token that differs reveals the collection", () => {
		expect(isRevealed(of([["a", "1"]], [["a", "1"]], [["a", "2"]]))).toBe(true);
		expect(isRevealed(of([["a", "1"]], []))).toBe(true);
		expect(isRevealed(of([["ab", "c"]], [["a", "bc"]]))).toBe(true);
	});
});

describe("readingOf", () => {
	const token = (given: Partial<Shown> = {}): Shown => ({
		uri: null,
		imageUrl: null,
		traits: null,
		...given,
	});
	const hat = (value: string) => [{ type: "Hat", value }];

	test("tokens that share a URI or an image and have no traits are hidden", () => {
		expect(readingOf([token({ uri: "ipfs://a" }), token({ uri: "ipfs://a" })])).toBe("hidden");
		const sealed = { imageUrl: "https://a.test/sealed.png" };
		expect(
			readingOf([token({ uri: "x/1", ...sealed }), token({ uri: "x/2", ...sealed, traits: [] })]),
		).toBe("hidden");
	});

	test("traits that all tokens share do not count", () => {
		const sealed = { imageUrl: "https://a.test/sealed.png", traits: hat("sealed") };
		expect(readingOf([token(sealed), token(sealed)])).toBe("hidden");
	});

	test("tokens with different traits are revealed, even while they share URI and image", () => {
		expect(readingOf([token({ traits: hat("red") }), token({ traits: hat("blue") })])).toBe(
			"shown",
		);
		const same = { uri: "ipfs://a", imageUrl: "https://a.test/a.png" };
		expect(readingOf([token({ ...same, traits: hat("red") }), token(same)])).toBe("shown");
	});

	test("a single revealed token among hidden ones counts as a reveal", () => {
		const sealed = token({ imageUrl: "https://a.test/sealed.png" });
		expect(readingOf([sealed, sealed, token({ traits: hat("red") })])).toBe("shown");
	});

	test("different images without traits, one token, and no token give no answer", () => {
		expect(readingOf([token({ imageUrl: "https://a.test/1" }), token({ imageUrl: "b" })])).toBe(
			"unclear",
		);
		expect(readingOf([token({ uri: "a", traits: hat("red") })])).toBe("unclear");
		expect(readingOf([])).toBe("unclear");
		expect(readingOf([token(), token()])).toBe("unclear");
	});
});

describe("revealState", () => {
	const STATES: RevealState[] = ["unknown", "placeholder", "revealed"];
	const EVENTS: RevealEvent[] = ["looks_hidden", "looks_shown", "covered"];

	/** Every pair, written by hand: null is a move that is refused. */
	const EXPECTED: Record<RevealState, Record<RevealEvent, RevealState | null>> = {
		unknown: { looks_hidden: "placeholder", looks_shown: "revealed", covered: "revealed" },
		placeholder: { looks_hidden: null, looks_shown: null, covered: "revealed" },
		revealed: { looks_hidden: "placeholder", looks_shown: null, covered: null },
	};

	for (const state of STATES) {
		for (const event of EVENTS) {
			const next = EXPECTED[state][event];
			test(`${state} and ${event} gives ${next ?? "no move"}`, () => {
				expect(nextRevealState(state, event)).toBe(next);
			});
		}
	}

	test("no event leads back to unknown, and each state can be left", () => {
		for (const state of STATES) {
			const nexts = EVENTS.map((event) => nextRevealState(state, event));
			expect(nexts).not.toContain("unknown");
			expect(nexts.some((next) => next !== null)).toBe(true);
		}
	});
});
