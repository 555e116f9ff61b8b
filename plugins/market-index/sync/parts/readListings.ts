import { Fault } from "#core/fault/Fault.ts";
import { LISTINGS_READING_MAX_MS } from "#plugins/market-index/sync/limits.ts";
import { askListings } from "#plugins/market-index/sync/parts/askListings.ts";
import { listingFigures } from "#plugins/market-index/sync/parts/listingFigures.ts";
import type { PartReading } from "#plugins/market-index/sync/parts/PartReading.ts";
import type { ListingPages, SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import { storeFloor } from "#plugins/market-index/sync/parts/storeFloor.ts";
import { storePart } from "#plugins/market-index/sync/parts/storePart.ts";

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
