import { afterAll, beforeAll, expect, test } from "bun:test";
import { createRequire } from "node:module";
import {
	type Abi,
	concat,
	encodeAbiParameters,
	encodeDeployData,
	encodeFunctionData,
	type Hex,
	hexToBigInt,
	numberToHex,
	parseAbiParameters,
	slice,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { SIGNATURE_CALL_GAS_MAX } from "#plugins/wallets/limits.ts";
import { isSignedBy } from "#plugins/wallets/siwe/siweRefusal.ts";
import { type Anvil, startAnvil } from "#test/harness/anvil.ts";

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
contract Wallet {
	address immutable owner;
	constructor(address one) { owner = one; }
	function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
		(bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
		bool same = ecrecover(hash, uint8(signature[64]), r, s) == owner;
		return same ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
	}
}
contract Factory {
	event Made(address wallet);
	function make(address owner) external returns (address wallet) {
		wallet = address(new Wallet{salt: 0}(owner));
		emit Made(wallet);
	}
}
contract Yes { fallback() external { assembly { mstore(0, 1) return(0, 32) } } }
contract Reverts { fallback() external { revert("no"); } }
contract Burns { fallback() external { while (true) {} } }
`;

/** Order of secp256k1. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;

type Contract = { abi: Abi; bytecode: Hex };

/** The key of anvil's first account pays; the owner of the contract wallet has no money at all. */
const owner = privateKeyToAccount(`0x${"22".repeat(32)}`);
const stranger = privateKeyToAccount(`0x${"33".repeat(32)}`);
const text = "I sign in.";

let anvil: Anvil;
let rpc: Rpc;
let payer: Hex;
let contracts: Record<string, Contract>;

beforeAll(async () => {
	contracts = compile();
	anvil = await startAnvil();
	[payer = "0x"] = await anvil.rpc<Hex[]>("eth_accounts");
	rpc = httpRpc({
		url: anvil.url,
		timeoutMs: 5_000,
		batchMax: 10,
		concurrencyMax: 1,
		bodyBytesMax: 1_000_000,
	});
});
afterAll(() => anvil.stop());

function compile(): Record<string, Contract> {
	const solc = createRequire(import.meta.url)("solc");
	const input = {
		language: "Solidity",
		sources: { "Wallets.sol": { content: SOURCE } },
		settings: { outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
	};
	const output = JSON.parse(solc.compile(JSON.stringify(input)));
	type Compiled = Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>;
	const compiled: Compiled = output.contracts["Wallets.sol"];
	return Object.fromEntries(
		Object.entries(compiled).map(([name, { abi, evm }]) => [
			name,
			{ abi, bytecode: `0x${evm.bytecode.object}` as const },
		]),
	);
}

async function deploy(name: string, args: readonly unknown[] = []): Promise<Hex> {
	const contract = contracts[name];
	if (!contract) throw new Error(name);
	const data = encodeDeployData({ ...contract, args });
	const { contractAddress } = await send({ data });
	return contractAddress;
}

async function send(transaction: { to?: Hex; data: Hex }) {
	const sent = await anvil.rpc<Hex>("eth_sendTransaction", [{ from: payer, ...transaction }]);
	// The node mines by itself, and answers before it has.
	await anvil.rpc("evm_mine", []);
	return anvil.rpc<{ contractAddress: Hex; logs: { data: Hex }[] }>("eth_getTransactionReceipt", [
		sent,
	]);
}

test("[TRD-10] a key signs for its own address only, and no chain is called", async () => {
	const signature = await owner.signMessage({ message: text });
	const own = owner.address.toLowerCase() as Hex;
	expect(await isSignedBy(own, { text, signature, rpc: null })).toBe(true);
	expect(await isSignedBy(own, { text: `${text} `, signature, rpc: null })).toBe(false);
	const other = stranger.address.toLowerCase() as Hex;
	expect(await isSignedBy(other, { text, signature, rpc: null })).toBe(false);
	expect(await isSignedBy(other, { text, signature, rpc })).toBe(false);
});

test("[TRD-10] a contract's signature is valid if the contract says so (ERC-1271)", async () => {
	const wallet = await deploy("Wallet", [owner.address]);
	const signature = await owner.signMessage({ message: text });
	expect(await isSignedBy(wallet, { text, signature, rpc })).toBe(true);
	const forged = await stranger.signMessage({ message: text });
	expect(await isSignedBy(wallet, { text, signature: forged, rpc })).toBe(false);
	expect(await isSignedBy(wallet, { text: "another", signature, rpc })).toBe(false);
	expect(await isSignedBy(wallet, { text, signature, rpc: null })).toBe(false);
});

test("[TRD-10] the signature of a contract that is not yet deployed is checked by ERC-6492", async () => {
	const factory = await deploy("Factory");
	const { abi = [] } = contracts.Factory ?? {};
	const data = encodeFunctionData({ abi, functionName: "make", args: [owner.address] });
	const made = await anvil.rpc<Hex>("eth_call", [{ to: factory, data }, "latest"]);
	const wallet = slice(made, 12, 32);
	expect(await anvil.rpc<Hex>("eth_getCode", [wallet, "latest"])).toBe("0x");
	const wrap = (signature: Hex) =>
		concat([
			encodeAbiParameters(parseAbiParameters("address, bytes, bytes"), [factory, data, signature]),
			`0x${"6492".repeat(16)}`,
		]);
	const signature = wrap(await owner.signMessage({ message: text }));
	expect(await isSignedBy(wallet, { text, signature, rpc })).toBe(true);
	const forged = wrap(await stranger.signMessage({ message: text }));
	expect(await isSignedBy(wallet, { text, signature: forged, rpc })).toBe(false);
	const own = stranger.address.toLowerCase() as Hex;
	expect(await isSignedBy(own, { text, signature, rpc })).toBe(false);
	// Nothing of it happened.
	expect(await anvil.rpc<Hex>("eth_getCode", [wallet, "latest"])).toBe("0x");
});

test("a contract that reverts, or returns another value, has not signed", async () => {
	const signature = await owner.signMessage({ message: text });
	for (const name of ["Yes", "Reverts"]) {
		const address = await deploy(name);
		expect(await isSignedBy(address, { text, signature, rpc })).toBe(false);
	}
});

/** The other signature of the same key over the same text, as everybody can make it. */
function flipped(signature: Hex): Hex {
	const r = slice(signature, 0, 32);
	const s = ORDER - hexToBigInt(slice(signature, 32, 64));
	const v = Number(slice(signature, 64, 65)) === 27 ? "0x1c" : "0x1b";
	return concat([r, numberToHex(s, { size: 32 }), v]);
}

// Guarantee: for a key's address a signature has one form; a contract judges its own bytes.
test("a high s is refused for a key's address; for a contract the contract decides", async () => {
	const signature = flipped(await owner.signMessage({ message: text }));
	const own = owner.address.toLowerCase() as Hex;
	expect(await isSignedBy(own, { text, signature, rpc: null })).toBe(false);
	expect(await isSignedBy(own, { text, signature, rpc })).toBe(false);
	const wallet = await deploy("Wallet", [owner.address]);
	expect(await isSignedBy(wallet, { text, signature, rpc })).toBe(true);
	// A key's address that runs a contract's code (EIP-7702).
	await anvil.rpc("anvil_setCode", [own, await anvil.rpc("eth_getCode", [wallet, "latest"])]);
	expect(await isSignedBy(own, { text, signature, rpc })).toBe(true);
	await anvil.rpc("anvil_setCode", [own, "0x"]);
	const wrapped = concat([
		encodeAbiParameters(parseAbiParameters("address, bytes, bytes"), [payer, "0x", signature]),
		`0x${"6492".repeat(16)}`,
	]);
	expect(await isSignedBy(own, { text, signature: wrapped, rpc })).toBe(false);
});

// Guarantee: what a stranger's contract does costs the node a bounded amount of gas.
test("a contract that never ends is stopped at the gas limit and has not signed", async () => {
	const address = await deploy("Burns");
	const signature = await owner.signMessage({ message: text });
	const asked: unknown[] = [];
	const watched: Rpc = {
		...rpc,
		call: (call, options) => {
			asked.push(call.params[0]);
			return rpc.call(call, options);
		},
	};
	expect(await isSignedBy(address, { text, signature, rpc: watched })).toBe(false);
	expect(asked).toMatchObject([{ gas: `0x${SIGNATURE_CALL_GAS_MAX.toString(16)}` }]);
});

test("a node that does not answer does not mean a wrong signature: the caller gets an error", async () => {
	const dead = httpRpc({
		url: "http://127.0.0.1:1",
		timeoutMs: 1_000,
		batchMax: 1,
		concurrencyMax: 1,
		bodyBytesMax: 1_000,
	});
	const forged = await stranger.signMessage({ message: text });
	const asking = isSignedBy(owner.address.toLowerCase() as Hex, {
		text,
		signature: forged,
		rpc: dead,
	});
	await expect(asking).rejects.toMatchObject({ code: "rpc_transport" });
});
