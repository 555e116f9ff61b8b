import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { z } from "zod";
import { rankTokens } from "#plugins/market-index/rank/rankTokens.ts";
import type { RankedTrait } from "#plugins/market-index/rank/scoreToken.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const traitsOf = (traits: Record<string, string>): RankedTrait[] =>
	Object.entries(traits).map(([type, value]) => ({ type, value }));
const rank = (tokens: Record<string, string>[]) =>
	rankTokens(tokens.map((traits, id) => ({ id, traits: traitsOf(traits) })));

const VECTORS = join(import.meta.dir, "../../../../shared/data/openrarity-vectors.json");
const vectorsSchema = z.object({
	vectors: z.array(
		z.object({
			name: z.string(),
			tokens: z.array(z.object({ token_id: z.int(), traits: z.record(z.string(), z.string()) })),
			ranking: z.array(z.object({ token_id: z.int(), rank: z.int(), score: z.number() })),
		}),
	),
});

skipWithReason(existsSync(VECTORS) ? null : `${VECTORS} is not here`)(
	"[IDX-08] ranks and scores are those of the reference implementation's own tests",
	() => {
		const { vectors } = vectorsSchema.parse(JSON.parse(readFileSync(VECTORS, "utf8")));
		expect(vectors.length).toBeGreaterThan(3);
		for (const { tokens, ranking } of vectors) {
			const ranked = rankTokens(
				tokens.map(({ token_id, traits }) => ({ id: token_id, traits: traitsOf(traits) })),
			);
			expect(ranked.map(({ id, rank }) => [id, rank])).toEqual(
				ranking.map(({ token_id, rank }) => [token_id, rank]),
			);
			for (const [place, { score }] of ranked.entries()) {
				expect(score).toBeCloseTo(ranking[place]?.score ?? Number.NaN, 12);
			}
		}
	},
);

test("[IDX-08] the scores of a collection calculated by hand are equal to the formula's", () => {
	// Hat: red 1, blue 3. Trait count: 1 for all four. H = 1/4·2 + 3/4·log2(4/3).
	const entropy = 0.5 + 0.75 * Math.log2(4 / 3);
	const ranked = rank([{ hat: "blue" }, { hat: "red" }, { hat: "blue" }, { hat: "blue" }]);
	expect(ranked.map(({ id, rank }) => [id, rank])).toEqual([
		[1, 1],
		[0, 2],
		[2, 2],
		[3, 2],
	]);
	expect(ranked[0]?.score).toBeCloseTo(2 / entropy, 12);
	expect(ranked[1]?.score).toBeCloseTo(Math.log2(4 / 3) / entropy, 12);
});

test("[IDX-08] tied tokens share a rank, and the next rank counts all of them", () => {
	const ranked = rank([
		{ hat: "a", eye: "1" },
		{ hat: "b", eye: "1" },
		{ hat: "b", eye: "2" },
		{ hat: "b", eye: "2" },
		{ hat: "a", eye: "2" },
		{ hat: "b", eye: "2" },
	]);
	expect(ranked.map(({ id, rank }) => [id, rank])).toEqual([
		[0, 1],
		[1, 2],
		[4, 2],
		[2, 4],
		[3, 4],
		[5, 4],
	]);
});

test("[IDX-08] a token with more unique traits ranks before a higher score", () => {
	const ranked = rank([
		...Array.from({ length: 8 }, () => ({ a: "x", b: "x", c: "x" })),
		{ a: "x", b: "x", c: "once" },
		{ a: "pair", b: "pair", c: "x" },
		{ a: "pair", b: "pair", c: "x" },
	]);
	const [first, second] = ranked;
	expect(first).toMatchObject({ id: 8, rank: 1 });
	expect(second).toMatchObject({ rank: 2 });
	expect(second?.score ?? 0).toBeGreaterThan(first?.score ?? 0);
});

test("[IDX-08] a trait that a token lacks counts as a value of its own", () => {
	const ranked = rank([{ hat: "a", eye: "1" }, { hat: "a", eye: "1" }, { hat: "a" }]);
	expect(ranked[0]).toMatchObject({ id: 2, rank: 1 });
});

test("[IDX-08] case, surrounding blanks, repeated names and a claimed trait count have no effect", () => {
	const plain = rankTokens([
		{ id: 0, traits: [{ type: "hat", value: "red" }] },
		{ id: 1, traits: [{ type: "hat", value: "blue" }] },
		{ id: 2, traits: [{ type: "hat", value: "red" }] },
	]);
	const odd = rankTokens([
		{
			id: 0,
			traits: [
				{ type: "HAT ", value: "green" },
				{ type: " Hat", value: " Red" },
			],
		},
		{
			id: 1,
			traits: [
				{ type: "hat", value: "BLUE" },
				{ type: "Meta_Trait:trait_count", value: "99" },
			],
		},
		{
			id: 2,
			traits: [
				{ type: "hat", value: "red\t" },
				{ type: "level", value: "5", displayType: "number" },
			],
		},
	]);
	expect(odd).toEqual(plain);
});

test("[IDX-08] `none` and the empty text are values, and do not count as traits", () => {
	const ranked = rank([{ a: "none", b: "x" }, { a: "", b: "x" }, { b: "x" }]);
	// Each lacks, or has, `a` in its own way: the same content and the same count of traits.
	expect(ranked.map(({ score }) => score)).toEqual(Array(3).fill(ranked[0]?.score));
});

test("[IDX-08] identical tokens, one token and no token give zeros and no infinity", () => {
	expect(rank([])).toEqual([]);
	expect(rank([{ a: "x" }])).toEqual([{ id: 0, score: 0, rank: 1 }]);
	expect(rank([{}, {}])).toEqual([
		{ id: 0, score: 0, rank: 1 },
		{ id: 1, score: 0, rank: 1 },
	]);
});

const word = fc.constantFrom("a", "B", " b", "none", "", "__proto__", "constructor");
const collection = fc.array(fc.array(fc.record({ type: word, value: word }), { maxLength: 5 }), {
	minLength: 1,
	maxLength: 25,
});

test("[IDX-08] ranks and scores are the same for any order of tokens", () => {
	fc.assert(
		fc.property(
			collection.chain((tokens) =>
				fc.tuple(
					fc.constant(tokens.map((traits, id) => ({ id, traits }))),
					fc.shuffledSubarray([...tokens.keys()], { minLength: tokens.length }),
				),
			),
			([tokens, order]) => {
				const byId = new Map(rankTokens(tokens).map((token) => [token.id, token]));
				const mixed = rankTokens(order.flatMap((id) => tokens[id] ?? []));
				for (const { id, rank, score } of mixed) {
					expect(rank).toBe(byId.get(id)?.rank ?? -1);
					expect(score).toBeCloseTo(byId.get(id)?.score ?? Number.NaN, 9);
				}
			},
		),
	);
});

test("[IDX-08] ranks begin at one, never fall, and every token has one", () => {
	fc.assert(
		fc.property(collection, (tokens) => {
			const ranked = rankTokens(tokens.map((traits, id) => ({ id, traits })));
			expect(new Set(ranked.map(({ id }) => id)).size).toBe(tokens.length);
			let before = { rank: 1, score: Number.NaN };
			for (const [place, token] of ranked.entries()) {
				expect(token.rank === place + 1 || token.rank === before.rank).toBe(true);
				expect(token.score).toBeGreaterThanOrEqual(-1e-12);
				if (token.rank === before.rank && place > 0) {
					expect(token.score).toBeCloseTo(before.score, 9);
				}
				before = token;
			}
		}),
	);
});

test("[IDX-08] identical tokens have the same rank", () => {
	fc.assert(
		fc.property(collection, (tokens) => {
			const twice = [...tokens, ...tokens];
			const ranked = rankTokens(twice.map((traits, id) => ({ id, traits })));
			const rankOf = new Map(ranked.map(({ id, rank }) => [id, rank]));
			for (const id of tokens.keys()) {
				expect(rankOf.get(id + tokens.length)).toBe(rankOf.get(id) ?? -1);
			}
		}),
	);
});
