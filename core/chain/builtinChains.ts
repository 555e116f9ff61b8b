// Lists the chains that are built in, with their ids, currencies and public endpoints.

import type { Chain } from "#core/chain/Chain.ts";
import type { Currency } from "#core/money.ts";

const ETH: Currency = { symbol: "ETH", decimals: 18 };

/** The WETH of every OP-stack chain (a predeploy). */
const OP_STACK_WETH = "0x4200000000000000000000000000000000000006";

/** Mainnet's WETH. The sandbox deploys its own at the same address. */
const WETH = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

/**
 * The built-in chains. Ids, names, currencies and RPCs are those of `viem/chains`, and a test
 * compares them; copied, because importing one chain from there loads all 700 (110 ms and 15 MB at
 * each start, measured on Bun 1.4.5, viem 2.57.1).
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
