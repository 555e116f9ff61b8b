import type { Hex } from "#core/chain/Hex.ts";
import type { ProviderPush } from "#plugins/provider/contract.ts";

/** A change of a book from the provider's stream. */
export type OrderPush =
	| Extract<ProviderPush, { type: "order" | "order_gone" | "order_back" }>
	/** How many units of an order were bought. */
	| { type: "order_filled"; slug: string; chainId: number; orderHash: Hex; quantity: bigint };
