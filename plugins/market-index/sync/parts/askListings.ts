import { Fault } from "#core/fault/Fault.ts";
import { readPages } from "#plugins/market-index/orders/readPages.ts";
import { PROVIDER_PAGE } from "#plugins/market-index/pace/limits.ts";
import type { SyncContext, SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import { BEST_PAGES_MAX, LISTINGS_WAIT_MAX_MS } from "#plugins/market-index/sync/limits.ts";
import { type Ask, asksOf } from "#plugins/market-index/sync/parts/Ask.ts";
import { askAgain } from "#plugins/market-index/sync/parts/askAgain.ts";
import type { ListingPages } from "#plugins/market-index/sync/parts/SyncParts.ts";
import type { ProviderOrder, ProviderPage } from "#plugins/provider/contract.ts";

export type ReadListings = {
	/** The cheapest listings, to the last one where `isWhole`. */
	asks: Ask[];
	isWhole: boolean;
	/** The error that ended the reading early and is worth a retry; null without one. */
	failure: unknown;
};

export type ListingsAsk = {
	collection: SyncedCollection;
	slug: string;
	/** The pages that arrived before; null where the reading begins. */
	from: Omit<ListingPages, "atMs"> | null;
	/** Stores what arrived so far, after each page but the last; false ends the reading. */
	keep(pages: Omit<ListingPages, "atMs">): Promise<boolean>;
};

/**
 * Reads the cheapest listings, after the pages that arrived before. Pages are kept when a later one
 * fails: a limit is waited out, and a failed page costs only its own content.
 */
export async function askListings(
	context: Pick<SyncContext, "core" | "provider" | "prices" | "wait">,
	{ collection, slug, from, keep }: ListingsAsk,
	signal: AbortSignal,
): Promise<ReadListings> {
	const { core, provider, prices, wait } = context;
	let failure: unknown = null;
	let isOver = false;
	const nowMs = core.clock.nowMs();
	const asksWith = (rows: Parameters<typeof asksOf>[0]) => [
		...(from?.asks ?? []),
		...asksOf(rows, core.clock.nowMs()),
	];
	const { rows, isWhole } = await readPages(page, {
		...{ collection, pagesMax: BEST_PAGES_MAX, prices, nowMs },
		...(from && { from: { cursor: from.cursor, pages: from.count } }),
		async between({ rows, cursor, pages: count }) {
			if (!(await keep({ count, cursor, asks: asksWith(rows) }))) isOver = true;
		},
	});
	return { asks: asksWith(rows), isWhole, failure };

	async function page(cursor: string | undefined): Promise<ProviderPage<ProviderOrder>> {
		for (let waits = 0; !isOver; waits++) {
			try {
				const asked = { purpose: "background", signal, cursor, limit: PROVIDER_PAGE } as const;
				return await askAgain(context, signal, () => provider.bestListings(slug, asked));
			} catch (error) {
				const leftMs = cursor === undefined ? null : limitMs(error);
				const mayWait = leftMs !== null && leftMs <= LISTINGS_WAIT_MAX_MS && waits < WAITS_MAX;
				if (mayWait && !signal.aborted) {
					await wait(leftMs, signal);
					continue;
				}
				if (!isUnreadable(error)) failure = error;
				isOver = true;
			}
		}
		// A page that leads to itself: the earlier pages are not all there is.
		return { items: [], cursor: cursor ?? FIRST };
	}
}

/** How often a page waits for a limit; after that other syncs have their turn. */
const WAITS_MAX = 3;

/** Stands for the first page, if nothing of it arrived. */
const FIRST = "first";

function isUnreadable(error: unknown): boolean {
	return error instanceof Fault && error.code === "provider_unreadable";
}

/** Returns how long a limit lasts, in ms; null where the error is none. */
function limitMs(error: unknown): number | null {
	if (!(error instanceof Fault) || error.code !== "rate_limited") return null;
	const ms = error.members["retryAfterMs"];
	return typeof ms === "number" ? Math.max(ms, 0) : null;
}
