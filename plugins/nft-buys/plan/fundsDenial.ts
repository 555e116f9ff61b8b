import { firstDenial } from "#plugins/nft-buys/check/firstDenial.ts";
import type { Payment } from "#plugins/nft-buys/check/paymentOf.ts";
import type { Funds } from "#plugins/nft-buys/listing/readFunds.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/** Whether an ERC-20 price can be taken from the wallet as it stands. */
export function fundsDenial({ total }: Payment, funds: Funds): Denial | null {
	return firstDenial([
		[
			funds.balanceRaw >= total,
			"balance_insufficient",
			"The wallet holds too little of the listing's currency.",
		],
	]);
}
