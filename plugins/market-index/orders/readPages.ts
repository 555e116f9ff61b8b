import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import { orderRowOf } from "#plugins/market-index/orders/orderRowOf.ts";
import type { SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderOrder, ProviderPage } from "#plugins/provider/contract.ts";

/**
 * Reads pages of orders until the last, or until `pagesMax`; `isWhole` says which. Orders that
 * cannot be filled, and those of other contracts with the same slug, are left out.
 */
export async function readPages(
	page: (cursor: string | undefined) => Promise<ProviderPage<ProviderOrder>>,
	options: {
		collection: SyncedCollection;
		pagesMax: number;
		prices: Pick<Prices, "toNative" | "nativeOfSymbol">;
		nowMs: number;
		/** Where an earlier reading was interrupted. */
		from?: { cursor: string | null; pages: number };
		/** Called after each page that another one follows. */
		between?: (read: { rows: OrderRow[]; cursor: string; pages: number }) => Promise<void>;
	},
): Promise<{ rows: OrderRow[]; isWhole: boolean; pages: number }> {
	const { collection, pagesMax, prices, nowMs, from } = options;
	const rows: OrderRow[] = [];
	let cursor = from?.cursor ?? undefined;
	for (let pages = (from?.pages ?? 0) + 1; ; pages++) {
		const { items, cursor: next, isBroken, isUnknown } = await page(cursor);
		for (const order of items) {
			const row = order.isActive ? orderRowOf(order, collection, { prices, nowMs }) : null;
			if (row) rows.push(row);
		}
		// A list that the provider does not know is not an empty one: that would end every order.
		if (next === null) return { rows, isWhole: !(isBroken || isUnknown), pages };
		// Repeating the same page would never end.
		if (pages >= pagesMax || next === cursor) return { rows, isWhole: false, pages };
		await options.between?.({ rows, cursor: next, pages });
		cursor = next;
	}
}
