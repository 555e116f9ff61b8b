import { type Abi, type AbiFunction, concatHex, encodeFunctionData, type Hex } from "viem";
import { seaportAbi } from "../../order/seaportAbi.ts";

export type FulfilmentAnswer = {
	fulfillment_data: {
		transaction: {
			function: string;
			chain: number;
			to: Hex;
			value: string;
			input_data: Record<string, unknown>;
			calldata_suffix?: Hex;
		};
	};
};

/** Encodes a fulfilment as a client does: by the function's name and the members of the input. */
export function encodeFulfilment({ fulfillment_data: { transaction } }: FulfilmentAnswer) {
	const name = transaction.function.split("(")[0] ?? "";
	const abi: Abi = seaportAbi;
	const item = abi.find((one): one is AbiFunction => one.type === "function" && one.name === name);
	const args = (item?.inputs ?? []).map((input) =>
		revive(transaction.input_data[input.name ?? ""]),
	);
	const data = encodeFunctionData({ abi, functionName: name, args });
	const value = `0x${BigInt(transaction.value).toString(16)}` as Hex;
	return {
		to: transaction.to,
		value,
		data: concatHex([data, transaction.calldata_suffix ?? "0x"]),
	};
}

function revive(value: unknown): unknown {
	if (typeof value === "string" && /^\d+$/.test(value)) return BigInt(value);
	if (Array.isArray(value)) return value.map(revive);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revive(inner)]));
}
