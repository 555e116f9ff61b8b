// Lists cases of hostile texts in tokens, and of broken answers by the provider.

import { expect } from "bun:test";
import {
	type Case,
	detailOf,
	everyPage,
	pathOf,
	resync,
} from "#test/conformance/provider/cases/Case.ts";
import type { Trouble } from "#test/conformance/provider/emulator/Asked.ts";
import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";
import { hostileTexts } from "#test/conformance/provider/world/oddCollections.ts";

type Named = { name: string; trouble: Trouble };

const point = "payloads are clean";
const SLUG = "false-faces";
const FIRST = 50;

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

const troublePoint = "bad input";
const TROUBLE_SLUG = "copper-lanterns";
const TROUBLE_FIRST = 60;
/** Longer than any wait after a failure or a refusal. */
const BACKOFF_MS = 1_801_000;
const HUGE_BYTES = 16_000_000;

const change = (change: (body: any) => unknown): Trouble => ({ kind: "changes", change });

/** Each is met by every call; none may change a figure for the worse. */
const troubles: readonly Named[] = [
	{ name: "500 as documented", trouble: refuses(500, '{"errors":["Internal server error"]}') },
	{
		name: "502 from a proxy, as a page",
		trouble: refuses(502, "<h1>Bad gateway</h1>", "text/html"),
	},
	{ name: "503 without a body", trouble: refuses(503, "") },
	{
		name: "401 for a key that was withdrawn",
		trouble: refuses(401, '{"errors":["Invalid API key"]}'),
	},
	{ name: "a redirect to the machine's own network", trouble: redirect() },
	{
		name: "a page with status 200",
		trouble: { kind: "text", text: "<html>hi</html>", type: "text/html" },
	},
	{ name: "an empty body", trouble: { kind: "text", text: "" } },
	{ name: "a list in the place of an object", trouble: { kind: "text", text: "[]" } },
	{ name: "the word null", trouble: { kind: "text", text: "null" } },
	{ name: "half of a body", trouble: { kind: "cut_off" } },
	{ name: "a body of 16 MB", trouble: { kind: "huge", bytes: HUGE_BYTES } },
	{
		name: "200,000 brackets",
		trouble: { kind: "text", text: `${"[".repeat(200_000)}${"]".repeat(200_000)}` },
	},
	{
		name: "numbers as texts and texts as numbers",
		trouble: change((body) =>
			everywhere(body, (leaf) =>
				typeof leaf === "number" ? `n${leaf}` : typeof leaf === "string" ? 7 : leaf,
			),
		),
	},
	{
		name: "null in the place of each value",
		trouble: change((body) => everywhere(body, () => null)),
	},
	{
		name: "numbers below zero and beyond all bounds",
		trouble: change((body) =>
			everywhere(body, (leaf) => (typeof leaf === "number" ? -1e308 : leaf)),
		),
	},
	{ name: "an object without members", trouble: { kind: "text", text: "{}" } },
];

/** Whatever the provider answers: figures stay right or become null, and all comes back. */
export const troubleCases: readonly Case[] = [
	...troubles.map(
		({ name, trouble }, at): Case => ({
			number: TROUBLE_FIRST + at,
			point: troublePoint,
			name: `${name}: no figure changes for the worse, and all is whole afterwards`,
			async run(lab) {
				await recover(lab);
				const known = await figuresOf(lab);
				lab.lines.length = 0;
				lab.provider.trouble(trouble);
				await askEverything(lab);
				const during: Record<string, unknown> = await figuresOf(lab);
				for (const [figure, value] of Object.entries(known)) {
					const shown = during[figure];
					if (shown !== null) expect({ figure, shown }).toEqual({ figure, shown: value });
				}
				const about = lab.lines.filter(({ message }) => message.includes("provider"));
				const kinds = new Set(about.map(({ message }) => message));
				expect(about.length).toBe(kinds.size);
				expect(lab.lines.filter(({ level }) => level === "error")).toEqual([]);
				await recover(lab);
				const after = await figuresOf(lab);
				expect(after).toEqual(known);
				expect((await detailOf(lab, TROUBLE_SLUG)).market.health.providerConnected).toBe(true);
			},
		}),
	),
];

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

/** Every value of a type, replaced wherever it stands. */
function everywhere(value: unknown, replace: (leaf: unknown) => unknown): unknown {
	if (Array.isArray(value)) return value.map((one) => everywhere(one, replace));
	if (typeof value !== "object" || value === null) return replace(value);
	const members = Object.entries(value);
	return Object.fromEntries(members.map(([key, one]) => [key, everywhere(one, replace)]));
}

function refuses(status: number, body: string, type = "application/json"): Trouble {
	return { kind: "refuses", status, body, type };
}

function redirect(): Trouble {
	const headers = { location: "http://169.254.169.254/latest/meta-data/" };
	return { kind: "refuses", status: 302, body: "", headers };
}

/** Those figures of the collection that a trouble could spoil. */
async function figuresOf(lab: ConformanceLab) {
	const { market, lastSale } = await detailOf(lab, TROUBLE_SLUG);
	const { floor, owners, listedCount, totalSupply, name, imageUrl } = market;
	return { floor, owners, listedCount, totalSupply, name, imageUrl, lastSale };
}

/** One round of everything that asks the provider. */
async function askEverything(lab: ConformanceLab): Promise<void> {
	await resync(lab, TROUBLE_SLUG);
	lab.advance(30_000);
	for (const job of ["lean-sync", "discovery", "drops", "order-books"]) await lab.runJob(job);
	await lab.settle();
}

/** Puts an end to the trouble and waits as long as anybody stands aside. */
async function recover(lab: ConformanceLab): Promise<void> {
	lab.provider.calm();
	lab.advance(BACKOFF_MS);
	await lab.runJob("full-sync");
	await resync(lab, TROUBLE_SLUG);
}
