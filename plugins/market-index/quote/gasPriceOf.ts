import type { Chain } from "#core/chain/Chain.ts";
import { chainNumbers } from "#core/chain/chainNumbers.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { GAS_PRICE_TIMEOUT_MS } from "#plugins/market-index/quote/limits.ts";

const { gasPrice } = chainNumbers;

/**
 * Returns a function that reads a chain's present gas price, in wei of its coin. Null where the
 * chain does not answer in time: an estimate without its gas is still useful.
 */
export function gasPriceOf(indexed: readonly Pick<ChainAccess, "chain" | "rpcFor">[]) {
	return async ({ id }: Chain): Promise<bigint | null> => {
		const access = indexed.find(({ chain }) => chain.id === id);
		const signal = AbortSignal.timeout(GAS_PRICE_TIMEOUT_MS);
		try {
			const call = { method: "eth_gasPrice", params: [] };
			const isReadable = (answer: unknown) => gasPrice.safeParse(answer).success;
			return gasPrice.parse(await access?.rpcFor("requests").call(call, { signal, isReadable }));
		} catch {
			return null;
		}
	};
}
