import {
	type Address,
	concatHex,
	encodeAbiParameters,
	encodeFunctionData,
	type Hex,
	parseAbi,
	parseAbiParameters,
} from "viem";

const executeAbi = parseAbi([
	"function execute(bytes commands, bytes[] inputs, uint256 deadline) payable",
]);
/** Since 2.1.1 a V3 swap has a least price for each hop; an empty list sets no limit. */
const swapInput = parseAbiParameters(
	"address recipient, uint256 amount, uint256 bound, bytes path, bool payerIsUser, uint256[] minHopPriceX36",
);
const wrapInput = parseAbiParameters("address recipient, uint256 amount");
const COMMANDS = { swapIn: "0x00", swapOut: "0x01", wrap: "0x0b", unwrap: "0x0c" } as const;
/** The router's placeholder for its own address. */
const ROUTER: Address = "0x0000000000000000000000000000000000000002";

export type UniversalSwap = {
	exact: "in" | "out";
	ways: readonly { path: Hex; amount: bigint; bound: bigint }[];
	recipient: Address;
	isNativeIn: boolean;
	isNativeOut: boolean;
	/** The most that is paid, and the least that is received. */
	most: bigint;
	least: bigint;
	deadlineS: bigint;
};

/** Returns the universal router's calldata (2.1.1) for swaps through V3 pools. */
export function encodeUniversal(swap: UniversalSwap): Hex {
	const { exact, ways, recipient, isNativeIn, isNativeOut, most, least, deadlineS } = swap;
	const command = exact === "in" ? COMMANDS.swapIn : COMMANDS.swapOut;
	const to = isNativeOut ? ROUTER : recipient;
	const swaps = ways.map(({ path, amount, bound }) => ({
		command,
		input: encodeAbiParameters(swapInput, [to, amount, bound, path, !isNativeIn, []]),
	}));
	const wrap = { command: COMMANDS.wrap, input: encodeAbiParameters(wrapInput, [ROUTER, most]) };
	const out = encodeAbiParameters(wrapInput, [recipient, least]);
	const unwrap = { command: COMMANDS.unwrap, input: out };
	const steps = [...(isNativeIn ? [wrap] : []), ...swaps, ...(isNativeOut ? [unwrap] : [])];
	const commands = concatHex(steps.map((step) => step.command));
	const inputs = steps.map(({ input }) => input);
	return encodeFunctionData({ abi: executeAbi, args: [commands, inputs, deadlineS] });
}
