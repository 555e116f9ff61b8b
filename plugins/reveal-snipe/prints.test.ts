import { describe, expect, test } from "bun:test";
import {
	changeOf,
	contentDigestOf,
	haveMoved,
	isAlike,
	isHiddenAgain,
	type Print,
	printOf,
} from "#plugins/reveal-snipe/prints.ts";

type Told = Record<string, string | { value: string; displayType: string }>;
type Given = { picture?: string | null; traits?: Told; uri?: string };

const IDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** Returns the prints of eight tokens; null for one without a document. */
function tokens(give: (id: number) => Given | null): Print[] {
	return IDS.map((id) => {
		const given = give(id);
		const traits = Object.entries(given?.traits ?? {}).map(([type, told]) => {
			return { type, ...(typeof told === "string" ? { value: told } : told) };
		});
		const shown = given && { imageUrl: given.picture ?? null, traits };
		return printOf({ tokenId: BigInt(id), uri: given?.uri ?? null, shown });
	});
}

const none = tokens(() => null);
const sealed = tokens(() => ({ picture: "sealed" }));
const out = (id: number): Given => ({ picture: `p${id}`, traits: { Hat: `Hat ${id % 3}` } });

describe("changeOf", () => {
	const HIDDEN: [string, Print[]][] = [
		["no document", none],
		["one document for all", sealed],
		["a document that says nothing of its own", tokens(() => ({}))],
		["a picture for each token", tokens((id) => ({ picture: `drawn ${id}` }))],
		[
			"a trait that differs",
			tokens((id) => ({ traits: { Phase: ["A", "B", "C"][id % 3] ?? "" } })),
		],
		[
			"a number for each",
			tokens((id) => ({ picture: "s", traits: { "Mint number": String(id) } })),
		],
		[
			"a declared number for each",
			tokens((id) => ({ traits: { Mint: { value: String(id), displayType: "number" } } })),
		],
		["one preview among them", tokens((id) => (id === 5 ? out(5) : { picture: "sealed" }))],
	];
	for (const [name, hidden] of HIDDEN) {
		test(`revealed tokens are a reveal: hidden as ${name}`, () => {
			expect(changeOf(hidden, tokens(out))).toBe("out");
			expect(changeOf(hidden, hidden)).toBe("same");
		});
	}

	test("a change that most tokens do not show yet, or that all show alike, is no reveal", () => {
		expect(
			changeOf(
				sealed,
				tokens((id) => (id <= 4 ? out(id) : { picture: "sealed" })),
			),
		).toBe("same");
		expect(
			changeOf(
				sealed,
				tokens((id) => (id <= 5 ? out(id) : { picture: "sealed" })),
			),
		).toBe("out");
		expect(
			changeOf(
				sealed,
				tokens(() => ({ picture: "second", traits: { Status: "soon" } })),
			),
		).toBe("same");
		// Another placeholder, and one token that is shown early.
		expect(
			changeOf(
				sealed,
				tokens((id) => (id === 3 ? out(id) : { picture: "second", traits: { Status: "soon" } })),
			),
		).toBe("same");
		expect(changeOf(sealed, none)).toBe("same");
		const shown = tokens(out);
		expect(
			changeOf(
				shown,
				tokens((id) => ({ ...out(id), uri: `moved/${id}` })),
			),
		).toBe("same");
		expect(changeOf(shown, sealed)).toBe("same");
	});

	test("a member that changes by itself in each token is no reveal: a picture, an age, a block count", () => {
		const at = (block: number) =>
			tokens((id) => ({
				picture: `${id} at ${block}`,
				traits: { Phase: `${id % 4}`, "Blocks to go": `${900 - block}`, Age: `${block - id * 9}` },
			}));
		for (const block of [1, 2, 50, 800]) expect(changeOf(at(0), at(block))).toBe("same");
		const mood = (moods: string[]) =>
			tokens((id) => ({ traits: { Hat: `${id}`, Eyes: `e${id}`, Mood: moods[id % 2] ?? "" } }));
		expect(changeOf(mood(["glad", "sad"]), mood(["sad", "glad"]))).toBe("same");
	});

	test("one number that all hidden tokens get is no reveal; several that tell them apart are", () => {
		expect(
			changeOf(
				sealed,
				tokens((id) => ({ picture: "sealed", traits: { Mint: `${id}` } })),
			),
		).toBe("same");
		expect(
			changeOf(
				sealed,
				tokens((id) => ({ picture: "second", traits: { Status: "soon", Mint: `${id}` } })),
			),
		).toBe("same");
		const stats = (id: number) => ({ Power: `${id * 7}`, Speed: `${id * 5}` });
		expect(
			changeOf(
				sealed,
				tokens((id) => ({ picture: "sealed", traits: stats(id) })),
			),
		).toBe("out");
	});

	test("tokens that differed and are all replaced are rerolled", () => {
		const season = (number: number) => tokens((id) => ({ traits: { Hat: `${id} of ${number}` } }));
		expect(changeOf(season(1), season(2))).toBe("rerolled");
	});

	test("a single token, and tokens that were never seen before, show no change", () => {
		expect(changeOf(sealed.slice(0, 1), tokens(out))).toBe("same");
		expect(changeOf([], tokens(out))).toBe("same");
	});
});

test("tokens are hidden again if they are alike, or show what they showed before the reveal", () => {
	const phases = tokens((id) => ({ traits: { Phase: `P${id % 3}` } }));
	const shown = tokens(out);
	expect(isHiddenAgain({ baseline: phases, shown }, phases)).toBe(true);
	expect(isHiddenAgain({ baseline: phases, shown }, sealed)).toBe(true);
	expect(isHiddenAgain({ baseline: phases, shown }, shown)).toBe(false);
	const few = tokens((id) => (id <= 4 ? {} : out(id)));
	expect(isHiddenAgain({ baseline: phases, shown }, few)).toBe(false);
	// Tokens of which nine in ten look the same are no placeholder as long as they stay so.
	const packs = tokens((id) => ({ traits: { Kind: id === 3 ? "Rare" : "Common" } }));
	expect(isHiddenAgain({ baseline: sealed, shown: packs }, packs)).toBe(false);
});

test("tokens are alike also if a single one was revealed before the others", () => {
	expect([isAlike(sealed), isAlike(none), isAlike(tokens(out))]).toEqual([true, true, false]);
	expect(isAlike(tokens((id) => (id === 2 ? out(2) : { picture: "sealed" })))).toBe(true);
	expect(isAlike(tokens((id) => (id <= 2 ? out(id) : { picture: "sealed" })))).toBe(false);
	expect(isAlike(sealed.slice(0, 1))).toBe(false);
});

test("only if most URIs changed have the tokens moved", () => {
	const at = (place: string) => tokens((id) => ({ uri: `${place}/${id}` }));
	expect(haveMoved(at("a"), at("b"))).toBe(true);
	expect(haveMoved(at("a"), at("a"))).toBe(false);
	expect(haveMoved([], at("a"))).toBe(false);
	expect(
		haveMoved(
			at("a"),
			tokens((id) => ({ uri: id <= 4 ? "b" : `a/${id}` })),
		),
	).toBe(false);
});

test("equal documents have one digest, in any order of traits, at any URI", () => {
	const digest = contentDigestOf(
		tokens(() => ({ picture: "a", traits: { Hat: "Red", Eye: "Blue" } })),
	);
	const other = tokens(() => ({ picture: "a", traits: { Eye: "Blue", Hat: "Red" }, uri: "else" }));
	expect(contentDigestOf(other)).toBe(digest);
	expect(contentDigestOf(tokens(() => ({ picture: "a", traits: { Eye: "Blue" } })))).not.toBe(
		digest,
	);
	expect(contentDigestOf(tokens(() => ({ traits: { Eye: "Blue", Hat: "Red" } })))).not.toBe(digest);
});
