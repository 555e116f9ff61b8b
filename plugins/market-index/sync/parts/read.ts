// Reads the parts of a full sync that are missing: detail, stats, cheapest listings.

import { Fault } from "#core/fault.ts";
import { salesOfDay } from "#plugins/market-index/figures/figures.ts";
import type { SyncContext } from "#plugins/market-index/pace.ts";
import { ROUTABLE_SLUG, renameCollection } from "#plugins/market-index/sql/collectionNames.ts";
import { LISTINGS_READING_MAX_MS } from "#plugins/market-index/sync/bounds.ts";
import {
	askAgain,
	askDetail,
	askListings,
	listingFigures,
	storeFloor,
	storePart,
} from "#plugins/market-index/sync/parts/ask.ts";
import type { ListingPages, SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import { storeDetail, storeStats } from "#plugins/market-index/sync/sql/parts.ts";
import { nameSync, type SyncRow } from "#plugins/market-index/sync/sql/syncs.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";
import type { ProviderStats } from "#plugins/provider/contract.ts";

/** A full sync under way. `row.startedAt` shows whether this worker still has it. */
export type PartReading = {
	context: SyncContext;
	row: SyncRow & { startedAt: Date };
	signal: AbortSignal;
	/** The parts that arrived so far; all of them are stored. */
	parts: SyncParts;
};

type PartsRead =
	| { kind: "stranger" | "taken" }
	/** `failures`: why parts did not arrive; those that did are stored. */
	| { kind: "known"; failures: unknown[] };

/** The stats of one contract of a slug with several: unknown. */
const NOTHING = { owners: null, salesDay: null };

const FIGURES = [
	["stats", readStats],
	["listings", readListings],
] as const;

/**
 * Reads the missing parts of a full sync, and stores each as it arrives. A failing part does not
 * stop the others; a limit, or a stop of the worker, ends the sync.
 */
export async function readParts(reading: PartReading): Promise<PartsRead> {
	const failures: unknown[] = [];
	if (!reading.parts.detail) {
		const detail = await readDetail(reading);
		if (detail === null) return { kind: "stranger" };
		if (detail === "taken") return { kind: "taken" };
		reading.parts = detail;
	}
	for (const [name, read] of FIGURES) {
		if (reading.parts[name]) continue;
		try {
			const parts = await read(reading);
			if (parts === "taken") return { kind: "taken" };
			reading.parts = parts;
		} catch (error) {
			const isLimit = error instanceof Fault && error.code === "rate_limited";
			if (reading.signal.aborted || isLimit) throw error;
			failures.push(error);
		}
	}
	return { kind: "known", failures };
}

/**
 * Reads a collection's detail, and stores it with its slug: from then on its events can be read as
 * well. Null where the provider does not know it.
 */
async function readDetail({
	context,
	row,
	signal,
	parts: before,
}: PartReading): Promise<SyncParts | "taken" | null> {
	const { core } = context;
	const { id: collectionId, startedAt } = row;
	const atMs = core.clock.nowMs();
	const found = await askDetail(context, row, { signal, slugOf });
	if (!found) return null;
	const { slug, detail, isShared } = found;
	const supply = isShared ? null : detail.totalSupply;
	const parts: SyncParts = { detail: { atMs, slug, isShared, supply: supply?.toString() ?? null } };
	const isMine = await storePart(context, { collectionId, startedAt }, parts, async (tx, now) => {
		const at = new Date(core.clock.nowMs());
		await storeDetail(tx, { collectionId, detail, supply, at });
		// Tokens that could not be read here, or of a supply that only the provider knows, can be read
		// now. A list may have told the slug before the first sync.
		const isNews = now.providerSlug !== slug || now.isFirst;
		if (isNews) await core.queue.add(tx, [learnTokensJob(collectionId)]);
		const isNamed = await nameSync(tx, { collectionId, providerSlug: slug, at });
		// Once: a slug that changed with each sync would take every name.
		if (!isNamed || now.providerSlug === slug || now.slug === slug || !ROUTABLE_SLUG.test(slug))
			return;
		await renameCollection(tx, { chainId: row.chainId, collectionId, wish: slug });
	});
	return isMine ? parts : "taken";

	/** Returns the slug, and stores it as soon as it is known: later calls may fail. */
	async function slugOf(): Promise<string | null> {
		if (before.name) return before.name.slug;
		const { chainId, address } = row;
		const call = { purpose: "background", signal } as const;
		const slug = await askAgain(context, signal, () =>
			context.provider.slugOf({ chainId, address }, call),
		);
		if (slug === null) return null;
		const named = { name: { atMs, slug } };
		await storePart(context, { collectionId, startedAt }, named, async () => {});
		return slug;
	}
}

/**
 * Reads the stats of a collection, and stores their owners and floor. Unreadable stats say nothing:
 * what is known stays, and the sync continues.
 */
export async function readStats({
	context,
	row,
	signal,
	parts: before,
}: PartReading): Promise<SyncParts | "taken"> {
	const { core } = context;
	const { id: collectionId, startedAt } = row;
	const atMs = core.clock.nowMs();
	const slug = before.detail?.slug ?? "";
	let isRead = true;
	let stats: ProviderStats | null = null;
	try {
		const call = { purpose: "background", signal } as const;
		stats = await askAgain(context, signal, () => context.provider.stats(slug, call));
	} catch (error) {
		if (!(error instanceof Fault) || error.code !== "provider_unreadable") throw error;
		isRead = false;
	}
	const { floor = null, owners = null } = stats ?? {};
	const parts: SyncParts = { ...before, stats: { atMs, isRead, floor, owners } };
	const isMine = await storePart(context, { collectionId, startedAt }, parts, async (tx) => {
		if (!stats) return;
		const at = new Date(core.clock.nowMs());
		const isShared = before.detail?.isShared ?? false;
		const told = isShared ? NOTHING : { owners, salesDay: salesOfDay(stats.raw) };
		await storeStats(tx, { collectionId, stats, ...told, askedAt: new Date(atMs), at });
		await storeFloor(tx, context, { row, parts, askedAtMs: atMs });
	});
	return isMine ? parts : "taken";
}

/**
 * Reads the cheapest listings, and stores how many are for sale and the floor. Each page is stored
 * when it arrives: a sync that ends early leaves the best ask so far, and the next one continues
 * after the last page.
 */
export async function readListings(reading: PartReading): Promise<SyncParts | "taken"> {
	const { context, row, signal } = reading;
	const { clock } = context.core;
	const { id: collectionId, startedAt } = row;
	const begunAtMs = clock.nowMs();
	const from = goodPages(reading.parts.pages, begunAtMs);
	// The figures are as old as their first page.
	const askedAtMs = from?.atMs ?? begunAtMs;
	const slug = reading.parts.detail?.slug ?? "";
	const asked = { collection: row, slug, from, keep };
	const { asks, isWhole, failure } = await askListings(context, asked, signal);
	const { listed, ...figures } = listingFigures(asks, { isWhole, nowMs: clock.nowMs() });
	const { pages, ...others } = reading.parts;
	const parts: SyncParts = { ...others, listings: { atMs: askedAtMs, ...figures } };
	const left = failure === null ? parts : leadsOn(failure) ? reading.parts : others;
	// A floor is as old as the oldest answer that it was made from.
	const oldestMs = Math.min(askedAtMs, others.stats?.atMs ?? askedAtMs);
	const isMine = await storePart(context, { collectionId, startedAt }, left, async (tx) => {
		// A count from a later request stays.
		await tx.execute(
			`update market_index.collection set listed_count = $2, listed_at = $3
			where id = $1 and $2::int4 is not null
				and (listed_at is null or listed_at <= $3 or listed_at > $4)`,
			[collectionId, listed, new Date(askedAtMs), new Date(clock.nowMs())],
		);
		await storeFloor(tx, context, { row, parts, askedAtMs: oldestMs });
	});
	if (!isMine) return "taken";
	reading.parts = left;
	if (failure !== null) throw failure;
	return parts;

	async function keep(came: Omit<ListingPages, "atMs">): Promise<boolean> {
		const kept = { ...reading.parts, pages: { atMs: askedAtMs, ...came } };
		const isMine = await storePart(context, { collectionId, startedAt }, kept, async () => {});
		if (isMine) reading.parts = kept;
		return isMine;
	}
}

/**
 * Returns the earlier pages, if the rest may be read after them. A list that changed for too long
 * is no single list; and if the best ask began or ended meanwhile the floor differs from the stored
 * one.
 */
function goodPages(pages: ListingPages | null | undefined, nowMs: number): ListingPages | null {
	if (!pages) return null;
	const { atMs, asks } = pages;
	if (atMs > nowMs || atMs < nowMs - LISTINGS_READING_MAX_MS) return null;
	const bestAt = (ms: number) => listingFigures(asks, { isWhole: false, nowMs: ms }).best;
	return bestAt(atMs)?.unitNative === bestAt(nowMs)?.unitNative ? pages : null;
}

/** Says whether the page may be asked for again: a refused cursor would lead nowhere. */
function leadsOn(failure: unknown): boolean {
	return !(failure instanceof Fault) || failure.code !== "provider_refused";
}
