// Lists cases of mistakes by clients, and of two processes on one database.

import { expect } from "bun:test";
import { type Case, detailOf, pathOf } from "#test/conformance/provider/cases/Case.ts";
import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";
import type { TestService } from "#test/harness/startTestService.ts";

const point = "bad input";
const SLUG = "copper-lanterns";

/** What a client may send by mistake, of a service whose figures are the provider's. */
export const clientCases: readonly Case[] = [
	{
		number: 130,
		point,
		name: "a parameter that nobody knows is refused, and the one that was meant is named",
		async run(lab) {
			const response = await lab.raw(pathOf(lab, SLUG, { rest: "/activity", query: "&limits=2" }));
			const body: any = await response.json();
			expect([response.status, body.code]).toEqual([422, "validation_error"]);
			expect(JSON.stringify(body.issues)).toContain("limit");
		},
	},
	{
		number: 131,
		point,
		name: "a parameter that is given twice is refused",
		async run(lab) {
			const twice = pathOf(lab, SLUG, { rest: "/activity", query: "&limit=2&limit=3" });
			expect(await codeOf(await lab.raw(twice))).toEqual([422, "validation_error"]);
		},
	},
	{
		number: 132,
		point,
		name: "a cursor of another collection is refused",
		async run(lab) {
			const cursor = await cursorOf(lab, "far-shore", "/activity");
			const path = pathOf(lab, SLUG, { rest: "/activity", query: `&cursor=${cursor}` });
			const [status] = await codeOf(await lab.raw(path));
			expect(status).toBe(422);
		},
	},
	{
		number: 133,
		point,
		name: "a cursor of another route is refused",
		async run(lab) {
			const cursor = await cursorOf(lab, SLUG, "/activity");
			const path = pathOf(lab, SLUG, { rest: "/sales", query: `&cursor=${cursor}` });
			const [status] = await codeOf(await lab.raw(path));
			expect(status).toBe(422);
		},
	},
	{
		number: 134,
		point,
		name: "an empty cursor is no cursor",
		async run(lab) {
			const path = pathOf(lab, SLUG, { rest: "/activity", query: "&limit=2" });
			const [first, empty] = [await lab.read(path), await lab.read(`${path}&cursor=`)];
			expect(empty.data).toEqual(first.data);
		},
	},
	{
		number: 135,
		point,
		name: "HEAD has the status and headers of GET and no body",
		async run(lab) {
			const response = await lab.raw(pathOf(lab, SLUG), { method: "HEAD" });
			expect([response.status, await response.text()]).toEqual([200, ""]);
			expect(response.headers.get("content-type")).toContain("application/json");
		},
	},
	{
		number: 136,
		point,
		name: "a range request gets the whole answer",
		async run(lab) {
			const response = await lab.raw(pathOf(lab, SLUG), { headers: { range: "bytes=0-9" } });
			expect(response.status).toBe(200);
			const body: any = await response.json();
			expect(body.market.slug).toBe(SLUG);
		},
	},
	{
		number: 137,
		point,
		name: "ten encodings at once get an answer that can be read",
		async run(lab) {
			const encodings = "br;q=0.1, gzip;q=0.2, zstd, deflate, compress, x, y, z, identity, *;q=0";
			const response = await lab.raw(pathOf(lab, SLUG, { rest: "/activity" }), {
				headers: { "accept-encoding": encodings },
			});
			expect(response.status).toBe(200);
			const body: any = await response.json();
			expect(body.data.length).toBeGreaterThan(0);
		},
	},
	{
		number: 138,
		point,
		name: "a slug that could be a path is looked up, and leads nowhere else",
		async run(lab) {
			for (const slug of ["..%2f..%2fmetrics", "%2e%2e", "a%00b", "copper-lanterns%2fstats"]) {
				const response = await lab.raw(`/collections/${slug}?chain=base`);
				expect([400, 404, 422]).toContain(response.status);
				expect(response.headers.get("content-type")).toContain("problem+json");
			}
		},
	},
];

const MINUTE_MS = 60_000;
const PER_MINUTE = 120;

/** Two processes on one database, without Redis. */
export const sharedCases = (other: () => TestService): readonly Case[] => [
	{
		number: 160,
		point: "the minute is shared",
		name: "two processes on one database make no more calls a minute than one key has",
		async run(lab: ConformanceLab) {
			lab.advance(2 * MINUTE_MS);
			const from = lab.provider.calls.length;
			const services = [lab.service, other()];
			for (let n = 0; n < 100; n++) {
				const one = services[n % services.length];
				await one?.get(`/v1/nft-market/search?chain=base&q=unheard${n}`);
				if (n % 20 !== 0) continue;
				for (const service of services) await lab.runJob("lean-sync", service);
				for (const service of services) await lab.runJob("discovery", service);
			}
			const mine = lab.callsSince(from);
			expect(mine.length).toBeGreaterThan(20);
			expect(mostInAMinute(mine.map(({ atMs }) => atMs))).toBeLessThanOrEqual(PER_MINUTE);
			expect(mine.filter(({ status }) => status === 429)).toEqual([]);
		},
	},
	{
		number: 161,
		point: "the minute is shared",
		name: "searches of one process leave the worker of the other its calls",
		async run(lab) {
			lab.advance(2 * MINUTE_MS);
			for (let n = 0; n < 130; n++) {
				await other().get(`/v1/nft-market/search?chain=base&q=unknown${n}`);
			}
			const from = lab.provider.calls.length;
			await lab.runJob("discovery");
			expect(lab.callsSince(from).length).toBeGreaterThan(0);
			expect(lab.callsSince(from).filter(({ status }) => status !== 200)).toEqual([]);
		},
	},
	{
		number: 162,
		point: "the minute is shared",
		name: "both processes answer with the same figures",
		async run(lab) {
			const { address } = lab.of("copper-lanterns").places[0] ?? {};
			const { market } = await detailOf(lab, "copper-lanterns");
			const path = `/v1/nft-market/collections/${address}?chain=base`;
			const { body } = await other().get<any>(path);
			for (const name of ["floor", "owners", "sales24h", "volume_24h", "listedCount"]) {
				expect({ [name]: body.market[name] }).toEqual({ [name]: market[name] });
			}
		},
	},
];

async function codeOf(response: Response): Promise<[number, string]> {
	const { code }: any = await response.json();
	return [response.status, code];
}

async function cursorOf(lab: ConformanceLab, slug: string, rest: string): Promise<string> {
	const { page } = await lab.read(pathOf(lab, slug, { rest, query: "&limit=2" }));
	return encodeURIComponent(page.nextCursor);
}

function mostInAMinute(times: readonly number[]): number {
	const counts = times.map((from) => times.filter((at) => at >= from && at < from + MINUTE_MS));
	return Math.max(0, ...counts.map(({ length }) => length));
}
