import type { Address } from "#core/chain/Hex.ts";
import type { OfferedItem } from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";
import type { Price } from "#plugins/chain-scanner/venues/seaport/Price.ts";

/** An NFT that changed hands, with its price but without a judgement. */
export type Trade = {
	logIndex: number;
	item: OfferedItem;
	quantity: bigint;
	seller: Address;
	/** True where `seller` is who was paid; the token's log shows who gave the NFT. */
	sellerUnproven?: boolean;
	buyer: Address;
	/** The payer, where the logs prove it; a buyer may have been given the NFT by another account. */
	payer: Address | null;
	/** For all `quantity` units. */
	price: Price;
};
