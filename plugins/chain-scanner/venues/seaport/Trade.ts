import type { Address } from "#core/chain/Hex.ts";
import type { OfferedItem } from "#plugins/chain-scanner/venues/seaport/FulfilledOrder.ts";
import type { Price } from "#plugins/chain-scanner/venues/seaport/Price.ts";

/** An NFT that changed hands, priced but not judged yet. */
export type Trade = {
	logIndex: number;
	item: OfferedItem;
	quantity: bigint;
	seller: Address;
	/** True where `seller` is who was paid; who gave the NFT stands in the token's log. */
	sellerUnproven?: boolean;
	buyer: Address;
	/** Who paid, where the logs prove it; a buyer may have been given the NFT by somebody else. */
	payer: Address | null;
	/** For all `quantity` units. */
	price: Price;
};
