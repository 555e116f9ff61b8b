import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import { orderRowOf } from "#plugins/market-index/orders/orderRowOf.ts";
import type { SyncedCollection } from "#plugins/market-index/sync/SyncContext.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { ProviderOrder, ProviderPage } from "#plugins/provider/contract.ts";

/**
 * Reads pages of orders until the last, or until `pagesMax`; `isWhole` says which. Orders that
 * cannot be filled, and those of other contracts under the same slug, are left out.
 */
export async function readPages(
	page: (cursor: string | undefined) => Promise<ProviderPage<ProviderOrder>>,
	options: {
		collection: SyncedCollection;
		pagesMax: number;
		prices: Pick<Prices, "toNative" | "nativeOfSymbol">;
		nowMs: number;
	},
): Promise<{ rows: OrderRow[]; isWhole: boolean; pages: number }> {
	const { collection, pagesMax, prices, nowMs } = options;
	const rows: OrderRow[] = [];
	let cursor: string | undefined;
	for (let pages = 1; ; pages++) {
		const { items, cursor: next } = await page(cursor);
		for (const order of items) {
			const row = order.isActive ? orderRowOf(order, collection, { prices, nowMs }) : null;
			if (row) rows.push(row);
		}
		if (next === null) return { rows, isWhole: true, pages };
		// The same page again would never end.
		if (pages >= pagesMax || next === cursor) return { rows, isWhole: false, pages };
		cursor = next;
	}
}
