// Defines a conformance case, and reads the answers that cases compare.

import { expect, test } from "bun:test";
import type { ConformanceLab } from "#test/conformance/provider/openConformanceLab.ts";
import { addressOf, type Place } from "#test/conformance/provider/world/World.ts";

/** Which promise of the product a case is about. */
export type Point =
	| "every sync finishes"
	| "unknown is not zero"
	| "figures state their source"
	| "one registration path"
	| "payloads are clean"
	| "the minute is shared"
	| "one stat, pages, ids, pushes"
	| "chains and pauses"
	| "bad input"
	| "only documented calls";

/** One numbered case: a number is given once and never again. */
export type Case = {
	number: number;
	point: Point;
	name: string;
	run(lab: ConformanceLab): Promise<void>;
};

export type PathOptions = { at?: number; rest?: string; query?: string };

/** Longer than a page is kept. */
const PAGE_KEPT_MS = 91_000;

/** A sync that was put off, or that failed on a busy machine, has its turn within so many. */
const RESYNC_MINUTES_MAX = 15;
const MINUTE_MS = 60_000;

/** A collection that the provider created just now, with tokens and without any trade. */
export function addNewcomer(
	lab: ConformanceLab,
	slug: string,
	{ name, chain = "base" }: { name: string; chain?: Place["chain"] },
): Place {
	const like = lab.of("paper-moons");
	const place: Place = { chain, address: addressOf(slug), standard: "erc721" };
	lab.world.collections.set(slug, {
		...like,
		slug,
		name,
		createdMs: lab.nowMs(),
		places: [place],
		tokens: like.tokens.map((token) => ({ ...token, place })),
		events: [],
		orders: [],
		claims: {},
	});
	return place;
}

/** Expects a number to nine decimals, or that it is unknown. */
export function near(value: number | null | undefined, expected: number | null): void {
	if (expected === null) expect(value).toBeNull();
	else expect(value).toBeCloseTo(expected, 9);
}

/**
 * A collection's page, by the address of its first contract, or of the one that is named. Where a
 * renewal is just at work it is read once that has ended: a look at it may have begun one.
 */
export async function detailOf(lab: ConformanceLab, slug: string, at = 0): Promise<any> {
	const path = pathOf(lab, slug, { at });
	const page = await lab.read(path);
	if (page.market.syncStatus !== "syncing") return page;
	await lab.idle();
	return lab.read(path);
}

/** A row of the list, made now: no page of before is served. */
export async function rowOf(lab: ConformanceLab, slug: string): Promise<any> {
	lab.advance(PAGE_KEPT_MS);
	const [place] = lab.of(slug).places;
	if (!place) throw new Error(`${slug} has no contract`);
	const { normalized } = await lab.read(`/collections?chain=${ourChain(place.chain)}&limit=200`);
	return normalized.find((row: any) => row.contractAddress === place.address);
}

/** Every page of a list that goes by cursors. */
export async function everyPage(lab: ConformanceLab, path: string, key = "data"): Promise<any[]> {
	const all: any[] = [];
	for (let cursor = ""; ; ) {
		const body = await lab.read(`${path}&limit=37${cursor}`);
		all.push(...body[key]);
		if (!body.page.hasMore) return all;
		cursor = `&cursor=${encodeURIComponent(body.page.nextCursor)}`;
	}
}

/** Puts a collection in line at once and waits until that is done, also where it is put off. */
export async function resyncInTurn(lab: ConformanceLab, slug: string): Promise<void> {
	await resync(lab, slug);
	for (let minute = 0; minute < RESYNC_MINUTES_MAX && (await isPutOff(lab, slug)); minute++) {
		lab.advance(MINUTE_MS);
		await lab.runJob("full-sync");
		await lab.settle();
	}
}

/** Puts a collection in line at once, and waits until it has ended, failed or been put off. */
export async function resync(lab: ConformanceLab, slug: string): Promise<void> {
	lab.advance(6_000);
	const response = await lab.raw(pathOf(lab, slug, { rest: "/resync" }), { method: "POST" });
	if (response.status !== 202) throw new Error(`resync of ${slug}: ${response.status}`);
	await lab.settle();
}

export function pathOf(
	lab: ConformanceLab,
	slug: string,
	{ at = 0, rest = "", query = "" }: PathOptions = {},
): string {
	const place = lab.of(slug).places[at];
	if (!place) throw new Error(`${slug} has no contract ${at}`);
	return `/collections/${place.address}${rest}?chain=${ourChain(place.chain)}${query}`;
}

/** Our name of a chain that the provider spells in its own way. */
export function ourChain(chain: string): string {
	return chain === "ape_chain" ? "apechain" : chain;
}

/** Where a collection's first contract is, or the one that is named. */
export function placeOf(lab: ConformanceLab, slug: string, at = 0): Place {
	return lab.of(slug).places[at] as Place;
}

/**
 * Runs a table's cases one after the other, on the lab that is open by then. Each begins when
 * nothing runs that the one before began by looking: a sync under way is neither old nor new.
 */
export function runCases(cases: readonly Case[], lab: () => ConformanceLab): void {
	for (const { number, point, name, run } of cases) {
		const title = `P-${String(number).padStart(3, "0")} ${point}: ${name}`;
		const runAtRest = async () => {
			await lab().idle();
			await run(lab());
		};
		test(title, runAtRest);
	}
}

/** Says whether a sync of this collection was asked for that has not ended well yet. */
async function isPutOff(lab: ConformanceLab, slug: string): Promise<boolean> {
	const rows = await lab.database.db.query(
		`select 1 from market_index.sync join market_index.collection c on c.id = collection_id
		where c.slug = $1 and enqueued_at > coalesce(synced_at, '-infinity')`,
		[slug],
	);
	return rows.length > 0;
}
