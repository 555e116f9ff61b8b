import { expect } from "bun:test";
import type { Case } from "#test/conformance/provider/cases/Case.ts";
import { detailOf, everyPage, pathOf } from "#test/conformance/provider/cases/reading.ts";
import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";
import { hostileTexts } from "#test/conformance/provider/world/hostileTexts.ts";

const point = "payloads are clean";
const SLUG = "false-faces";
const FIRST = 50;

/** Everything that the API says of the collection and its tokens, as text. */
async function everythingSaid(lab: ConformanceLab, tokenId: string): Promise<string> {
	const { address, chain } = lab.of(SLUG).places[0] ?? {};
	const said = [
		await detailOf(lab, SLUG),
		await everyPage(lab, pathOf(lab, SLUG, { rest: "/activity" })),
		await everyPage(lab, pathOf(lab, SLUG, { rest: "/sales" }), "points"),
		await lab.read(`/assets/${chain}/${address}/${tokenId}`).catch(() => null),
		await lab.read("/discover?chain=base&limit=50"),
		await lab.read("/collections?chain=base&limit=200"),
	];
	// As a reader gets it: what JSON writes as an escape is the character itself.
	return said.map((one) => texts(one).join(" ")).join(" ");
}

function texts(value: unknown): string[] {
	if (typeof value === "string") return [value];
	if (Array.isArray(value)) return value.flatMap(texts);
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([key, one]) => [key, ...texts(one)]);
}

/** What a stranger's token says of itself reaches nobody where it could do harm. */
export const hostileCases: readonly Case[] = [
	...hostileTexts.map(
		({ name, never }, at): Case => ({
			number: FIRST + at,
			point,
			name: `${name} is in no answer`,
			async run(lab) {
				const token = lab.of(SLUG).tokens[at];
				const said = await everythingSaid(lab, token?.id ?? "");
				expect(said).toContain(SLUG);
				expect(never.exec(said)?.[0].slice(0, 80) ?? null).toBeNull();
			},
		}),
	),
	{
		number: FIRST + hostileTexts.length,
		point,
		name: "names and descriptions keep nothing that turns or hides text",
		async run(lab) {
			const said = await everythingSaid(lab, "1");
			expect(/[\u202a-\u202e\u2066-\u2069\p{Cc}]/u.exec(said)?.index ?? null).toBeNull();
		},
	},
	{
		number: FIRST + hostileTexts.length + 1,
		point,
		name: "what is harmless of a token beside it stays",
		async run(lab) {
			const rows = await everyPage(lab, pathOf(lab, SLUG, { rest: "/activity" }));
			expect(rows).toHaveLength(hostileTexts.length);
			const at = hostileTexts.findIndex(({ name }) => name.includes("an object"));
			const row = rows.find(({ tokenId }) => tokenId === lab.of(SLUG).tokens[at]?.id);
			expect(row.imageUrl).toBe(lab.of(SLUG).tokens[at]?.imageUrl);
			expect(row.traits).toContainEqual({ trait_type: "Shape", value: "Round" });
			expect(row.traits.some(({ value }: any) => typeof value === "object")).toBe(false);
		},
	},
];
