// Reads an order book from the provider, from where the last turn stopped.

import { z } from "zod";
import { Fault } from "#core/fault.ts";
import {
	BOOK_PAGES_MAX,
	BOOK_READING_MAX_MS,
	type OrderRow,
	orderRowOf,
} from "#plugins/market-index/orders/OrderRow.ts";
import type { DueBook } from "#plugins/market-index/orders/sql/books.ts";
import type { BookReading, BookSide } from "#plugins/market-index/orders/writeBook.ts";
import {
	PROVIDER_PAGE,
	type SyncContext,
	type SyncedCollection,
} from "#plugins/market-index/pace.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderOrder, ProviderPage, ProviderStats } from "#plugins/provider/contract.ts";

/**
 * Holds the part of a book that arrived, and why not all of it: the first limit, else the first
 * failure.
 */
type ReadBook = {
	reading: BookReading;
	/** Pages that came now, and all pages of its sides so far. */
	pages: number;
	pagesInAll: number;
	failure: Fault | null;
	/** The place where the next turn continues; null where it begins anew. */
	progress: BookProgress | null;
};

/** `isUnknown` where the provider answered that it does not know the list. */
type ReadPages = { rows: OrderRow[]; isWhole: boolean; isUnknown: boolean; pages: number };

/** Holds how far a side of a book was read when a limit ended it. */
type SideProgress = z.infer<typeof sideSchema>;

/**
 * A reading of a book that the next turn continues: when it began, and the progress of each side.
 */
type BookProgress = z.infer<typeof progressSchema>;

/** Reads the page after a cursor; the first one without. */
type AskPage = (cursor: string | undefined) => Promise<ProviderPage<ProviderOrder>>;

const sideSchema = z.object({
	/** The cursor of the page that did not arrive; null for the first page. */
	cursor: z.string().nullable(),
	pages: z.int().min(0),
	/** True: all of this side was read. */
	isOver: z.boolean(),
	isWhole: z.boolean(),
});

const progressSchema = z.object({
	askedAtMs: z.number(),
	listings: sideSchema,
	offers: sideSchema,
});

/** The progress of an unread book. */
const UNREAD: SideProgress = { cursor: null, pages: 0, isOver: false, isWhole: false };

/** A side that is not read in this turn, and of which nothing follows. */
const LEFT_OUT = {
	side: { rows: [], isWhole: false, isCut: false, isWritten: true },
	progress: UNREAD,
};

/**
 * Reads a book from the provider: as much of each side as possible, and the stats. A failing part
 * leaves the others as they are. A limit, or a stop of the job, ends all of them: then the next
 * turn continues from there.
 */
export async function readBook(
	{ core, provider, prices }: Pick<SyncContext, "core" | "provider" | "prices">,
	book: DueBook,
	signal: AbortSignal,
): Promise<ReadBook> {
	const nowMs = core.clock.nowMs();
	const before = storedProgress(book.progress, { nowMs, maxMs: BOOK_READING_MAX_MS });
	// What plans are about to buy from: its listings, and nothing else now.
	const { isUrgent, providerSlug: slug } = book;
	const isAnew = before === null || (isUrgent && before.listings.isOver);
	const begun = isAnew ? { askedAtMs: nowMs, listings: UNREAD, offers: UNREAD } : before;
	const { askedAtMs } = begun;
	const call = { purpose: isUrgent ? "plan" : "background", signal } as const;
	const paged = { ...call, limit: PROVIDER_PAGE };
	const reading = { collection: book, pagesMax: BOOK_PAGES_MAX, prices, nowMs };
	const failures: Fault[] = [];
	let isOver = false;
	let pages = 0;
	const askListings: AskPage = (cursor) => provider.listings(slug, { ...paged, cursor });
	const askOffers: AskPage = (cursor) => provider.offers(slug, { ...paged, cursor });
	const listings = await side(askListings, begun.listings);
	const offers = isUrgent ? LEFT_OUT : await side(askOffers, begun.offers);
	let stats: ProviderStats | null = null;
	const askStats = async () => {
		stats = await provider.stats(slug, call);
	};
	const isStatsRead = !isUrgent && (await attempt(askStats));
	const statsFloor = book.isShared ? null : floorOf(stats);
	const failure = failures.find(isLimit) ?? failures[0] ?? null;
	return {
		reading: {
			...{ listings: listings.side, offers: offers.side },
			...{ statsFloor, isStatsRead, askedAtMs, isResumed: !isAnew },
		},
		pages,
		pagesInAll: listings.progress.pages + offers.progress.pages,
		failure,
		progress:
			isOver && (listings.side.isCut || offers.side.isCut)
				? { askedAtMs, listings: listings.progress, offers: offers.progress }
				: null,
	};

	async function side(
		ask: AskPage,
		from: SideProgress,
	): Promise<{ side: BookSide; progress: SideProgress }> {
		if (from.isOver) {
			const { isWhole } = from;
			return { side: { rows: [], isWhole, isCut: false, isWritten: true }, progress: from };
		}
		const progress = { ...from };
		let isCut = false;
		const { rows, isWhole, isUnknown } = await readPages(
			async (cursor) => {
				let page: ProviderPage<ProviderOrder> | null = null;
				const came = await attempt(async () => {
					page = await ask(cursor);
				});
				isCut = !came;
				if (!came) progress.cursor = cursor ?? null;
				else {
					pages++;
					progress.pages++;
				}
				return page;
			},
			{ ...reading, from },
		);
		const side = { rows, isWhole, isCut, isUnknown };
		return { side, progress: { ...progress, isOver: !isCut, isWhole } };
	}

	/**
	 * Runs a part and says whether it succeeded; throws any error that is no fault of the provider's.
	 */
	async function attempt(run: () => Promise<void>): Promise<boolean> {
		if (isOver) return false;
		try {
			await run();
			return true;
		} catch (error) {
			if (!(error instanceof Fault)) throw error;
			isOver = signal.aborted || isLimit(error);
			failures.push(error);
			return false;
		}
	}
}

/**
 * Reads pages of orders until the last, until `pagesMax`, or until one that did not arrive (null);
 * `isWhole` is true only for the first. Orders that cannot be filled, and those of other contracts
 * with the same slug, are left out.
 */
export async function readPages(
	page: (cursor: string | undefined) => Promise<ProviderPage<ProviderOrder> | null>,
	options: {
		collection: SyncedCollection;
		pagesMax: number;
		prices: Pick<Prices, "toNative" | "nativeOfSymbol">;
		nowMs: number;
		/** The place where an earlier reading was interrupted. */
		from?: { cursor: string | null; pages: number };
		/** Called after each page that another one follows. */
		between?: (read: { rows: OrderRow[]; cursor: string; pages: number }) => Promise<void>;
	},
): Promise<ReadPages> {
	const { collection, pagesMax, prices, nowMs, from } = options;
	const rows: OrderRow[] = [];
	let cursor = from?.cursor ?? undefined;
	for (let pages = (from?.pages ?? 0) + 1; ; pages++) {
		const read = await page(cursor);
		if (read === null) return { rows, isWhole: false, isUnknown: false, pages: pages - 1 };
		const { items, cursor: next, isBroken, isUnknown = false } = read;
		for (const order of items) {
			const row = order.isActive ? orderRowOf(order, collection, { prices, nowMs }) : null;
			if (row) rows.push(row);
		}
		// A list that the provider does not know is not an empty one: that would end every order.
		if (next === null) return { rows, isWhole: !(isBroken || isUnknown), isUnknown, pages };
		// Repeating the same page would never end.
		if (pages >= pagesMax || next === cursor) return { rows, isWhole: false, isUnknown, pages };
		await options.between?.({ rows, cursor: next, pages });
		cursor = next;
	}
}

/** Returns the stored progress; null where it is older than `maxMs`, or cannot be parsed. */
function storedProgress(
	stored: unknown,
	{ nowMs, maxMs }: { nowMs: number; maxMs: number },
): BookProgress | null {
	const { data } = progressSchema.safeParse(stored);
	if (!data) return null;
	const ageMs = nowMs - data.askedAtMs;
	return ageMs >= 0 && ageMs <= maxMs ? data : null;
}

function floorOf(stats: ProviderStats | null): BookReading["statsFloor"] {
	return stats?.floor ?? null;
}

function isLimit({ code }: Fault): boolean {
	return code === "rate_limited";
}
