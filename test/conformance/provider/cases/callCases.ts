// Lists cases of how many calls the provider receives.

import { expect } from "bun:test";
import { addNewcomer, type Case, detailOf, pathOf } from "#test/conformance/provider/cases/Case.ts";
import type { Call } from "#test/conformance/provider/emulator/Asked.ts";
import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";
import type { TestService } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";

const SLUG = "copper-lanterns";
const LISTS = /^GET \/api\/v2\/collections(\/trending|\/top)?$/;
const isList = ({ operation }: Call) => LISTS.test(operation ?? "");
const isSearch = ({ operation }: Call) => operation === "GET /api/v2/search";

/** The list, made now: what was cached is over. */
async function freshList(lab: ConformanceLab, query: string): Promise<Response> {
	lab.advance(91_000);
	return lab.raw(`/collections?chain=base&limit=50${query}`);
}

/** Has the worker read all three lists, and waits for what follows from that. */
async function warm(lab: ConformanceLab): Promise<void> {
	const startMs = lab.nowMs();
	await until(async () => {
		await lab.runJob("discovery");
		const read = await Promise.all(
			["trending", "top", "new"].map(async (mode) => {
				const { freshness } = await lab.read(`/collections?chain=base&mode=${mode}&limit=50`);
				lab.advance(91_000);
				return Date.parse(freshness.listRefreshedAt ?? 0) >= startMs;
			}),
		);
		return read.every(Boolean);
	}, "the worker has read all lists");
	await lab.settle();
}

const READER = "key-of-a-reader";
let reader: Promise<TestService> | null = null;

/** The lists as a process answers them that only answers: what its key asks, a request asked. */
async function listsOfReader(lab: ConformanceLab): Promise<string[]> {
	reader ??= lab.another({ ROLE: "api", PROVIDER_API_KEY: READER });
	const from = lab.provider.calls.length;
	for (const mode of ["trending", "top", "new"]) {
		lab.advance(91_000);
		const path = `/v1/nft-market/collections?chain=base&mode=${mode}&limit=50`;
		expect((await (await reader).get(path)).status).toBe(200);
	}
	return lab
		.callsSince(from)
		.filter(({ key }) => key === READER)
		.map(({ target }) => target);
}

/** Which calls the provider got, and how many. */
export const callCases: readonly Case[] = [
	{
		number: 110,
		point: "only documented calls",
		name: "every call is one of the document's, with parameters and values that it allows",
		async run(lab) {
			expect(lab.provider.calls.length).toBeGreaterThan(30);
			const wrong = lab.provider.calls.filter(({ problems }) => problems.length > 0);
			expect(wrong.map(({ target, problems }) => `${target}: ${problems.join(", ")}`)).toEqual([]);
		},
	},
	{
		number: 111,
		point: "only documented calls",
		name: "nothing is asked that changes, buys, mints or refreshes anything",
		async run(lab) {
			const readingPosts = ["/api/v2/collections/batch", "/api/v2/nfts/batch"];
			const others = lab.provider.calls.filter(
				({ method, target }) => method !== "GET" && !readingPosts.includes(target),
			);
			expect(others.map(({ method, target }) => `${method} ${target}`)).toEqual([]);
		},
	},
	{
		number: 112,
		point: "only documented calls",
		name: "each call carries the key, and never an empty one",
		async run(lab) {
			const keys = new Set(lab.provider.calls.map(({ key }) => key));
			expect([...keys]).toEqual(["conformance-key"]);
		},
	},
	{
		number: 113,
		point: "only documented calls",
		name: "no call names a chain as we spell it where the provider spells it otherwise",
		async run(lab) {
			const wrong = lab.provider.calls.filter(({ target }) => /apechain/.test(target));
			expect(wrong.map(({ target }) => target)).toEqual([]);
			expect(lab.provider.calls.some(({ target }) => target.includes("ape_chain"))).toBe(true);
		},
	},
	{
		number: 114,
		point: "the minute is shared",
		name: "a list whose worker's list is warm never asks the provider for a list",
		async run(lab) {
			await warm(lab);
			const asked = await listsOfReader(lab);
			expect(asked.filter((target) => /\/collections(\/trending|\/top)?\?/.test(target))).toEqual(
				[],
			);
		},
	},
	{
		number: 115,
		point: "chains and pauses",
		name: "a list whose worker's list is warm asks for no figures either",
		async run(lab) {
			await warm(lab);
			// Figures that the worker filled are over; those that a request would fill are due.
			lab.advance(200_000);
			expect(await listsOfReader(lab)).toEqual([]);
		},
	},
	{
		number: 116,
		point: "the minute is shared",
		name: "only the book of what somebody opened is read",
		async run(lab) {
			lab.advance(600_000);
			const from = lab.provider.calls.length;
			await detailOf(lab, SLUG);
			await until(async () => {
				await lab.runJob("order-books");
				return lab.callsSince(from).some(({ target }) => target.includes("/offers/"));
			}, "the book of what was opened is read");
			const books = lab
				.callsSince(from)
				.filter(({ operation }) => /\/(offers|listings)\/.*\/all$/.test(operation ?? ""));
			expect(new Set(books.map(({ path }) => path.slug))).toEqual(new Set([SLUG]));
			await lab.settle();
		},
	},
	{
		number: 117,
		point: "the minute is shared",
		name: "the same search within 30 seconds asks the provider once",
		async run(lab) {
			lab.advance(120_000);
			const from = lab.provider.calls.length;
			for (let n = 0; n < 5; n++) {
				expect((await lab.raw("/search?chain=base&q=zorapost")).status).toBe(200);
			}
			expect(lab.callsSince(from).filter(isSearch).length).toBeLessThanOrEqual(1);
		},
	},
	{
		number: 118,
		point: "the minute is shared",
		name: "distinct searches of one client leave the worker its calls",
		async run(lab) {
			lab.advance(120_000);
			const from = lab.provider.calls.length;
			const statuses = new Set<number>();
			for (let n = 0; n < 150; n++) {
				statuses.add((await lab.raw(`/search?chain=base&q=nobody${n}`)).status);
			}
			const searched = lab.callsSince(from).filter(isSearch);
			expect([...statuses]).toEqual([200]);
			const times = searched.map(({ atMs }) => atMs);
			const counts = times.map((at) => times.filter((one) => one >= at && one < at + 60_000));
			// 20 of the minute's 120 are the workers' in any case.
			expect(Math.max(...counts.map(({ length }) => length))).toBeLessThanOrEqual(100);
			await lab.runJob("discovery");
			const lists = lab.callsSince(from).filter(isList);
			expect(lists.length).toBeGreaterThan(0);
			expect(lists.every(({ status }) => status === 200)).toBe(true);
			await lab.settle();
		},
	},
	{
		number: 119,
		point: "the minute is shared",
		name: "a search that our own rows answer stands while the provider is away",
		async run(lab) {
			lab.advance(120_000);
			const stop = lab.provider.trouble({ kind: "refuses", status: 500, body: "" });
			const response = await lab.raw("/search?chain=base&q=copper");
			stop();
			const { data }: any = await response.json();
			expect(data.map(({ slug }: any) => slug)).toEqual([SLUG]);
			lab.advance(600_000);
		},
	},
	{
		number: 120,
		point: "one stat, pages, ids, pushes",
		name: "with all chains both lists of a page have the same rows",
		async run(lab) {
			await warm(lab);
			for (const mode of ["trending", "top", "new"]) {
				const response = await freshList(lab, `&mode=${mode}&scope=all`);
				const { normalized, data }: any = await response.json();
				const raw = data.collections.map((one: any) => one.collection);
				const rows = normalized.map((one: any) => one.slug);
				expect({ mode, rows: [...new Set(rows)] }).toEqual({ mode, rows: [...new Set(raw)] });
			}
		},
	},
	{
		number: 121,
		point: "figures state their source",
		name: "a list that was read has its time, and it is not the time of the answer",
		async run(lab) {
			await lab.runJob("discovery");
			await lab.settle();
			const readMs = Math.max(...lab.provider.calls.filter(isList).map(({ atMs }) => atMs));
			lab.advance(100_000);
			const { freshness } = await lab.read("/collections?chain=base&mode=top&limit=50");
			expect(freshness.listRefreshedAt).not.toBe(freshness.servedAt);
			const refreshedMs = Date.parse(freshness.listRefreshedAt);
			expect(Math.abs(refreshedMs - readMs)).toBeLessThan(60_000);
		},
	},
	{
		number: 122,
		point: "figures state their source",
		name: "a chain whose node is silent claims no block, no lag and no time",
		async run(lab) {
			const { freshness } = await lab.read("/collections?chain=ethereum&limit=50");
			const { headBlock, indexedBlock, indexedAt, lagBlocks } = freshness;
			expect([headBlock, indexedBlock, indexedAt, lagBlocks]).toEqual([null, null, null, null]);
		},
	},
	{
		number: 123,
		point: "figures state their source",
		name: "each figure of a page has a source and a time, or says why it is unknown",
		async run(lab) {
			const { figures, market } = await detailOf(lab, SLUG);
			expect(market.floor).toBeGreaterThan(0);
			const sources = ["chain", "provider", "walk"];
			expect(Object.keys(figures)).toEqual(expect.arrayContaining(["floorNative", "sales24h"]));
			for (const [name, { value, source, asOf, reason }] of Object.entries<any>(figures)) {
				const isStated =
					value === null ? reason !== null : sources.includes(source) && asOf !== null;
				expect({ name, isStated }).toEqual({ name, isStated: true });
				if (name in market) expect({ name, value }).toEqual({ name, value: market[name] });
			}
		},
	},
	{
		number: 124,
		point: "figures state their source",
		name: "tiles of floor and owners that the provider told have the time of its answer",
		async run(lab) {
			const { tiles } = await lab.read(pathOf(lab, SLUG, { rest: "/sales" }));
			const answers = lab.provider.calls.filter(({ target }) => target.endsWith(`${SLUG}/stats`));
			const times = answers.map(({ atMs }) => atMs);
			for (const key of ["floor", "owners"]) {
				const { asOf } = tiles.find((tile: any) => tile.key === key);
				expect({ key, isNull: asOf === null }).toEqual({ key, isNull: false });
				const distances = times.map((atMs) => Math.abs(Date.parse(asOf) - atMs));
				expect(Math.min(...distances)).toBeLessThan(60_000);
			}
		},
	},
	{
		number: 125,
		point: "one registration path",
		name: "what a cold list of new ones registers gets metadata, tokens and a sync like any other",
		async run(lab) {
			lab.advance(1_000_000);
			const slug = "born-today";
			const { address } = addNewcomer(lab, slug, { name: "Born Today" });
			await lab.read("/collections?chain=base&mode=new&limit=50");
			let market: any;
			// A minute's calls may not last for it: then it is synced in a later one.
			await until(async () => {
				lab.advance(60_000);
				await lab.runJob("full-sync");
				await lab.settle();
				({ market } = await lab.read(`/collections/${address}?chain=base`));
				return market.syncStatus === "synced";
			}, "it is synced");
			expect([market.name, market.slug]).toEqual(["Born Today", slug]);
			await until(async () => {
				await lab.hurry();
				const { traits }: any = await (await lab.raw(`/assets/base/${address}/1`)).json();
				return Array.isArray(traits);
			}, "its tokens are known, with their traits");
		},
	},
];
