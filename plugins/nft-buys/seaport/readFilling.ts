import { getAbiItem, toFunctionSignature } from "viem";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { seaportAbi } from "#plugins/nft-buys/abi/seaportAbi.ts";
import { expandBasicOrder } from "#plugins/nft-buys/seaport/expandBasicOrder.ts";
import type { Filling, FillingFunction } from "#plugins/nft-buys/seaport/Filling.ts";
import { wireOrder } from "#plugins/nft-buys/seaport/wireOrder.ts";
import type { ProviderFulfilment } from "#plugins/provider/contract.ts";

const FUNCTIONS: readonly FillingFunction[] = [
	"fulfillBasicOrder",
	"fulfillBasicOrder_efficient_6GL6yc",
	"fulfillOrder",
	"fulfillAdvancedOrder",
];
/** By the whole signature: a struct with one more member is another function. */
const BY_SIGNATURE = new Map(
	FUNCTIONS.map((name) => [toFunctionSignature(getAbiItem({ abi: seaportAbi, name })), name]),
);

/** Parses what a fulfilment would do; checks nothing yet. A text names the failure. */
export function readFilling({
	transaction,
}: ProviderFulfilment): Filling | "function" | "unreadable" {
	const call = BY_SIGNATURE.get(transaction.function);
	if (!call) return "function";
	const { inputData } = transaction;
	if (call === "fulfillOrder") return readPlain(inputData);
	if (call === "fulfillAdvancedOrder") return readAdvanced(inputData);
	return readBasic(inputData, call);
}

function readBasic(input: unknown, call: FillingFunction): Filling | "unreadable" {
	const basic = wireOrder.fulfillBasicOrder.safeParse(input).data?.parameters;
	const parameters = basic && expandBasicOrder(basic);
	if (!basic || !parameters) return "unreadable";
	const { signature, fulfillerConduitKey } = basic;
	return { ...WHOLE, call, parameters, signature, fulfillerConduitKey };
}

function readPlain(input: unknown): Filling | "unreadable" {
	const { data } = wireOrder.fulfillOrder.safeParse(input);
	if (!data) return "unreadable";
	const { order, fulfillerConduitKey } = data;
	return { ...WHOLE, call: "fulfillOrder", ...order, fulfillerConduitKey };
}

function readAdvanced(input: unknown): Filling | "unreadable" {
	const { data } = wireOrder.fulfillAdvancedOrder.safeParse(input);
	if (!data) return "unreadable";
	const { advancedOrder, criteriaResolvers, fulfillerConduitKey, recipient } = data;
	const resolvers = criteriaResolvers.length;
	return {
		call: "fulfillAdvancedOrder",
		...advancedOrder,
		fulfillerConduitKey,
		recipient,
		resolvers,
	};
}

/** Members of functions that fill the whole order for their sender. */
const WHOLE = {
	numerator: 1n,
	denominator: 1n,
	extraData: "0x",
	recipient: ZERO_ADDRESS,
	resolvers: 0,
} as const;
