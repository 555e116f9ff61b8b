import { canCarry } from "#core/http/canCarry.ts";
import { canFail } from "#core/http/canFail.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { moneyFault } from "#core/money/faults.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { tradingDocumented } from "#plugins/wallets/contract.ts";

/** Returns what the document says alike of buys and offers: who may, how it fails, the headers. */
export function orderDetail() {
	return {
		security: [{ session: [] as string[] }],
		...canFail(
			httpFault.unauthorized,
			buyFault.chainRequired,
			moneyFault.amountInvalid,
			...tradingDocumented.onceFailures,
		),
		parameters: tradingDocumented.onceParameters,
		...canCarry(tradingDocumented.onceHeaders),
	};
}
