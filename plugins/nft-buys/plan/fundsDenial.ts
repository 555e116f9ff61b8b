import { firstDenial } from "#plugins/nft-buys/check/firstDenial.ts";
import type { Payment } from "#plugins/nft-buys/check/paymentOf.ts";
import type { Funds } from "#plugins/nft-buys/listing/readFunds.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/** Returns why the wallet's balance cannot pay an ERC-20 price; null: it can. */
export function fundsDenial({ total }: Payment, funds: Funds): Denial | null {
	return firstDenial([
		[
			funds.balanceRaw >= total,
			"balance_insufficient",
			"The wallet holds too little of the listing's currency.",
		],
	]);
}
