import type { Chain, ChainRegistry } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Log } from "#core/log.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

/** The chain's state of an order and its seller. */
export type OrderState = {
	/** The seller's counter; orders signed with another one are void. */
	counter: bigint;
	isCancelled: boolean;
	totalFilled: bigint;
	/** 0 for an order without any fill. */
	totalSize: bigint;
};

/** What the buyer wants, and where and when it is bought. All answers are compared with this. */
export type Wanted = {
	chainId: number;
	marketplace: Address;
	wallet: Address;
	contract: Address;
	tokenId: bigint;
	quantity: bigint;
	nowMs: number;
};

/** The price of an order, or of a part of one: everything that leaves the buyer's wallet. */
export type Payment = {
	/** The zero address for the native coin. */
	currency: Address;
	total: bigint;
	parts: { recipient: Address; raw: bigint }[];
};

/** A wallet's balance of an ERC-20, and what a spender may take of it, in base units. */
export type Funds = { balanceRaw: bigint; allowanceRaw: bigint; decimals: number };

/** What the routes of buying need. */
export type BuyContext = {
	wallets: Wallets;
	log: Log;
	chains: ChainRegistry;
	/** The chains that are served here, in the deployment's order. */
	served: readonly Chain[];
	/** Aborts when the service ends. */
	ending: AbortSignal;
};
