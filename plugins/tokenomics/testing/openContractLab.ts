// Starts a local chain with the compiled contracts, for tests.

import {
	type Abi,
	type Address,
	decodeErrorResult,
	decodeFunctionResult,
	encodeDeployData,
	encodeFunctionData,
	getAddress,
	type Hex,
	hexToBigInt,
	isHex,
	toHex,
} from "viem";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";
import { compileFolder } from "./compileFolder.ts";

type Tx = { to?: Address; data?: Hex; value?: bigint };
/** A call of one of our contracts, by name. */
export type Call = {
	to: Address;
	of: string;
	name: string;
	args?: readonly unknown[];
	value?: bigint;
};
export type Mined = {
	isDone: boolean;
	gas: bigint;
	address: Address | null;
	logs: { address: Address; topics: [Hex, ...Hex[]]; data: Hex }[];
};
type Receipt = {
	status: Hex;
	gasUsed: Hex;
	contractAddress: Address | null;
	logs: Mined["logs"];
};

const GAS = toHex(16_000_000);

export type ContractLab = Awaited<ReturnType<typeof openContractLab>>;

/** Starts a chain 4663 with our contracts and the misbehaving ones at hand. */
export async function openContractLab() {
	const anvil: Anvil = await startAnvil({
		args: ["--chain-id", "4663", "--gas-limit", "300000000", "--balance", "1000000000000"],
	});
	const contracts = { ...compileFolder("contracts"), ...compileFolder("testing/contracts") };
	const accounts = (await anvil.rpc<Address[]>("eth_accounts")).map((one) => getAddress(one));
	/** Of all contracts, so that each error has its name. */
	const errors = Object.values(contracts).flatMap(({ abi }) =>
		abi.filter(({ type }) => type === "error"),
	);
	const abiOf = (name: string): Abi => contracts[name]?.abi ?? [];
	const bare = ({ to, data, value = 0n }: Tx, from: Address) => ({
		...{ from, gas: GAS, value: toHex(value), data: data ?? "0x" },
		...(to && { to }),
	});
	const encoded = ({ to, of, name, args = [], value = 0n }: Call): Tx => {
		return { to, value, data: encodeFunctionData({ abi: abiOf(of), functionName: name, args }) };
	};
	async function send(from: Address, tx: Tx): Promise<Mined> {
		const receipt = await anvil.rpc<Receipt>("eth_sendTransactionSync", [bare(tx, from)]);
		const { status, gasUsed, contractAddress, logs } = receipt;
		const address = contractAddress ? getAddress(contractAddress) : null;
		return { isDone: status === "0x1", gas: hexToBigInt(gasUsed), address, logs };
	}
	return {
		anvil,
		accounts,
		abiOf,
		encoded,
		send,
		/** Mines a call, also one that reverts. */
		act: (from: Address, call: Call) => send(from, encoded(call)),
		/** Mines a call; throws when it reverts. */
		async must(from: Address, call: Call): Promise<Mined> {
			const mined = await send(from, encoded(call));
			if (!mined.isDone) throw new Error(`${call.of}.${call.name} reverted`);
			return mined;
		},
		async read<Result>(call: Call): Promise<Result> {
			const data = await anvil.rpc<Hex>("eth_call", [
				bare(encoded(call), accounts[0] ?? "0x"),
				"latest",
			]);
			return decodeFunctionResult({ abi: abiOf(call.of), functionName: call.name, data }) as Result;
		},
		/**
		 * Returns the error that a call reverts with, by name; `""` for one without, its selector
		 * where it is no error of ours, null where the call holds.
		 */
		async refusal(from: Address, call: Call): Promise<string | null> {
			try {
				await anvil.rpc("eth_call", [bare(encoded(call), from), "latest"]);
				return null;
			} catch (cause) {
				const data = /"(0x[0-9a-f]*)"/.exec(String(cause))?.[1];
				if (!isHex(data) || data === "0x") return "";
				return nameOf(errors, data);
			}
		},
		async deploy(from: Address, name: string, args: readonly unknown[] = []): Promise<Address> {
			const bytecode = contracts[name]?.creation ?? "0x";
			const data = encodeDeployData({ abi: abiOf(name), bytecode, args });
			const { isDone, address } = await send(from, { data });
			if (!isDone || !address) throw new Error(`${name} was not deployed`);
			return address;
		},
	};
}

function nameOf(errors: Abi, data: Hex): string {
	try {
		return decodeErrorResult({ abi: errors, data }).errorName;
	} catch {
		return data.slice(0, 10);
	}
}
