import type { Address, Hex } from "#core/chain/Hex.ts";
import type { OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";

/**
 * The functions whose every argument we check. Each fills one order for its sender; all others
 * (several orders, matches, partial availability) allow more errors than a buy needs.
 */
export type FillingFunction =
	| "fulfillBasicOrder"
	| "fulfillBasicOrder_efficient_6GL6yc"
	| "fulfillOrder"
	| "fulfillAdvancedOrder";

/** What a fulfilment would do, in one form for all functions. Parsed, but not checked yet. */
export type Filling = {
	call: FillingFunction;
	parameters: OrderParameters;
	/** The part of the order that is filled. */
	numerator: bigint;
	denominator: bigint;
	signature: Hex;
	/** Data for the zone; empty for functions without it. */
	extraData: Hex;
	/** The conduit that would take our ERC-20. */
	fulfillerConduitKey: Hex;
	/** The address that gets the token; the zero address means the sender. */
	recipient: Address;
	/** How many tokens it would choose for criteria. */
	resolvers: number;
};
