import { describe, expect, test } from "bun:test";
import { createCoverage } from "#plugins/reveal-snipe/coverage.ts";
import { printOf } from "#plugins/reveal-snipe/prints.ts";

type Given = { picture?: string | null; traits?: Record<string, string> } | null;

const shownOf = (given: Given) =>
	given && {
		imageUrl: given.picture ?? null,
		traits: Object.entries(given.traits ?? {}).map(([type, value]) => ({ type, value })),
	};
const IDS = Array.from({ length: 100 }, (_, id) => id);
const tokens = (give: (id: number) => Given, ids = IDS) =>
	ids.map((id) => ({ tokenId: BigInt(id), shown: shownOf(give(id)) }));
const baselineOf = (give: (id: number) => Given) =>
	IDS.slice(0, 8).map((id) =>
		printOf({ tokenId: BigInt(id), uri: null, shown: shownOf(give(id)) }),
	);

/** Returns the count of a collection that showed one thing, and shows another now. */
function counted(before: (id: number) => Given, now: (id: number) => Given) {
	const coverage = createCoverage({ baseline: baselineOf(before), hiddenTraits: null });
	coverage.add(tokens(now));
	return { covered: coverage.isCovered(100), out: coverage.out().length };
}

const out = (id: number): Given => ({ picture: `p${id}`, traits: { Hat: `Hat ${id % 3}` } });
const sealed = (): Given => ({ picture: "sealed", traits: { Status: "sealed" } });

describe("createCoverage", () => {
	const HIDDEN: [string, (id: number) => Given][] = [
		["no document", () => null],
		["one document for all", sealed],
		["a document that says nothing", () => ({})],
		["a picture for each", (id) => ({ picture: `drawn ${id}` })],
		["a trait that differs", (id) => ({ picture: "sealed", traits: { Phase: `P${id % 3}` } })],
		["a number for each", (id) => ({ picture: "sealed", traits: { "Mint number": `${id}` } })],
		["one preview among them", (id) => (id === 5 ? out(5) : sealed())],
	];
	for (const [name, before] of HIDDEN) {
		test(`tokens are counted as they are revealed one by one, and older documents do not count: ${name}`, () => {
			expect(counted(before, out)).toEqual({ covered: true, out: 100 });
			const { covered } = counted(before, before);
			expect(covered).toBe(false);
			const some = counted(before, (id) => (id < 60 ? out(id) : before(id)));
			expect(some).toEqual({ covered: false, out: 60 });
			expect(counted(before, (id) => (id < 95 ? out(id) : before(id))).covered).toBe(true);
		});
	}

	test("another placeholder with new traits does not count as revealed, with one preview or many", () => {
		const second: Given = { picture: "second", traits: { Status: "soon", Phase: "Two" } };
		expect(counted(sealed, () => second)).toEqual({ covered: false, out: 0 });
		expect(counted(sealed, (id) => (id === 7 ? out(7) : second))).toEqual({
			...{ covered: false, out: 1 },
		});
		const numbered = (id: number): Given => ({ traits: { Status: "soon", Mint: `${id}` } });
		expect(counted(sealed, numbered)).toEqual({ covered: false, out: 0 });
		expect(counted(sealed, (id) => (id < 40 ? out(id) : second)).covered).toBe(false);
	});

	test("tokens without traits count by their picture, or by a hidden trait that they lost", () => {
		const pictured = (id: number) => (id % 5 === 0 ? { picture: `p${id}` } : out(id));
		expect(counted(sealed, pictured).covered).toBe(true);
		const bare = (id: number) => (id % 5 === 0 ? {} : out(id));
		expect(counted(sealed, bare).covered).toBe(true);
		expect(counted(() => null, bare).covered).toBe(false);
	});

	test("the newest document of a token counts, and a token that was not read does not", () => {
		const coverage = createCoverage({ baseline: baselineOf(sealed), hiddenTraits: null });
		coverage.add(tokens(sealed));
		expect(coverage.hidden()).toHaveLength(100);
		coverage.add(tokens(out));
		expect(coverage.isCovered(100)).toBe(true);
		expect(coverage.isCovered(106)).toBe(false);
		coverage.add(tokens(sealed, [1, 2, 3, 4, 5, 6]));
		expect(coverage.isCovered(100)).toBe(false);
		expect(coverage.hidden()).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
	});

	test("traits that all tokens had when they were last hidden do not count as revealed", () => {
		const hiddenTraits = [{ type: "Status", value: "soon" }];
		const coverage = createCoverage({ baseline: baselineOf(sealed), hiddenTraits });
		const soon = { picture: "sealed", traits: { Status: "soon" } };
		coverage.add(tokens((id) => (id < 70 ? out(id) : soon)));
		expect([coverage.out().length, coverage.hidden().length]).toEqual([70, 30]);
	});

	test("tokens that differed before count as revealed if they show something else than before", () => {
		const again = (id: number): Given => ({ picture: "own", traits: { Hat: `New ${id % 50}` } });
		const coverage = createCoverage({ baseline: [], hiddenTraits: null });
		coverage.compareWith(tokens((id) => ({ picture: "own", traits: { Hat: `Old ${id % 50}` } })));
		// A slow server still hands out the old document of some.
		const stale = (id: number): Given => ({ picture: "own", traits: { Hat: `Old ${id % 50}` } });
		coverage.add(tokens((id) => (id < 40 ? stale(id) : again(id))));
		expect([coverage.isCovered(100), coverage.out().length]).toEqual([false, 60]);
		expect(coverage.hidden()).toHaveLength(40);
		coverage.add(tokens(again, IDS.slice(0, 40)));
		expect([coverage.isCovered(100), coverage.out().length]).toEqual([true, 100]);
	});

	test("with few values tokens that get their old value by chance count with the others", () => {
		const hat = (id: number): Given => ({ picture: "own", traits: { Hat: `Hat ${id % 3}` } });
		const coverage = createCoverage({ baseline: [], hiddenTraits: null });
		coverage.compareWith(tokens(hat));
		coverage.add(tokens((id) => hat(id + (Math.floor(id / 3) % 3))));
		expect([coverage.isCovered(100), coverage.out().length]).toEqual([true, 100]);
	});

	test("without a baseline any traits count as revealed, except the hidden ones", () => {
		const hiddenTraits = [{ type: "Hat", value: "none" }];
		const coverage = createCoverage({ baseline: [], hiddenTraits });
		coverage.add(
			tokens((id) => ({
				picture: `p${id}`,
				traits: { Hat: id < 50 ? `Hat ${id}` : "none" },
			})),
		);
		expect(coverage.out()).toHaveLength(50);
		expect(createCoverage({ baseline: [], hiddenTraits: null }).isCovered(0)).toBe(false);
	});
});
