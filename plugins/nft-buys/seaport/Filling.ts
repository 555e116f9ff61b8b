import type { Address, Hex } from "#core/chain/Hex.ts";
import type { OrderParameters } from "#plugins/nft-buys/seaport/Order.ts";

/**
 * The functions whose every argument we check. Each fills one order for whoever sends it; all
 * others (several orders, matches, partial availability) have more that can go wrong than a buy
 * needs.
 */
export type FillingFunction =
	| "fulfillBasicOrder"
	| "fulfillBasicOrder_efficient_6GL6yc"
	| "fulfillOrder"
	| "fulfillAdvancedOrder";

/** What a fulfilment would do, in one form for all functions. Read, and not checked yet. */
export type Filling = {
	call: FillingFunction;
	parameters: OrderParameters;
	/** The part that is filled. */
	numerator: bigint;
	denominator: bigint;
	signature: Hex;
	/** For the zone; empty where a function has none. */
	extraData: Hex;
	/** Through whom our ERC-20 would be taken. */
	fulfillerConduitKey: Hex;
	/** Who gets the token: the zero address is the sender. */
	recipient: Address;
	/** How many tokens it would choose for criteria. */
	resolvers: number;
};
