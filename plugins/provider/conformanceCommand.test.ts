import { expect, test } from "bun:test";
import {
	type CaseResult,
	conformanceCommand,
	runConformance,
} from "#plugins/provider/conformanceCommand.ts";
import type { ProviderCollection, ProviderOrder } from "#plugins/provider/contract.ts";
import { createFakeProvider } from "#test/harness/fakes.ts";

const asked = { purpose: "background" as const, signal: new AbortController().signal };

const collection = (slug: string): ProviderCollection => ({
	slug,
	name: slug,
	description: null,
	imageUrl: null,
	bannerImageUrl: null,
	projectUrl: null,
	isDisabled: false,
	safelistStatus: null,
	contracts: [],
	raw: {},
});
const order = (at: number, changes: Partial<ProviderOrder> = {}): ProviderOrder => ({
	side: "listing",
	kind: "listing",
	orderHash: `0x${String(at).padStart(64, "0")}`,
	chainId: 1,
	protocolAddress: null,
	maker: `0x${"a".repeat(40)}`,
	contract: null,
	tokenId: 1n,
	quantity: 1n,
	totalRaw: BigInt(at),
	currency: null,
	decimals: 18,
	symbol: "ETH",
	isActive: true,
	isPrivate: false,
	startsAtMs: null,
	expiresAtMs: null,
	criteria: [],
	protocolData: null,
	...changes,
});

/** A provider that keeps the promises of its lists, in two pages each. */
function sound() {
	const fake = createFakeProvider();
	const { answers } = fake;
	answers.top = async () => ({ items: [collection("cats")], cursor: null });
	answers.newest = async ({ cursor }) =>
		cursor
			? { items: [collection("dogs")], cursor: null }
			: { items: [collection("cats")], cursor: "2" };
	answers.listings = async (_, { cursor }) =>
		cursor ? { items: [order(2)], cursor: null } : { items: [order(1)], cursor: "2" };
	answers.bestListings = async () => ({ items: [order(1), order(2)], cursor: null });
	return fake;
}

async function results(fake: ReturnType<typeof sound>): Promise<Map<string, CaseResult>> {
	const all = new Map<string, CaseResult>();
	for await (const result of runConformance({ provider: fake.provider, slug: null, asked })) {
		expect(all.has(result.id)).toBe(false);
		all.set(result.id, result);
	}
	return all;
}

test("promises that are kept hold, and what could not be tried is skipped with its reason", async () => {
	const all = await results(sound());
	for (const id of ["PC-01", "PC-02", "PC-03", "PC-06", "PC-07", "PC-08", "PC-13"]) {
		expect(all.get(id)).toMatchObject({ id, kind: "held" });
	}
	expect(all.get("PC-09")).toMatchObject({ kind: "skipped", why: "the list is empty" });
	expect(all.get("PC-04")).toMatchObject({ kind: "broken" });
});

const flaws: [string, string, (fake: ReturnType<typeof sound>) => void][] = [
	[
		"a row that is on two pages",
		"PC-02",
		({ answers }) => {
			answers.newest = async () => ({ items: [collection("cats")], cursor: "2" });
		},
	],
	[
		"rows that cannot be read",
		"PC-01",
		({ answers }) => {
			answers.newest = async () => ({ items: [], cursor: null, unreadable: 2 });
		},
	],
	[
		"more rows than were asked for",
		"PC-06",
		({ answers }) => {
			const items = Array.from({ length: 9 }, (_, at) => order(at + 1));
			answers.listings = async () => ({ items, cursor: null });
		},
	],
	[
		"an offer among listings",
		"PC-06",
		({ answers }) => {
			answers.listings = async () => ({ items: [order(1, { side: "offer" })], cursor: null });
		},
	],
	[
		"a dearer listing first",
		"PC-08",
		({ answers }) => {
			answers.bestListings = async () => ({ items: [order(2), order(1)], cursor: null });
		},
	],
	["an unreadable answer", "PC-05", (fake) => fake.fail("stats", fake.faults.unreadable())],
];
for (const [what, id, change] of flaws) {
	test(`a provider with ${what} breaks ${id}, and the other cases are run`, async () => {
		const fake = sound();
		change(fake);
		const all = await results(fake);
		expect(all.get(id)).toMatchObject({ kind: "broken" });
		expect(all.size).toBe(13);
	});
}

test("a limit that was reached is no broken promise, and no kept one", async () => {
	const fake = sound();
	fake.failAll(fake.faults.rateLimited(1_000));
	const kinds = [...(await results(fake)).values()].map(({ kind }) => kind);
	expect(new Set(kinds)).toEqual(new Set(["skipped"]));
});

test("anything but known arguments is answered with the usage, before anything is opened", async () => {
	const notes: string[] = [];
	const run = (...args: string[]) =>
		conformanceCommand.run(args, {
			env: {},
			contributions: () => [],
			out() {},
			note: (line) => void notes.push(line),
			terminal: null,
			interrupted: () => asked.signal,
			openCore: () => Promise.reject(new Error("it needs no runtime")),
		});
	for (const args of [[], ["rpc"], ["provider", "--key", "x"], ["provider", "--base-url", "x"]]) {
		expect(await run(...args)).toBe(2);
	}
	expect(notes).toHaveLength(4);
	expect(notes[0]).toContain("bun run svc conformance provider");
});
