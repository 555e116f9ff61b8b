import { type Address, zeroAddress } from "viem";
import { compileContracts } from "../compileContracts.ts";
import type { Rpc } from "../Rpc.ts";
import { type BridgeEmulator, startBridgeEmulator } from "./startBridgeEmulator.ts";

/** Where USDG is on the real 4663. */
export const USDG: Address = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
/** The stablecoin of 988 as a token. The real chain's coin is the same money. */
export const USDT0: Address = "0x779ded0c9e1022225f8e0630b35a9b54be713736";
/** Names the dollar token on chain 4663 that moves by its owner's signature (EIP-3009). */
export const SIGNED_DOLLAR: Address = "0x000000000000000000000000000000000000f702";
const ETH_USD_MICROS = 2_500_000_000n;
const DOLLAR_MICROS = 1_000_000n;

/**
 * Starts the bridge of the sandbox: between the market's chain and 4663, in ether on both and in a
 * dollar on each, and to 988 in its stablecoin. Where a dollar is not there yet, one that anybody
 * mints is placed there.
 */
export async function bridgeOf(options: {
	market: Rpc;
	home: Rpc;
	stable: Rpc;
	/** The market's own dollar. */
	coin: Address;
	port: number;
}): Promise<BridgeEmulator> {
	const { market, home, stable, coin, port } = options;
	for (const [rpc, token] of [
		[home, USDG],
		[home, SIGNED_DOLLAR],
		[stable, USDT0],
	] as const) {
		if ((await rpc.call("eth_getCode", [token, "latest"])) !== "0x") continue;
		await rpc.call("anvil_setCode", [token, compileContracts().SandboxDollar.runtime]);
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
				currencies: [
					ether,
					{ ...dollar(USDG, "USDG", "Global Dollar"), usdMicros: DOLLAR_MICROS },
					{
						...{ ...dollar(SIGNED_DOLLAR, "PUSD", "Global Dollar"), supportsPermit: true },
						usdMicros: DOLLAR_MICROS,
					},
				],
			},
			{
				...{ id: 988, rpcUrl: stable.url, name: "stable" },
				currencies: [
					{
						...{ address: zeroAddress, symbol: "USDT0", name: "USDT0", decimals: 18 },
						usdMicros: DOLLAR_MICROS,
					},
					{ ...dollar(USDT0, "USDT0", "USDT0"), usdMicros: DOLLAR_MICROS },
				],
			},
		],
	});
}
