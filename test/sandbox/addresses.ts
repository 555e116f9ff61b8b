import type { Address } from "viem";

/**
 * The mainnet addresses: a service that knows Seaport by address needs no setting for this world.
 */
export const addresses = {
	seaport: "0x0000000000000068F116a894984e2DB1123eB395",
	conduitController: "0x00000000F9490004C11Cef243f5400493c00Ad63",
	conduit: "0x1E0049783F008A0085193E00003D00cd54003c71",
	weth: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
	marketFee: "0x0000a26b00c1F0DF003000390027140000fAa719",
} as const satisfies Record<string, Address>;
