// Opens the token's economy on a chain: deployed where it is not, else found.

import {
	type Address,
	encodeDeployData,
	encodeFunctionData,
	type Hex,
	stringToHex,
	toHex,
} from "viem";
import { buybackBurnerAbi, revenueRouterAbi } from "#plugins/tokenomics/contracts/abi.ts";
import { compileFolder } from "#plugins/tokenomics/testing/compileFolder.ts";
import { compileContracts } from "../compileContracts.ts";
import { createRpc, type Rpc } from "../createRpc.ts";
import { createSender, type Send, type SenderTx } from "../stocks/deployStockWorld.ts";
import type { Pool } from "../stocks/describeStockWorld.ts";
import { forgetPrices, makeRoom } from "../stocks/poolMemory.ts";
import { makerAbi, stockAbi, stockAddresses } from "../stocks/stockCatalogue.ts";
import {
	economyAddresses,
	firstHolders,
	type Payer,
	payees,
	SEARCHER,
	SUPPLY,
	TAPE_USD,
	type TapeUsd,
	TREASURER,
	tapeOpenings,
	tapePools,
	tapePriceOf,
} from "./describeEconomy.ts";

export type EconomyOptions = {
	/** Buys back and burns, and is paid the share for it. */
	keeper: Address;
	/** Dollars of one ether, at which the token's pools are opened. */
	ethUsd: number;
};

/** The token, its pools, the router of revenue and the burner on an anvil 4663. */
export type Economy = Payer & {
	addresses: typeof economyAddresses;
	/** The deepest against WETH first; the last one is against USDG. */
	pools: typeof tapePools;
	/** It was not there before. */
	isNew: boolean;
	/** Transfers some of the treasurer's own tokens to somebody. */
	give(to: Address, raw: bigint): Promise<void>;
	/**
	 * Moves the price, and has the pools remember no other: as if it had been this for a day. So
	 * that who asks for a mean right after a start is not told of a price of long ago.
	 */
	settlePrice(usd: TapeUsd): Promise<void>;
	/** Leaves a pool this many hundredths of a per cent of its liquidity; 10,000 fills it again. */
	drain(pool: Pool, keepBps?: number): Promise<void>;
	setKeeper(keeper: Address): Promise<void>;
	setSplit(source: string, bps: readonly [number, number, number, number]): Promise<void>;
};

const MAKER_WEALTH = toHex(10n ** 27n);
const MAKER_TOKENS = (SUPPLY * 6n) / 10n;
const DOLLARS = 10n ** 15n;
const SEARCHER_TOKENS = SUPPLY / 20n;

/** Opens the token's economy over a stock world: deployed where it is not, else found. */
export async function openEconomy(rpcUrl: string, options: EconomyOptions): Promise<Economy> {
	const rpc = createRpc(rpcUrl);
	await rpc.batch([
		{ method: "anvil_setBalance", params: [economyAddresses.maker, MAKER_WEALTH] },
		{ method: "anvil_setBalance", params: [economyAddresses.searcher, MAKER_WEALTH] },
	]);
	const send = await createSender(rpc, TREASURER);
	const isNew = (await rpc.call("eth_getCode", [economyAddresses.burner, "latest"])) === "0x";
	if (isNew) await deploy(rpc, { send, ...options });
	const { maker, router, burner } = economyAddresses;
	const { usdg } = stockAddresses;
	const movePrice = (usd: TapeUsd, pools: readonly Pool[] = tapePools) =>
		send([{ to: maker, data: movement(pools, (pool) => tapePriceOf(pool, usd)) }]);
	return {
		addresses: economyAddresses,
		pools: tapePools,
		isNew,
		payCoins: (source, wei) => send([{ to: router, value: wei, data: depositOf(source) }]),
		payDollars: (source, units) =>
			send([
				{ to: usdg, data: approvalOf(router, units) },
				{ to: router, data: depositOf(source, { token: usdg, units }) },
			]),
		give: (to, raw) => send([transferOf(to, raw)]),
		movePrice,
		async settlePrice(usd) {
			await movePrice(usd);
			await forgetPrices(rpc, tapePools);
		},
		drain: ({ address }, keepBps = 0) => {
			const args = [address, BigInt(keepBps)] as const;
			const data = encodeFunctionData({ abi: makerAbi, functionName: "keep", args });
			return send([{ to: maker, data }]);
		},
		setKeeper: (keeper) => {
			const call = { abi: buybackBurnerAbi, functionName: "setKeeper", args: [keeper] } as const;
			return send([{ to: burner, data: encodeFunctionData(call) }]);
		},
		setSplit: (source, bps) => {
			const args = [label(source), bps] as const;
			const call = { abi: revenueRouterAbi, functionName: "setSplit", args } as const;
			return send([{ to: router, data: encodeFunctionData(call) }]);
		},
	};
}

/** Encodes trades that move pools to these prices, each by its root. */
export function movement(pools: readonly Pool[], priceOf: (pool: Pool) => bigint): Hex {
	const moves = pools.map((pool) => ({ pool: pool.address, sqrtPriceX96: priceOf(pool) }));
	return encodeFunctionData({ abi: makerAbi, functionName: "move", args: [moves, [], []] });
}

async function deploy(
	rpc: Rpc,
	{ send, keeper, ethUsd }: EconomyOptions & { send: Send },
): Promise<void> {
	const { RevenueRouter, BuybackBurner, TapelineToken } = compileFolder("contracts");
	if (!RevenueRouter || !BuybackBurner || !TapelineToken) throw new Error("a contract is missing");
	const { token, router, maker, searcher } = economyAddresses;
	const toPay = [payees.holders, payees.league, keeper, payees.treasury];
	const creations = [
		creationOf(TapelineToken, [TREASURER, SUPPLY]),
		creationOf(RevenueRouter, [TREASURER, toPay]),
		creationOf(BuybackBurner, [TREASURER, token, keeper, stockAddresses.router]),
	];
	const usd = { tape: TAPE_USD, eth: ethUsd };
	const gifts = [
		{ address: maker, raw: MAKER_TOKENS },
		{ address: searcher, raw: SEARCHER_TOKENS },
		...firstHolders,
	];
	const minting = await createSender(rpc, stockAddresses.issuer);
	const { usdg } = stockAddresses;
	await minting(
		[TREASURER, maker, searcher].map((to) => ({ to: usdg, data: mintingOf(to, DOLLARS) })),
	);
	const searching = await createSender(rpc, SEARCHER);
	await searching([{ data: makerOf(SEARCHER) }]);
	await send([
		{ data: makerOf(TREASURER) },
		...creations.map((creation) => ({ data: creation })),
		...gifts.map(({ address, raw }) => transferOf(address, raw)),
	]);
	const openings = tapeOpenings(usd).map((opening) => {
		const call = { abi: makerAbi, functionName: "open", args: [[opening]] } as const;
		return { to: maker, data: encodeFunctionData(call) };
	});
	await send([...openings, ...tapePools.map(makeRoom)]);
	await forgetPrices(rpc, tapePools);
	const code = await rpc.call("eth_getCode", [router, "latest"]);
	if (code === "0x") throw new Error("the router of revenue does not stand where it should");
}

function transferOf(to: Address, raw: bigint): SenderTx {
	const call = { abi: stockAbi, functionName: "transfer", args: [to, raw] } as const;
	return { to: economyAddresses.token, data: encodeFunctionData(call) };
}

function mintingOf(to: Address, units: bigint): Hex {
	const call = { abi: stockAbi, functionName: "mint", args: [to, units] } as const;
	return encodeFunctionData(call);
}

function approvalOf(spender: Address, units: bigint): Hex {
	const call = { abi: stockAbi, functionName: "approve", args: [spender, units] } as const;
	return encodeFunctionData(call);
}

function depositOf(source: string, paid?: { token: Address; units: bigint }): Hex {
	const abi = revenueRouterAbi;
	if (!paid) return encodeFunctionData({ abi, functionName: "deposit", args: [label(source)] });
	const args = [label(source), paid.token, paid.units] as const;
	return encodeFunctionData({ abi, functionName: "depositToken", args });
}

function label(source: string): Hex {
	return stringToHex(source, { size: 32 });
}

function makerOf(issuer: Address): Hex {
	const { weth, factory, v4Manager, v4StateView } = stockAddresses;
	return encodeDeployData({
		abi: makerAbi,
		bytecode: compileContracts().TokenMaker.creation,
		args: [issuer, weth, factory, v4Manager, v4StateView],
	});
}

function creationOf(
	{ abi, creation }: ReturnType<typeof compileFolder>[string],
	args: readonly unknown[],
): Hex {
	return encodeDeployData({ abi, bytecode: creation, args });
}
