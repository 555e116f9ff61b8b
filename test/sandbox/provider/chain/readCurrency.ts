import { type Address, zeroAddress } from "viem";
import { addresses } from "../../addresses.ts";
import type { Rpc } from "../../Rpc.ts";
import type { Currency } from "../market/Market.ts";
import { callViews } from "./callViews.ts";
import { viewAbi } from "./viewAbi.ts";

export const ether: Currency = {
	address: zeroAddress,
	symbol: "ETH",
	name: "Ether",
	decimals: 18,
	etherPerUnit: 1,
};

/** The rate of the world's own coin is fixed by its traffic: 2,500 per ether. */
const ETHER_PER_UNIT: Record<string, number> = { WETH: 1, LNTRN: 1 / 2_500 };

/** Reads a payment token from its contract; null where that is no ERC-20. */
export async function readCurrency(rpc: Rpc, address: Address): Promise<Currency | null> {
	if (address === zeroAddress) return ether;
	const ask = (functionName: string) => ({ to: address, abi: viewAbi, functionName });
	const [symbol, name, decimals] = await callViews(rpc, [
		ask("symbol"),
		ask("name"),
		ask("decimals"),
	]);
	if (typeof symbol !== "string" || typeof decimals !== "number") return null;
	const isWeth = address === addresses.weth.toLowerCase();
	return {
		address,
		symbol,
		name: typeof name === "string" ? name : symbol,
		decimals,
		etherPerUnit: isWeth ? 1 : (ETHER_PER_UNIT[symbol] ?? 0),
	};
}
