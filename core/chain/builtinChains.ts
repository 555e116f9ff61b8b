// Lists the chains that are built in, and the contracts of others that stand on them.

import type { Chain } from "#core/chain/Chain.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Currency } from "#core/money.ts";

/** Says on which chains a contract stands: on these, or on all but these. */
export type ChainIds =
	| { readonly on: readonly number[] }
	| { readonly exceptOn: readonly number[] };

/** A contract of others that we read or call. `source` says who publishes the address. */
export type KnownContract = {
	readonly address: Address;
	readonly chains: ChainIds;
	readonly source: string;
};

const ETH: Currency = { symbol: "ETH", decimals: 18 };

/** The WETH of every OP-stack chain (a predeploy). */
const OP_STACK_WETH = "0x4200000000000000000000000000000000000006";

/** Mainnet's WETH. The sandbox deploys its own at the same address. */
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

/**
 * The built-in chains. Ids, names, currencies, explorers and RPCs are those of `viem/chains`, and a
 * test compares them; copied, because importing one chain from there loads all 700 (110 ms and 15
 * MB at each start, measured on Bun 1.4.5, viem 2.57.1).
 *
 * Final depth (how many blocks must be on top of a block before it counts as final) is no fact of a
 * chain here: it is a setting, one for all chains. `TRADING_FINAL_DEPTH_BLOCKS` ends the watch over
 * a transaction, `TOKEN_FINAL_DEPTH_BLOCKS` is what the token's ledger waits for, and
 * `NFT_REORG_DEPTH_MAX` is how much of a chain the scanner takes back.
 */
export const builtinChains: readonly Chain[] = [
	{
		slug: "ethereum",
		id: 1,
		name: "Ethereum",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: WETH,
		aliases: ["mainnet", "eth"],
		blockMs: 12_000,
		explorerUrl: "https://etherscan.io",
		publicRpcUrls: ["https://ethereum.reth.rs/rpc"],
	},
	{
		slug: "optimism",
		id: 10,
		name: "OP Mainnet",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: OP_STACK_WETH,
		aliases: ["op"],
		explorerUrl: "https://optimistic.etherscan.io",
		publicRpcUrls: ["https://mainnet.optimism.io"],
	},
	{
		slug: "polygon",
		id: 137,
		name: "Polygon",
		nativeCurrency: { symbol: "POL", decimals: 18 },
		nativeIsEth: false,
		wrappedNative: "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
		aliases: ["matic", "pol"],
		explorerUrl: "https://polygonscan.com",
		publicRpcUrls: ["https://polygon.drpc.org"],
	},
	{
		slug: "base",
		id: 8453,
		name: "Base",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: OP_STACK_WETH,
		aliases: [],
		explorerUrl: "https://basescan.org",
		publicRpcUrls: ["https://mainnet.base.org"],
	},
	{
		slug: "arbitrum",
		id: 42_161,
		name: "Arbitrum One",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
		aliases: ["arb", "arbitrum_one"],
		explorerUrl: "https://arbiscan.io",
		publicRpcUrls: ["https://arb1.arbitrum.io/rpc"],
	},
	{
		slug: "avalanche",
		id: 43_114,
		name: "Avalanche",
		nativeCurrency: { symbol: "AVAX", decimals: 18 },
		nativeIsEth: false,
		wrappedNative: "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
		aliases: ["avax"],
		explorerUrl: "https://snowtrace.io",
		publicRpcUrls: ["https://api.avax.network/ext/bc/C/rpc"],
	},
	{
		slug: "blast",
		id: 81_457,
		name: "Blast",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: "0x4300000000000000000000000000000000000004",
		aliases: [],
		explorerUrl: "https://blastscan.io",
		publicRpcUrls: ["https://rpc.blast.io"],
	},
	{
		slug: "zora",
		id: 7_777_777,
		name: "Zora",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: OP_STACK_WETH,
		aliases: [],
		explorerUrl: "https://explorer.zora.energy",
		publicRpcUrls: ["https://rpc.zora.energy", "wss://rpc.zora.energy"],
	},
	{
		slug: "abstract",
		id: 2741,
		name: "Abstract",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: "0x3439153eb7af838ad19d56e1571fbd09333c2809",
		aliases: [],
		explorerUrl: "https://abscan.org",
		publicRpcUrls: ["https://api.mainnet.abs.xyz", "wss://api.mainnet.abs.xyz/ws"],
	},
	{
		slug: "apechain",
		id: 33_139,
		name: "ApeChain",
		nativeCurrency: { symbol: "APE", decimals: 18 },
		nativeIsEth: false,
		wrappedNative: "0x48b62137edfa95a428d35c09e44256a739f6b557",
		aliases: ["ape_chain", "ape"],
		explorerUrl: "https://apescan.io",
		publicRpcUrls: ["https://rpc.apechain.com/http", "wss://rpc.apechain.com/ws"],
	},
	{
		slug: "berachain",
		id: 80_094,
		name: "Berachain",
		nativeCurrency: { symbol: "BERA", decimals: 18 },
		nativeIsEth: false,
		wrappedNative: "0x6969696969696969696969696969696969696969",
		aliases: ["bera_chain", "bera"],
		explorerUrl: "https://berascan.com",
		publicRpcUrls: ["https://rpc.berachain.com"],
	},
	{
		slug: "ronin",
		id: 2020,
		name: "Ronin",
		nativeCurrency: { symbol: "RON", decimals: 18 },
		nativeIsEth: false,
		wrappedNative: "0xe514d9deb7966c8be0ca922de8a064264ea6bcd4",
		aliases: [],
		explorerUrl: "https://app.roninchain.com",
		publicRpcUrls: ["https://api.roninchain.com/rpc"],
	},
	{
		slug: "unichain",
		id: 130,
		name: "Unichain",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: OP_STACK_WETH,
		aliases: [],
		explorerUrl: "https://uniscan.xyz",
		publicRpcUrls: ["https://mainnet.unichain.org/"],
	},
	{
		slug: "soneium",
		id: 1868,
		name: "Soneium Mainnet",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: OP_STACK_WETH,
		aliases: [],
		explorerUrl: "https://soneium.blockscout.com",
		publicRpcUrls: ["https://rpc.soneium.org"],
	},
	{
		slug: "shape",
		id: 360,
		name: "Shape",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: OP_STACK_WETH,
		aliases: [],
		explorerUrl: "https://shapescan.xyz",
		publicRpcUrls: ["https://mainnet.shape.network"],
	},
	{
		slug: "hyperevm",
		id: 999,
		name: "HyperEVM",
		nativeCurrency: { symbol: "HYPE", decimals: 18 },
		nativeIsEth: false,
		wrappedNative: "0x5555555555555555555555555555555555555555",
		aliases: ["hyper_evm", "hyperliquid"],
		explorerUrl: "https://hyperevmscan.io",
		publicRpcUrls: ["https://rpc.hyperliquid.xyz/evm"],
	},
	{
		slug: "monad",
		id: 143,
		name: "Monad",
		nativeCurrency: { symbol: "MON", decimals: 18 },
		nativeIsEth: false,
		wrappedNative: "0x3bd359c1119da7da1d913d1c4d2b7c461115433a",
		aliases: [],
		explorerUrl: "https://monadscan.com",
		publicRpcUrls: [
			"https://rpc.monad.xyz",
			"https://rpc1.monad.xyz",
			"wss://rpc.monad.xyz",
			"wss://rpc1.monad.xyz",
		],
	},
	{
		slug: "robinhood",
		id: 4663,
		name: "Robinhood Chain",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: "0x0bd7d308f8e1639fab988df18a8011f41eacad73",
		aliases: ["robinhood_chain"],
		explorerUrl: "https://robinhoodchain.blockscout.com",
		publicRpcUrls: [
			"https://rpc.mainnet.chain.robinhood.com",
			"https://rpc.ordofi.network",
			"wss://rpc.ordofi.network",
		],
	},
	{
		slug: "stable",
		id: 988,
		name: "Stable Mainnet",
		nativeCurrency: { symbol: "USDT0", decimals: 18 },
		nativeIsEth: false,
		wrappedNative: null,
		aliases: ["stablechain"],
		explorerUrl: "https://stablescan.xyz",
		publicRpcUrls: ["https://rpc.stable.xyz", "wss://rpc.stable.xyz"],
	},
	{
		slug: "anvil",
		id: 31_337,
		name: "Anvil",
		nativeCurrency: ETH,
		nativeIsEth: true,
		wrappedNative: WETH,
		aliases: ["local", "localhost"],
		publicRpcUrls: ["http://127.0.0.1:8545", "ws://127.0.0.1:8545"],
	},
];

const EVERYWHERE: ChainIds = { exceptOn: [] };

/** MegaETH, Somnia and Gunzilla: the marketplace's contracts have other addresses there. */
const ALTERNATE = [4_326, 5_031, 43_419];

const SEAPORT_README = "github.com/ProjectOpenSea/seaport, README, Deployments by version";
const OPENSEA_SDK = "@opensea/sdk 12.9.1, src/constants.ts and src/utils/chain.ts";

/**
 * Seaport on every chain, the newest canonical one last. All are read: an address follows from what
 * was deployed there, so nobody else can stand at it on another chain. Only those marked `isCalled`
 * are sent to: a call with money to an address without code succeeds, and the money is lost.
 */
export const seaports: readonly (KnownContract & { readonly isCalled: boolean })[] = [
	seaport("0xdf3969a315e3fc15b89a2752d0915cc76a5bd82d", {
		chains: { on: [2_741] },
		source: "1.6 on Abstract: abscan.org, and Dune's model of Seaport on Abstract",
	}),
	seaport("0x00000000006687982678b03100b9bdc8be440814", {
		chains: { on: ALTERNATE },
		source: OPENSEA_SDK,
		isCalled: true,
	}),
	seaport("0x00000000006c3852cbef3e08e8df289169ede581"), // 1.1
	seaport("0x00000000000006c7676171937c444f6bde3d6282"), // 1.2
	seaport("0x0000000000000ad24e80fd803c6ac37206a45f15"), // 1.3
	seaport("0x00000000000001ad428e4906ae43d8f9852d0dd6"), // 1.4
	seaport("0x00000000000000adc04c56bf30ac9d3c0aaf14dc"), // 1.5
	seaport("0x0000000000000068f116a894984e2db1123eb395", {
		chains: { exceptOn: ALTERNATE },
		isCalled: true,
	}), // 1.6
];

/**
 * The conduits of OpenSea by their keys: who takes our ERC-20 for a marketplace. An address follows
 * from its key, and a key begins with the address of whoever may create the conduit.
 */
export const conduits: readonly (KnownContract & { readonly key: Hex })[] = [
	{
		key: "0x0000007b02230091a7ed01230072f7006a004d60a8d4e71d599b8104250f0000",
		address: "0x1e0049783f008a0085193e00003d00cd54003c71",
		chains: { exceptOn: ALTERNATE },
		source: OPENSEA_SDK,
	},
	{
		key: "0x61159fefdfada89302ed55f8b9e89e2d67d8258712b3a3f89aa88525877f1d5e",
		address: "0x963f00d3ff000064ffcba824b800c0000000c300",
		// Abstract, HyperEVM, Monad, Robinhood Chain, Arc, Stable.
		chains: { on: [2_741, 999, 143, 4_663, 5_042, 988] },
		source: OPENSEA_SDK,
	},
	{
		key: "0x86d26897267711ea4b173c8c124a0a73612001da35562f1ee3b26929b6575e89",
		address: "0x00000000001566479594a2e05532d81afa09bc52",
		chains: { on: ALTERNATE },
		source: OPENSEA_SDK,
	},
];

/** The zones that allow orders which OpenSea signed for one buyer. */
export const signedZones: readonly KnownContract[] = [
	{
		address: "0x000056f7000000ece9003ca63978907a00ffd100",
		chains: { exceptOn: ALTERNATE },
		source: OPENSEA_SDK,
	},
	{
		address: "0xdfe0000000005ce3008800300037e4c803ed08c7",
		chains: { on: ALTERNATE },
		source: OPENSEA_SDK,
	},
];

/** Returns whether a contract stands on a chain. */
export function isOnChain({ chains }: Pick<KnownContract, "chains">, chainId: number): boolean {
	return "on" in chains ? chains.on.includes(chainId) : !chains.exceptOn.includes(chainId);
}

function seaport(
	address: Address,
	given: { chains?: ChainIds; source?: string; isCalled?: boolean } = {},
): KnownContract & { isCalled: boolean } {
	const { chains = EVERYWHERE, source = SEAPORT_README, isCalled = false } = given;
	return { address, chains, source, isCalled };
}
