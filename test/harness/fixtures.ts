// Deploys the fixture contracts, and names the node's unlocked accounts.

import {
	encodeAbiParameters,
	encodeDeployData,
	encodeFunctionData,
	getContractAddress,
	type Hex,
	numberToHex,
	size,
	toHex,
} from "viem";
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { assert } from "#core/fault.ts";
import type { Anvil } from "#test/harness/anvil.ts";
import { compileFixtures, type Fixture } from "#test/harness/compileFixtures.ts";

const GAS = numberToHex(20_000_000);

const RECEIPT_ATTEMPTS_MAX = 5_000;

/** `tokenURI(uint256)` and `contractURI()`. */
const ANSWERED = ["c87b56dd", "e8a3d485"] as const;

const MNEMONIC = "test test test test test test test test test test test junk";
const COUNT = 10;

let derived: PrivateKeyAccount[] | null = null;

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

/**
 * Returns code of a contract that answers both of its URIs with one text, for every token, and
 * reverts for everything else. For `anvil_setCode`.
 */
export function hostileContract(uri: string): Hex {
	// Encoded like a function's return value.
	const answer = encodeAbiParameters([{ type: "string" }], [uri]);
	const word = (number: number) => number.toString(16).padStart(4, "0");
	const branches = ANSWERED.length;
	// PUSH0 CALLDATALOAD PUSH1 0xe0 SHR: the selector.
	const head = "5f3560e01c";
	const revert = "5f5ffd";
	const target = head.length / 2 + branches * 11 + revert.length / 2;
	// For each selector: DUP1 PUSH4 selector EQ PUSH2 target JUMPI.
	const jumps = ANSWERED.map((selector) => `8063${selector}1461${word(target)}57`).join("");
	// JUMPDEST, then CODECOPY and RETURN of everything after this code.
	const from = target + 14;
	const length = word(size(answer));
	const tail = `5b61${length}61${word(from)}5f3961${length}5ff3`;
	return `0x${head}${jumps}${revert}${tail}${answer.slice(2)}`;
}

/** Returns one of these accounts. */
export function nodeAccount(index: number): PrivateKeyAccount {
	const account = nodeAccounts()[index];
	assert(account !== undefined, `a test chain begins with ${COUNT} accounts`);
	return account;
}

/**
 * Returns the unlocked accounts of every test chain. They are derived once: deriving one from its
 * twelve words takes 20 ms of processor time, and a payment checks all.
 */
export function nodeAccounts(): readonly PrivateKeyAccount[] {
	derived ??= derive();
	return derived;
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

function derive(): PrivateKeyAccount[] {
	const branch = mnemonicToAccount(MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey();
	return Array.from({ length: COUNT }, (_, index) => {
		const { privateKey } = branch.deriveChild(index);
		assert(privateKey !== null, "a derived key has its private half");
		return privateKeyToAccount(toHex(privateKey));
	});
}
