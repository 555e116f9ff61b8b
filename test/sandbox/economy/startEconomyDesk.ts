// Starts the searcher, and the port at which people move the economy.

import {
	type Address,
	decodeFunctionData,
	decodeFunctionResult,
	encodeFunctionData,
	type Hex,
	isAddress,
	isHex,
	toFunctionSelector,
	toHex,
} from "viem";
import { z } from "zod";
import { sleep } from "#core/time.ts";
import { buybackBurnerAbi } from "#plugins/tokenomics/contracts/abi.ts";
import { createRpc, type Rpc } from "../createRpc.ts";
import { keeperWallet } from "../custody/people.ts";
import { createFaultDesk } from "../emulatorFaults.ts";
import type { Pool } from "../stocks/describeStockWorld.ts";
import { stockAddresses } from "../stocks/stockCatalogue.ts";
import {
	economyAddresses,
	economySettings,
	oracleAbi,
	SEARCHER,
	tapePools,
} from "./describeEconomy.ts";
import { type Economy, movement } from "./openEconomy.ts";

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

type Purchase = z.output<typeof Pending>;

const TransactionPool = z.object({ pending: z.record(z.string(), z.record(z.string(), Pending)) });

const order = {
	path: z.string().max(200).optional(),
	/** How many purchases; for ever without it. */
	times: z.int().min(1).optional(),
};

/** What goes wrong with a purchase, as `POST /_sandbox/faults` takes it. */
const EconomyFault = z.discriminatedUnion("kind", [
	/** Somebody makes the token dearer by so much right before the purchase, in the same block. */
	z.object({
		...order,
		kind: z.literal("sandwich"),
		bps: z.int().min(1).max(5_000).default(40),
	}),
]);
type EconomyFault = z.output<typeof EconomyFault>;

export type EconomyDesk = {
	url: string;
	fault(order: z.input<typeof EconomyFault>): void;
	clearFaults(): void;
	/** The searcher mines all blocks now. */
	isSearching(): boolean;
	sandwiches(): readonly Sandwich[];
	stop(): Promise<void>;
};

const wei = z
	.string()
	.regex(/^\d{1,30}$/)
	.transform(BigInt);
const account = z.custom<Address>((value) => typeof value === "string" && isAddress(value));

/** One thing done to the economy, as `POST /_sandbox/world` takes it. */
const Hand = z.discriminatedUnion("do", [
	/** Dollars of one token and of one ether, where all pools go. */
	z.object({ do: z.literal("price"), tape: z.number().positive(), eth: z.number().positive() }),
	/** All pools of a fee. */
	z.object({
		do: z.literal("drain"),
		fee: z.int(),
		keepBps: z.int().min(0).max(10_000).default(0),
	}),
	z.object({ do: z.literal("pay"), source: z.string().min(1).max(32), wei }),
	/** What the keeper has for gas, and to spend. */
	z.object({ do: z.literal("purse"), wei }),
	z.object({ do: z.literal("give"), to: account, raw: wei }),
]);
type Hand = z.output<typeof Hand>;

const SANDWICH = "/sandwich";

/** Starts the searcher, and the port at which people move the economy and order what goes wrong. */
export function startEconomyDesk(options: {
	economy: Economy;
	rpcUrl: string;
	port?: number | undefined;
}): EconomyDesk {
	const { economy, rpcUrl, port = 0 } = options;
	const rpc = createRpc(rpcUrl);
	const desk = createFaultDesk<EconomyFault>(EconomyFault);
	const searcher = startSearcher({
		rpc,
		isWanted: () => desk.has("sandwich"),
		takeBps: () => desk.take(SANDWICH, "sandwich")[0]?.bps,
	});

	async function lend(hand: Hand): Promise<void> {
		switch (hand.do) {
			case "price":
				return await economy.movePrice(hand);
			case "drain":
				for (const pool of economy.pools) {
					if (pool.fee === hand.fee) await economy.drain(pool, hand.keepBps);
				}
				return;
			case "pay":
				return await economy.payCoins(hand.source, hand.wei);
			case "purse":
				await rpc.call("anvil_setBalance", [keeperWallet().address, toHex(hand.wei)]);
				return;
			case "give":
				return await economy.give(hand.to, hand.raw);
		}
	}

	async function answerHand(request: Request): Promise<Response> {
		const hand = Hand.safeParse(await request.json().catch(() => null));
		if (!hand.success) return Response.json({ detail: hand.error.message }, { status: 400 });
		try {
			await lend(hand.data);
			return Response.json({ done: hand.data.do });
		} catch (cause) {
			const detail = cause instanceof Error ? cause.message : String(cause);
			return Response.json({ detail }, { status: 409 });
		}
	}

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port,
		idleTimeout: 0,
		fetch: (request) => {
			const { pathname } = new URL(request.url);
			if (pathname === "/_sandbox/world" && request.method === "POST") return answerHand(request);
			return desk.serve(request, async () =>
				Response.json({ ...economySettings(), sandwiches: searcher.sandwiches() }),
			);
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		fault: (fault) => desk.add(EconomyFault.parse(fault)),
		clearFaults: desk.clear,
		isSearching: searcher.isSearching,
		sandwiches: searcher.sandwiches,
		async stop() {
			desk.stop();
			await searcher.stop();
			await server.stop(true);
		},
	};
}

/**
 * Starts somebody who sandwiches purchases of the burner: while it is wanted it holds the chain's
 * blocks back, puts a price that it moved before the purchase and moves it back after it, all in
 * one block. What others ask to be mined meanwhile is mined, and may slip through.
 */
function startSearcher({ rpc, isWanted, takeBps }: SearcherOptions): Searcher {
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

/** Returns the root of a dearer price: half as many parts of the root are enough. */
function dearer({ token0 }: Pool, sqrtPriceX96: bigint, bps: number): bigint {
	const more = 20_000n + BigInt(bps);
	const isFirst = token0.toLowerCase() === economyAddresses.token.toLowerCase();
	return isFirst ? (sqrtPriceX96 * more) / 20_000n : (sqrtPriceX96 * 20_000n) / more;
}
