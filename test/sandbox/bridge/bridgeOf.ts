import { type Address, zeroAddress } from "viem";
import { compileContracts } from "../compileContracts.ts";
import type { Rpc } from "../Rpc.ts";
import { type BridgeEmulator, startBridgeEmulator } from "./startBridgeEmulator.ts";

/** Where USDG is on the real 4663. */
export const USDG: Address = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
const ETH_USD_MICROS = 2_500_000_000n;
const DOLLAR_MICROS = 1_000_000n;

/**
 * Starts the bridge of the sandbox: between the market's chain and 4663, in ether on both, and in a
 * dollar on each. Where 4663 has no USDG yet, one that anybody mints is placed there.
 */
export async function bridgeOf(options: {
	market: Rpc;
	home: Rpc;
	/** The market's own dollar. */
	coin: Address;
	port: number;
}): Promise<BridgeEmulator> {
	const { market, home, coin, port } = options;
	if ((await home.call("eth_getCode", [USDG, "latest"])) === "0x") {
		await home.call("anvil_setCode", [USDG, compileContracts().SandboxDollar.runtime]);
	}
	const ether = {
		...{ address: zeroAddress, symbol: "ETH", name: "Ether", decimals: 18 },
		usdMicros: ETH_USD_MICROS,
	};
	const dollar = (address: Address, symbol: string, name: string) => {
		return { address: address.toLowerCase() as Address, symbol, name, decimals: 6 };
	};
	return await startBridgeEmulator({
		port,
		chains: [
			{
				...{ id: 31_337, rpcUrl: market.url, name: "anvil" },
				currencies: [
					ether,
					{ ...dollar(coin, "LNTRN", "Lantern Credit"), usdMicros: DOLLAR_MICROS },
				],
			},
			{
				...{ id: 4_663, rpcUrl: home.url, name: "robinhood" },
				currencies: [ether, { ...dollar(USDG, "USDG", "Global Dollar"), usdMicros: DOLLAR_MICROS }],
			},
		],
	});
}
