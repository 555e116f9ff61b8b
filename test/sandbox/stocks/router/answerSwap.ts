// Answers the hosted router's `POST /swap` and `POST /check_approval`.

import {
	type Address,
	concatHex,
	decodeFunctionResult,
	encodeAbiParameters,
	encodeFunctionData,
	getAddress,
	type Hex,
	isHex,
	maxUint256,
	numberToHex,
	parseAbi,
	parseAbiParameters,
	toHex,
	zeroAddress,
} from "viem";
import { z } from "zod";
import type { Rpc } from "../../createRpc.ts";
import type { FaultDesk } from "../../emulatorFaults.ts";
import { stockAbi } from "../stockCatalogue.ts";
import type { RouterFault } from "./RouterFault.ts";
import { lessen, UNIVERSAL_ROUTER } from "./renderQuote.ts";
import {
	approvalAnswer,
	type PoolStep,
	type QuoteAnswer,
	swapAnswer,
	swapRequest,
} from "./routerWire.ts";

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

type Desk = {
	desk: FaultDesk<RouterFault>;
	quotedAtMs: ReadonlyMap<string, number>;
	nowMs: number;
	lied<Answer>(path: string, answer: Answer): Answer;
};
type Quote = QuoteAnswer["quote"];
type Bounds = { recipient: Address; deadlineS: number; least: bigint; most: bigint };

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

const QUOTE_MS = 30_000;
const DEADLINE_S = 1_200;
const PERMIT2: Address = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const Word = z.custom<Hex>((value) => isHex(value));
const Ask = z.looseObject({ walletAddress: z.string(), token: z.string(), amount: z.string() });

/** Answers `POST /swap`: returns the quote in the request as calldata of the universal router. */
export async function answerSwap(request: Request, given: Desk): Promise<Response> {
	const { desk, nowMs, quotedAtMs, lied } = given;
	const read = swapRequest.safeParse(await request.json().catch(() => null));
	if (!read.success) return refuse("RequestValidationError", read.error.message, 400);
	const replaced = desk.take("/swap", "answer").at(-1);
	if (replaced) return Response.json(replaced.body);
	const { quote, deadline } = read.data;
	const madeAtMs = quotedAtMs.get(quote.quoteId);
	if (madeAtMs === undefined) return refuse("ResourceNotFound", "No such quote", 404);
	const isOld = nowMs - madeAtMs > QUOTE_MS || desk.take("/swap", "expired").length > 0;
	const amounts = { in: BigInt(quote.input.amount), out: BigInt(quote.output.amount) };
	const isIn = quote.tradeType === "EXACT_INPUT";
	const lie = desk.take("/swap", "calldata").at(-1);
	const bounds = {
		recipient: getAddress(lie?.recipient ?? quote.output.recipient),
		deadlineS: lie?.deadlineS ?? deadline ?? Math.floor(nowMs / 1_000) + DEADLINE_S,
		least: BigInt(lie?.minimum ?? (isIn ? lessen(amounts.out, quote.slippage) : amounts.out)),
		most: isIn
			? amounts.in
			: (amounts.in * BigInt(Math.round(1e6 + quote.slippage * 1e4))) / 1_000_000n,
	};
	const answer = swapAnswer.parse({
		requestId: `swap-${quote.quoteId}`,
		swap: {
			to: UNIVERSAL_ROUTER,
			from: quote.swapper,
			data: isOld ? "0x" : calldataOf(quote, bounds),
			value: evenHex(quote.input.token === zeroAddress ? bounds.most : 0n),
			chainId: quote.chainId,
		},
		gasFee: quote.gasFee,
	});
	return Response.json(lied("/swap", answer));
}

/** Returns the universal router's calldata (2.1.1) for swaps through V3 pools. */
function encodeUniversal(swap: UniversalSwap): Hex {
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

/** Answers `POST /check_approval`: an unlimited approval, where Permit2's is too low. */
export async function answerApproval(request: Request, rpc: Rpc): Promise<Response> {
	const read = Ask.safeParse(await request.json().catch(() => null));
	if (!read.success) return refuse("RequestValidationError", read.error.message, 400);
	const { walletAddress, token, amount } = read.data;
	const requestId = "approval";
	if (token === zeroAddress) return Response.json({ requestId, approval: null, cancel: null });
	const args = [getAddress(walletAddress), PERMIT2] as const;
	const data = encodeFunctionData({ abi: stockAbi, functionName: "allowance", args });
	const answer = Word.parse(await rpc.call("eth_call", [{ to: token, data }, "latest"]));
	const allowed = decodeFunctionResult({ abi: stockAbi, functionName: "allowance", data: answer });
	const approve = encodeFunctionData({
		...{ abi: stockAbi, functionName: "approve", args: [PERMIT2, maxUint256] },
	});
	const approval =
		allowed >= BigInt(amount)
			? null
			: { to: token, from: walletAddress, data: approve, value: "0x00", chainId: 4663 };
	return Response.json(approvalAnswer.parse({ requestId, approval, cancel: null }));
}

function refuse(errorCode: string, detail: string, status: number): Response {
	return Response.json({ errorCode, detail: detail.slice(0, 500) }, { status });
}

function calldataOf(quote: Quote, { recipient, deadlineS, least, most }: Bounds): Hex {
	const isIn = quote.tradeType === "EXACT_INPUT";
	const [isNativeIn, isNativeOut] = [quote.input.token, quote.output.token].map(
		(token) => token === zeroAddress,
	);
	const total = isIn ? BigInt(quote.input.amount) : BigInt(quote.output.amount);
	const ways = quote.route.map((steps) => {
		const amount = BigInt((isIn ? steps[0]?.amountIn : steps.at(-1)?.amountOut) ?? 0);
		// Each route's share of the whole bound, by its part of the exact side.
		const bound = total > 0n ? ((isIn ? least : most) * amount) / total : 0n;
		return { path: pathOf(steps, isIn), amount, bound };
	});
	return encodeUniversal({
		exact: isIn ? "in" : "out",
		...{ ways, recipient, most, least, deadlineS: BigInt(deadlineS) },
		...{ isNativeIn: isNativeIn === true, isNativeOut: isNativeOut === true },
	});
}

function pathOf(steps: readonly PoolStep[], isIn: boolean): Hex {
	const tokens = [steps[0]?.tokenIn, ...steps.map(({ tokenOut }) => tokenOut)];
	const names = tokens.map((token) => lower(token?.address ?? zeroAddress));
	const fees = steps.map(({ fee }) => numberToHex(Number(fee), { size: 3 }));
	const [at, of] = isIn ? [names, fees] : [names.reverse(), fees.reverse()];
	return concatHex(at.flatMap((name, index) => [name, ...of.slice(index, index + 1)]));
}

/** Converts to lower case; mixed-case hex would stay so in the calldata. */
function lower(address: string): Hex {
	return Word.parse(address.toLowerCase());
}

function evenHex(value: bigint): Hex {
	const hex = toHex(value).slice(2);
	return `0x${hex.length % 2 === 0 ? "" : "0"}${hex}`;
}
