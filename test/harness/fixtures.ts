import {
	encodeDeployData,
	encodeFunctionData,
	getContractAddress,
	type Hex,
	numberToHex,
} from "viem";
import type { Anvil } from "#test/harness/anvil.ts";
import { compileFixtures, type Fixture } from "#test/harness/compileFixtures.ts";

const GAS = numberToHex(20_000_000);

const RECEIPT_ATTEMPTS_MAX = 5_000;

/** Deploys and calls the fixture contracts from the node's own unlocked accounts. */
export async function fixturesOn(
	anvil: Anvil,
	compiled: Record<string, Fixture> = compileFixtures(),
) {
	const accounts = await anvil.rpc<Hex[]>("eth_accounts");
	const [deployer] = accounts;
	const fixture = (name: string) => {
		const found = compiled[name];
		if (!found) throw new Error(`no fixture contract ${name}`);
		return found;
	};
	const send = async (transaction: { from?: Hex; to?: Hex; data: Hex; value?: bigint }) => {
		const hash = await anvil.rpc<Hex>("eth_sendTransaction", [
			{
				from: transaction.from ?? deployer,
				...(transaction.to && { to: transaction.to }),
				data: transaction.data,
				value: numberToHex(transaction.value ?? 0n),
				gas: GAS,
			},
		]);
		await mined(anvil, hash);
		return hash;
	};
	return {
		accounts: accounts.map((account) => account.toLowerCase() as Hex),
		async deploy(name: string, args: unknown[] = []): Promise<Hex> {
			const { abi, bytecode } = fixture(name);
			const count = await anvil.rpc<Hex>("eth_getTransactionCount", [deployer, "pending"]);
			await send({ data: encodeDeployData({ abi, bytecode, args }) });
			const from = deployer as Hex;
			return getContractAddress({ from, nonce: BigInt(count) }).toLowerCase() as Hex;
		},
		/** Sends a call; returns the transaction's hash. */
		call(
			name: string,
			to: Hex,
			functionName: string,
			args: unknown[],
			options: { from?: Hex; value?: bigint } = {},
		): Promise<Hex> {
			const { abi } = fixture(name);
			return send({ to, data: encodeFunctionData({ abi, functionName, args }), ...options });
		},
	};
}

/** Waits for the receipt: the node answers a transaction's hash before it has mined it. */
async function mined(anvil: Anvil, hash: Hex): Promise<void> {
	for (let attempt = 0; attempt < RECEIPT_ATTEMPTS_MAX; attempt++) {
		const receipt = await anvil.rpc<{ status: Hex } | null>("eth_getTransactionReceipt", [hash]);
		if (receipt?.status === "0x1") return;
		if (receipt) throw new Error(`transaction ${hash} reverted`);
	}
	throw new Error(`transaction ${hash} was not mined`);
}
