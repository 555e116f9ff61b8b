import { describe, expect, test } from "bun:test";
import { CommandType, RoutePlanner } from "@uniswap/universal-router-sdk";
import { Actions, URVersion, V4Planner } from "@uniswap/v4-sdk";
import { decodeFunctionData, encodeFunctionData, parseAbi } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	encodeV4Swap,
	readV4Swap,
	type V4Hop,
	type V4Swap,
} from "#plugins/trading/quotes/v4Swap.ts";

// Guarantee: a swap through V4 pools is byte for byte what Uniswap's SDK writes for the universal
// router 2.1.1, and an independent reader finds every difference.

const abi = parseAbi([
	"function execute(bytes commands, bytes[] inputs, uint256 deadline) payable",
]);
const USDG: Address = "0x5fc5360d0400a0fd4f2af552add042d716f1d168";
const TSLA: Address = `0x${"11".repeat(20)}`;
const AAPL: Address = `0x${"f2".repeat(20)}`;
const RECIPIENT: Address = `0x${"a7".repeat(20)}`;
const WAYS: readonly (readonly Address[])[] = [
	[USDG, TSLA],
	[TSLA, USDG],
	[ZERO_ADDRESS, AAPL],
	[AAPL, ZERO_ADDRESS],
	[USDG, ZERO_ADDRESS, AAPL],
	[ZERO_ADDRESS, USDG, TSLA],
	[TSLA, USDG, AAPL, ZERO_ADDRESS],
];
const FEES = [
	{ fee: 500, tickSpacing: 10 },
	{ fee: 3_000, tickSpacing: 60 },
	{ fee: 8_388_608, tickSpacing: 200 },
];

const swaps: { name: string; swap: V4Swap }[] = WAYS.flatMap((way) =>
	(["in", "out"] as const).flatMap((exact) =>
		[1n, 987_654_321_987_654_321n].map((amountRaw) => {
			const hops = way.slice(1).map((tokenOut, at): V4Hop => {
				const { fee, tickSpacing } = FEES[at % FEES.length] as (typeof FEES)[number];
				return { tokenIn: way[at] as Address, tokenOut, fee, tickSpacing, hooks: ZERO_ADDRESS };
			});
			const limitRaw = amountRaw * 3n + 7n;
			const swap = {
				hops,
				exact,
				amountRaw,
				limitRaw,
				recipient: RECIPIENT,
				deadlineS: 1_900_000_123n,
			};
			return { name: `exact ${exact} over ${hops.length}, ${amountRaw}`, swap };
		}),
	),
);

/** Encodes the same swap with the official planners. */
function bySdk({ hops, exact, amountRaw, limitRaw, recipient, deadlineS }: V4Swap): Hex {
	const key = ({ fee, tickSpacing, hooks }: V4Hop, intermediateCurrency: Address) => {
		return { intermediateCurrency, fee, tickSpacing, hooks, hookData: "0x" };
	};
	const [tokenIn, tokenOut] = [hops[0]?.tokenIn, hops.at(-1)?.tokenOut] as [Address, Address];
	const [amount, limit] = [String(amountRaw), String(limitRaw)];
	const planner = new V4Planner();
	if (exact === "in") {
		const path = hops.map((hop) => key(hop, hop.tokenOut));
		const amounts = { amountIn: amount, amountOutMinimum: limit };
		const struct = { currencyIn: tokenIn, path, minHopPriceX36: [], ...amounts };
		planner.addAction(Actions.SWAP_EXACT_IN, [struct], URVersion.V2_1_1);
	} else {
		const path = hops.map((hop) => key(hop, hop.tokenIn));
		const amounts = { amountOut: amount, amountInMaximum: limit };
		const struct = { currencyOut: tokenOut, path, minHopPriceX36: [], ...amounts };
		planner.addAction(Actions.SWAP_EXACT_OUT, [struct], URVersion.V2_1_1);
	}
	planner.addAction(Actions.SETTLE_ALL, [tokenIn, exact === "in" ? amount : limit]);
	planner.addAction(Actions.TAKE_ALL, [tokenOut, exact === "in" ? limit : amount]);
	const route = new RoutePlanner();
	route.addCommand(CommandType.V4_SWAP, [planner.finalize()]);
	if (exact === "out" && tokenIn === ZERO_ADDRESS) {
		route.addCommand(CommandType.SWEEP, [ZERO_ADDRESS, recipient, "0"]);
	}
	const args = [route.commands as Hex, route.inputs as Hex[], deadlineS] as const;
	return encodeFunctionData({ abi, functionName: "execute", args });
}

describe("a V4 swap is written as the official planners write it, and is read back", () => {
	for (const { name, swap } of swaps) {
		test(name, () => {
			const { data, valueRaw } = encodeV4Swap(swap);
			expect(data).toBe(bySdk(swap));
			const isNative = swap.hops[0]?.tokenIn === ZERO_ADDRESS;
			const mostRaw = swap.exact === "in" ? swap.amountRaw : swap.limitRaw;
			expect(valueRaw).toBe(isNative ? mostRaw : 0n);
			expect(readV4Swap({ data, valueRaw, sender: RECIPIENT })).toEqual(swap);
		});
	}
});

test("a digit that is changed, added or left out anywhere makes another swap, or none", () => {
	for (const { swap } of swaps) {
		const { data, valueRaw } = encodeV4Swap(swap);
		for (let at = 2; at < data.length; at += 7) {
			const digit = data[at] === "0" ? "1" : "0";
			const spoiled = `${data.slice(0, at)}${digit}${data.slice(at + 1)}` as Hex;
			expect(readV4Swap({ data: spoiled, valueRaw, sender: RECIPIENT })).not.toEqual(swap);
		}
		const longer = `${data}${"00".repeat(32)}` as Hex;
		expect(readV4Swap({ data: longer, valueRaw, sender: RECIPIENT })).toBeNull();
		expect(readV4Swap({ data, valueRaw: valueRaw + 1n, sender: RECIPIENT })).toBeNull();
	}
});

test("calldata of the router before 2.1.1 is not taken for a swap", () => {
	const [first] = swaps;
	const { hops, amountRaw, limitRaw, deadlineS } = (first as (typeof swaps)[number]).swap;
	const [hop] = hops as [V4Hop];
	const { fee, tickSpacing, hooks } = hop;
	const planner = new V4Planner();
	const path = [{ intermediateCurrency: hop.tokenOut, fee, tickSpacing, hooks, hookData: "0x" }];
	const amounts = { amountIn: String(amountRaw), amountOutMinimum: String(limitRaw) };
	const struct = { currencyIn: hop.tokenIn, path, ...amounts };
	planner.addAction(Actions.SWAP_EXACT_IN, [struct], URVersion.V2_0);
	planner.addAction(Actions.SETTLE_ALL, [hop.tokenIn, String(amountRaw)]);
	planner.addAction(Actions.TAKE_ALL, [hop.tokenOut, String(limitRaw)]);
	const route = new RoutePlanner();
	route.addCommand(CommandType.V4_SWAP, [planner.finalize()]);
	const args = [route.commands as Hex, route.inputs as Hex[], deadlineS] as const;
	const data = encodeFunctionData({ abi, functionName: "execute", args });
	expect(decodeFunctionData({ abi, data }).functionName).toBe("execute");
	expect(readV4Swap({ data, valueRaw: 0n, sender: RECIPIENT })).toBeNull();
});
