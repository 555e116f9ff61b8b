import { expect } from "bun:test";
import type { Case } from "#test/conformance/provider/cases/Case.ts";
import { pathOf } from "#test/conformance/provider/cases/reading.ts";
import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";

const point = "bad input";
const SLUG = "copper-lanterns";

async function codeOf(response: Response): Promise<[number, string]> {
	const { code }: any = await response.json();
	return [response.status, code];
}

async function cursorOf(lab: ConformanceLab, slug: string, rest: string): Promise<string> {
	const { page } = await lab.read(pathOf(lab, slug, { rest, query: "&limit=2" }));
	return encodeURIComponent(page.nextCursor);
}

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
