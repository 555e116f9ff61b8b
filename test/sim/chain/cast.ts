import { padHex } from "viem";
import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";

const address = (text: string): Address => padHex(`0x${text}`, { size: 20 });

/** Everybody who appears on a simulated chain. */
export const cast = {
	erc721: [address("7210"), address("7211"), address("7212")],
	erc1155: [address("11550"), address("11551")],
	weth: address("e7e7"),
	/** An ERC-20 without a rate: what is paid in it has no native price. */
	dollar: address("d011a4"),
	people: [address("a1"), address("a2"), address("a3"), address("a4"), address("a5")],
	broker: address("b20ce4"),
	feeTaker: address("fee"),
};

/** The definition of one simulated chain. Each run has an id of its own in the shared database. */
export function chainOf(id: number): Chain {
	return {
		slug: `sim-${id}`,
		id,
		name: `Simulated ${id}`,
		nativeCurrency: { symbol: "ETH", decimals: 18 },
		nativeIsEth: true,
		wrappedNative: cast.weth,
		aliases: [],
		publicRpcUrls: [],
	};
}
