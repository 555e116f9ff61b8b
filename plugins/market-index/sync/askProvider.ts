import { Fault } from "#core/fault/Fault.ts";
import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import { readPages } from "#plugins/market-index/orders/readPages.ts";
import { BEST_PAGES_MAX, PROVIDER_PAGE } from "#plugins/market-index/sync/limits.ts";
import type { SyncContext, SyncedCollection } from "#plugins/market-index/sync/SyncContext.ts";
import type { ProviderCollectionDetail, ProviderStats } from "#plugins/provider/contract.ts";

/** What the provider says of one collection. */
export type ProviderReading =
	| { kind: "stranger" }
	| {
			kind: "known";
			slug: string;
			detail: ProviderCollectionDetail;
			stats: ProviderStats | null;
			/** The cheapest listings, to the last one where `isWhole`. */
			listings: { rows: OrderRow[]; isWhole: boolean };
			/**
			 * The slug spans other contracts too, so that its figures are not this one's: a floor or a
			 * count of owners over three chains is no fact about any of them.
			 */
			isShared: boolean;
	  };

/** Asks for all that a full sync needs. Outside of any transaction. */
export async function askProvider(
	{ provider, prices, core }: Pick<SyncContext, "provider" | "prices" | "core">,
	collection: SyncedCollection & { providerSlug: string | null },
	signal: AbortSignal,
): Promise<ProviderReading> {
	const call = { purpose: "background", signal } as const;
	const { chainId, address } = collection;
	const found = await findDetail();
	if (!found) return { kind: "stranger" };
	const { slug, detail } = found;
	const stats = await provider.stats(slug, call);
	const nowMs = core.clock.nowMs();
	const listings = await readPages(
		(cursor) => provider.bestListings(slug, { ...call, cursor, limit: PROVIDER_PAGE }),
		{ collection, pagesMax: BEST_PAGES_MAX, prices, nowMs },
	).catch(nothingOfIt);
	const isShared = detail.contracts.some((other) => !isOurs(other));
	return { kind: "known", slug, detail, stats, listings, isShared };

	/** Listings that cannot be read cost what they tell, and nothing that other calls do. */
	function nothingOfIt(error: unknown) {
		if (!(error instanceof Fault) || error.code !== "provider_unreadable") throw error;
		return { rows: [], isWhole: false };
	}

	/** By the slug that is known; where that is not ours any more, by the contract. */
	async function findDetail() {
		const known = collection.providerSlug;
		if (known !== null) {
			const detail = await provider.collection(known, call);
			const { contracts = [] } = detail ?? {};
			const fits = contracts.length === 0 || contracts.some(isOurs);
			if (detail && fits) return { slug: known, detail };
		}
		const slug = await provider.slugOf({ chainId, address }, call);
		const detail = slug === null ? null : await provider.collection(slug, call);
		return slug === null || detail === null ? null : { slug, detail };
	}

	function isOurs(contract: SyncedCollection | { chainId: number; address: string }): boolean {
		return contract.chainId === chainId && contract.address === address;
	}
}
