import {
	type Address,
	decodeFunctionData,
	decodeFunctionResult,
	encodeFunctionData,
	type Hex,
	isHex,
	toFunctionSelector,
	toHex,
} from "viem";
import { z } from "zod";
import { sleep } from "#core/time/sleep.ts";
import { buybackBurnerAbi } from "#plugins/tokenomics/contracts/abi.ts";
import type { Rpc } from "../Rpc.ts";
import type { Pool } from "../stocks/describeStockWorld.ts";
import { stockAddresses } from "../stocks/stockAddresses.ts";
import { economyAddresses, SEARCHER, tapePools } from "./describeEconomy.ts";
import { oracleAbi } from "./economyAbi.ts";
import { movement } from "./openEconomy.ts";

export type Sandwich = { front: Hex; victim: Hex; back: Hex };

export type SearcherOptions = {
	rpc: Rpc;
	/** Whether it waits for a purchase. */
	isWanted(): boolean;
	/** How much dearer it makes the token before the next purchase, in hundredths of a per cent. */
	takeBps(): number | undefined;
};

export type Searcher = {
	/** It mines all blocks now: a transaction waits until it was looked at. */
	isSearching(): boolean;
	/** What it did, oldest first. */
	sandwiches(): readonly Sandwich[];
	stop(): Promise<void>;
};

const LOOK_EVERY_MS = 15;
const KEPT_MAX = 1_000;
const GAS = toHex(5_000_000);
const FEE = toHex(10n ** 12n);
const NATIVE = `0x${"0".repeat(40)}`;
const BUY = toFunctionSelector("buyAndBurn(address,uint256,uint24,uint256,uint256)");
const hex = z.custom<Hex>((value) => isHex(value));
const Pending = z.object({
	hash: hex,
	to: z.string().nullable(),
	input: hex,
	maxFeePerGas: hex.optional(),
	gasPrice: hex.optional(),
});
const TransactionPool = z.object({ pending: z.record(z.string(), z.record(z.string(), Pending)) });

/**
 * Starts somebody who sandwiches purchases of the burner: while it is wanted it holds the chain's
 * blocks back, puts a price that it moved before the purchase and moves it back after it, all in
 * one block. What others ask to be mined meanwhile is mined, and may slip through.
 */
export function startSearcher({ rpc, isWanted, takeBps }: SearcherOptions): Searcher {
	const stopping = new AbortController();
	const done: Sandwich[] = [];
	let isOn = false;
	async function look(): Promise<void> {
		if (isWanted() !== isOn) {
			isOn = !isOn;
			await rpc.call("evm_setAutomine", [!isOn]);
			if (!isOn) await rpc.call("evm_mine", []);
		}
		if (!isOn) return;
		const { pending } = TransactionPool.parse(await rpc.call("txpool_content", []));
		const waiting = Object.values(pending).flatMap((ofOne) => Object.values(ofOne));
		if (waiting.length === 0) return;
		const victim = waiting.find(isPurchase);
		const bps = victim && takeBps();
		if (victim && bps !== undefined) {
			const sandwich = await surround(rpc, victim, bps);
			if (sandwich) done.push(sandwich);
			if (done.length > KEPT_MAX) done.shift();
		}
		await rpc.call("evm_mine", []);
	}
	const running = (async () => {
		while (!stopping.signal.aborted) {
			// A node that is gone ends the sandbox; one that is slow is asked again.
			await look().catch(() => {});
			await sleep(LOOK_EVERY_MS, stopping.signal);
		}
	})();
	return {
		isSearching: () => isOn,
		sandwiches: () => [...done],
		async stop() {
			stopping.abort();
			await running;
			if (isOn) await rpc.call("evm_setAutomine", [true]).catch(() => {});
		},
	};
}

type Purchase = z.output<typeof Pending>;

function isPurchase({ to, input }: Purchase): boolean {
	return to?.toLowerCase() === economyAddresses.burner.toLowerCase() && input.startsWith(BUY);
}

/** Takes the purchase out of the pool and puts it back between two moves of the price. */
async function surround(
	rpc: Rpc,
	{ hash, input, maxFeePerGas, gasPrice = FEE }: Purchase,
	bps: number,
): Promise<Sandwich | null> {
	const pool = poolOf(input);
	const raw = await rpc.call("eth_getRawTransactionByHash", [hash]);
	if (!pool || !isHex(raw)) return null;
	const price = await priceOf(rpc, pool);
	await rpc.batch([
		{ method: "anvil_impersonateAccount", params: [SEARCHER] },
		{ method: "anvil_dropTransaction", params: [hash] },
	]);
	const front = await move(rpc, { pool, to: dearer(pool, price, bps), fee: FEE });
	const victim = hex.parse(await rpc.call("eth_sendRawTransaction", [raw]));
	const less = toHex(BigInt(maxFeePerGas ?? gasPrice) - 1n);
	const back = await move(rpc, { pool, to: price, fee: less });
	return { front, victim, back };
}

function poolOf(input: Hex): Pool | undefined {
	const { functionName, args } = decodeFunctionData({ abi: buybackBurnerAbi, data: input });
	if (functionName !== "buyAndBurn") return undefined;
	const [paidWith, , fee] = args;
	const asked = paidWith === NATIVE ? stockAddresses.weth : paidWith;
	const isOf = (address: Address) => address.toLowerCase() === asked.toLowerCase();
	return tapePools.find((pool) => pool.fee === fee && (isOf(pool.token0) || isOf(pool.token1)));
}

async function priceOf(rpc: Rpc, { address }: Pool): Promise<bigint> {
	const call = { abi: oracleAbi, functionName: "slot0" } as const;
	const asked = [{ to: address, data: encodeFunctionData(call) }, "latest"];
	return decodeFunctionResult({ ...call, data: hex.parse(await rpc.call("eth_call", asked)) })[0];
}

/** Returns the root of a dearer price: half as many parts of the root are enough. */
function dearer({ token0 }: Pool, sqrtPriceX96: bigint, bps: number): bigint {
	const more = 20_000n + BigInt(bps);
	const isFirst = token0.toLowerCase() === economyAddresses.token.toLowerCase();
	return isFirst ? (sqrtPriceX96 * more) / 20_000n : (sqrtPriceX96 * 20_000n) / more;
}

/** Sends a move of the price. Its fee says where it stands, else the order of sending does. */
async function move(
	rpc: Rpc,
	{ pool, to, fee }: { pool: Pool; to: bigint; fee: Hex },
): Promise<Hex> {
	const call = { from: SEARCHER, to: economyAddresses.searcher, gas: GAS };
	const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: "0x1" };
	const data = movement([pool], () => to);
	return hex.parse(await rpc.call("eth_sendTransaction", [{ ...call, ...fees, data }]));
}
