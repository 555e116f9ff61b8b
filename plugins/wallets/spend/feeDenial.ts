import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Denial } from "#plugins/wallets/contract.ts";
import { usdMicros } from "#plugins/wallets/spend/usdMicros.ts";

/**
 * Whether a transaction may offer the network that much; null: it may. The price of gas is what a
 * node says, and what a lying one says would be paid out of the wallet past every limit.
 */
export function feeDenial(
	{
		prices,
		clock,
		settings,
	}: { prices: Prices; clock: Clock; settings: { networkFeeUsdMicros: bigint } },
	asked: {
		chainId: number;
		gasLimit: bigint;
		account: Pick<AccountState, "maxFeePerGas">;
		/** What it pays for a message beside its gas, in the chain's coin. */
		feeRaw?: bigint | undefined;
		/** How many times the limit it may offer. */
		limitTimes?: bigint;
	},
): Denial | null {
	const { chainId, gasLimit, account, feeRaw = 0n, limitTimes = 1n } = asked;
	const rate = prices.usdRate({ chainId, currency: ZERO_ADDRESS }, clock.nowMs());
	const micros = usdMicros(gasLimit * account.maxFeePerGas + feeRaw, rate);
	if (micros === null) {
		return { code: "usd_rate_unavailable", detail: "The network's fee cannot be priced in USD." };
	}
	if (micros <= settings.networkFeeUsdMicros * limitTimes) return null;
	return { code: "network_fee_limit", detail: "The network asks for more than may be offered." };
}

/** The same of a message alone, whoever pays for the gas. */
export function messageDenial(
	deps: Parameters<typeof feeDenial>[0],
	{ chainId, feeRaw }: { chainId: number; feeRaw: bigint },
): Denial | null {
	return feeDenial(deps, { chainId, gasLimit: 0n, account: { maxFeePerGas: 0n }, feeRaw });
}
