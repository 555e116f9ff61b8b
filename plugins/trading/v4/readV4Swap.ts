import { decodeAbiParameters, decodeFunctionData, parseAbi, parseAbiParameters } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { encodeV4Swap, type V4Hop, type V4Swap } from "#plugins/trading/v4/encodeV4Swap.ts";

const abi = parseAbi([
	"function execute(bytes commands, bytes[] inputs, uint256 deadline) payable",
]);
const actionList = parseAbiParameters("bytes actions, bytes[] params");
const currencyAmount = parseAbiParameters("address currency, uint256 amount");
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
