import type { Address } from "#core/chain/Hex.ts";
import type { BookOrder } from "#plugins/market-index/event/BookOrder.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";

/** An order of one collection, ready to be stored. */
export type OrderRow = Omit<BookOrder, "seenAt" | "maker"> & {
	maker: Address;
	/** For one unit, in display units of `symbol`. */
	unitPrice: number;
	protocolData: ProviderOrder["protocolData"];
};
