import { canCarry } from "#core/http/canCarry.ts";
import { canFail } from "#core/http/canFail.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { moneyFault } from "#core/money/faults.ts";
import { buyFault } from "#plugins/nft-buys/faults.ts";
import { tradingDocumented } from "#plugins/wallets/contract.ts";

/** Returns the common OpenAPI entry of buys and offers: authentication, failures, headers. */
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
