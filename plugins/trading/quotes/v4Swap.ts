import {
	concat,
	decodeAbiParameters,
	decodeFunctionData,
	encodeAbiParameters,
	encodeFunctionData,
	parseAbi,
	parseAbiParameters,
} from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";

/** A Uniswap V4 pool on a route. The zero address means the native coin. */
export type V4Hop = {
	tokenIn: Address;
	tokenOut: Address;
	fee: number;
	tickSpacing: number;
	/** The zero address means no hooks; others are used only if the configuration names them. */
	hooks: Address;
};

/** A swap through V4 pools. The sender receives the bought token. */
export type V4Swap = {
	hops: readonly V4Hop[];
	exact: "in" | "out";
	amountRaw: bigint;
	limitRaw: bigint;
	recipient: Address;
	deadlineS: bigint;
};

const abi = parseAbi([
	"function execute(bytes commands, bytes[] inputs, uint256 deadline) payable",
]);

/** Commands of the universal router, and actions of its V4 swap. */
const V4_SWAP: Hex = "0x10";
const SWEEP: Hex = "0x04";
const SWAP_EXACT_IN: Hex = "0x07";
const SWAP_EXACT_OUT: Hex = "0x09";
const SETTLE_ALL: Hex = "0x0c";
const TAKE_ALL: Hex = "0x0f";

// Since 2.1.1 a least price per pool comes before the amounts; an empty list sets none.
const PATH_KEY =
	"struct PathKey { address intermediateCurrency; uint256 fee; int24 tickSpacing; address hooks; bytes hookData; }";
const exactInput = parseAbiParameters([
	"Params params",
	"struct Params { address currencyIn; PathKey[] path; uint256[] minHopPriceX36; uint128 amountIn; uint128 amountOutMinimum; }",
	PATH_KEY,
]);
const exactOutput = parseAbiParameters([
	"Params params",
	"struct Params { address currencyOut; PathKey[] path; uint256[] minHopPriceX36; uint128 amountOut; uint128 amountInMaximum; }",
	PATH_KEY,
]);
const currencyAmount = parseAbiParameters("address currency, uint256 amount");
const actionList = parseAbiParameters("bytes actions, bytes[] params");
const sweepInput = parseAbiParameters("address token, address recipient, uint256 amountMinimum");
/** The layout of both exact forms. */
const swapInput = parseAbiParameters([
	"Params params",
	"struct Params { address currency; Key[] path; uint256[] minHopPriceX36; uint128 amount; uint128 limit; }",
	"struct Key { address currency; uint256 fee; int24 tickSpacing; address hooks; bytes hookData; }",
]);

const ACTIONS: Readonly<Record<string, "in" | "out">> = { "0x070c0f": "in", "0x090c0f": "out" };

/**
 * Parses calldata for the universal router 2.1.1 as a swap through V4 pools. Null for everything
 * that is not exactly one, to the last byte: pools with hook data, prices for single pools, other
 * recipients, commands that may fail.
 */
export function readV4Swap(given: { data: Hex; valueRaw: bigint; sender: Address }): V4Swap | null {
	const { data, valueRaw, sender } = given;
	try {
		const swap = read(data, sender);
		if (!swap) return null;
		// Re-encoding proves that these bytes, and no others, mean this swap.
		const again = encodeV4Swap(swap);
		return again.data === data && again.valueRaw === valueRaw ? swap : null;
	} catch {
		return null;
	}
}

/**
 * Encodes a swap through V4 pools for the universal router 2.1.1: swap, pay what is owed within the
 * limit, take what is due. Unused coins are swept back. Older routers use another layout.
 */
export function encodeV4Swap(swap: V4Swap): { data: Hex; valueRaw: bigint } {
	const { hops, exact, amountRaw, limitRaw, recipient, deadlineS } = swap;
	const first = hops[0];
	const last = hops.at(-1);
	assert(first && last, "a swap goes through a pool");
	assert(amountRaw > 0n && limitRaw > 0n, "a swap of nothing is none");
	const isExactIn = exact === "in";
	const mostRaw = isExactIn ? amountRaw : limitRaw;
	const leastRaw = isExactIn ? limitRaw : amountRaw;
	const actions = concat([isExactIn ? SWAP_EXACT_IN : SWAP_EXACT_OUT, SETTLE_ALL, TAKE_ALL]);
	const params = [
		isExactIn ? exactInputParams(swap) : exactOutputParams(swap),
		encodeAbiParameters(currencyAmount, [first.tokenIn, mostRaw]),
		encodeAbiParameters(currencyAmount, [last.tokenOut, leastRaw]),
	];
	const isNativeIn = first.tokenIn === ZERO_ADDRESS;
	const inputs = [encodeAbiParameters(actionList, [actions, params])];
	const commands: Hex[] = [V4_SWAP];
	if (isNativeIn && !isExactIn) {
		commands.push(SWEEP);
		inputs.push(encodeAbiParameters(sweepInput, [ZERO_ADDRESS, recipient, 0n]));
	}
	const args = [concat(commands), inputs, deadlineS] as const;
	const data = encodeFunctionData({ abi, functionName: "execute", args });
	return { data, valueRaw: isNativeIn ? mostRaw : 0n };
}

function read(data: Hex, sender: Address): V4Swap | null {
	const [commands, inputs, deadlineS] = decodeFunctionData({ abi, data }).args;
	const [first, second] = inputs;
	if (first === undefined || (commands !== "0x10" && commands !== "0x1004")) return null;
	const [actions, params] = decodeAbiParameters(actionList, first);
	const exact = ACTIONS[actions];
	const [swapBytes, settleBytes, takeBytes] = params;
	if (!exact || !swapBytes || !settleBytes || !takeBytes) return null;
	const [{ currency, path, minHopPriceX36, amount, limit }] = decodeAbiParameters(
		swapInput,
		swapBytes,
	);
	if (minHopPriceX36.length > 0 || path.some(({ hookData }) => hookData !== "0x")) return null;
	const tokens = path.map((key) => lower(key.currency));
	const ends = lower(currency);
	const way = exact === "in" ? [ends, ...tokens] : [...tokens, ends];
	const hops = path.map(({ fee, tickSpacing, hooks }, at): V4Hop => {
		const [tokenIn = ZERO_ADDRESS, tokenOut = ZERO_ADDRESS] = way.slice(at, at + 2);
		return { tokenIn, tokenOut, fee: Number(fee), tickSpacing, hooks: lower(hooks) };
	});
	const [paid, most] = decodeAbiParameters(currencyAmount, settleBytes);
	const [taken, least] = decodeAbiParameters(currencyAmount, takeBytes);
	const [mostRaw, leastRaw] = exact === "in" ? [amount, limit] : [limit, amount];
	if (lower(paid) !== way[0] || most !== mostRaw) return null;
	if (lower(taken) !== way.at(-1) || least !== leastRaw) return null;
	const recipient =
		second === undefined ? sender : lower(decodeAbiParameters(sweepInput, second)[1]);
	if (recipient !== sender) return null;
	return { hops, exact, amountRaw: amount, limitRaw: limit, recipient, deadlineS };
}

function lower(address: Hex): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}

function exactInputParams({ hops, amountRaw, limitRaw }: V4Swap): Hex {
	const path = hops.map((hop) => pathKey(hop, hop.tokenOut));
	const currencyIn = hops[0]?.tokenIn ?? ZERO_ADDRESS;
	const amounts = { amountIn: amountRaw, amountOutMinimum: limitRaw };
	return encodeAbiParameters(exactInput, [{ currencyIn, path, minHopPriceX36: [], ...amounts }]);
}

function pathKey(
	{ fee, tickSpacing, hooks }: V4Swap["hops"][number],
	intermediateCurrency: V4Swap["hops"][number]["tokenIn"],
) {
	return { intermediateCurrency, fee: BigInt(fee), tickSpacing, hooks, hookData: "0x" as const };
}

/**
 * Encodes an exact output: each key names the token before its pool, because the router walks the
 * route from its end.
 */
function exactOutputParams({ hops, amountRaw, limitRaw }: V4Swap): Hex {
	const path = hops.map((hop) => pathKey(hop, hop.tokenIn));
	const currencyOut = hops.at(-1)?.tokenOut ?? ZERO_ADDRESS;
	const amounts = { amountOut: amountRaw, amountInMaximum: limitRaw };
	return encodeAbiParameters(exactOutput, [{ currencyOut, path, minHopPriceX36: [], ...amounts }]);
}
