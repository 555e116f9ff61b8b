import { type Address, getContractAddress } from "viem";

/** The addresses on the real chain 4663, so that a service that knows it needs no setting here. */
const real = {
	weth: "0x0Bd7D308f8E1639FAb988df18A8011f41EAcAD73",
	usdg: "0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168",
	factory: "0x1f7d7550B1b028f7571E69A784071F0205FD2EfA",
	router: "0xCaf681a66D020601342297493863E78C959E5cb2",
	quoter: "0x33e885eD0Ec9bF04EcfB19341582aADCb4c8A9E7",
	v4Manager: "0x8366a39CC670B4001A1121B8F6A443A643e40951",
	v4Quoter: "0x8Dc178eFB8111BB0973Dd9d722ebeFF267c98F94",
	v4StateView: "0xF3334192D15450CdD385c8B70e03f9A6bD9E673b",
	stockFactory: "0x4783C67b63dE2B358Ac5951a7D41F47A38F3C046",
} as const satisfies Record<string, Address>;

/** The account that deploys stocks, their feeds and the market maker; its key is unknown. */
const issuer: Address = "0x1550ee0000000000000000000000000000004663";

/** All addresses of the stock world; the same in each. */
export const stockAddresses = {
	...real,
	issuer,
	/** Holds the liquidity of every pool. */
	maker: getContractAddress({ from: issuer, nonce: 0n }),
} as const;

/** Returns the address of feed number `index`, deployed right after the maker. */
export function feedAddress(index: number): Address {
	return getContractAddress({ from: issuer, nonce: BigInt(index + 1) });
}

/** Returns the address of stock number `index`. */
export function stockAddress(index: number): Address {
	return getContractAddress({ from: real.stockFactory, nonce: BigInt(index + 1) });
}
