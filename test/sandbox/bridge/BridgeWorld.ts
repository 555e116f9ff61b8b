// Describes the bridge's chains and orders, and sends as its solver.

import {
	type Address,
	encodeFunctionData,
	type Hex,
	keccak256,
	parseAbi,
	toHex,
	zeroAddress,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import type { Clock } from "#core/clock.ts";
import { compileContracts } from "../compileContracts.ts";
import { createRpc, type Rpc } from "../createRpc.ts";

/** A currency that the bridge carries. */
export type BridgeCurrency = {
	/** Twenty zero bytes: the chain's own coin. */
	address: Address;
	symbol: string;
	name: string;
	decimals: number;
	/** Of one whole unit, in millionths of a dollar. */
	usdMicros: bigint;
	isVerified?: boolean;
	/** What its owner signs is enough to take it (EIP-3009). */
	supportsPermit?: boolean;
};

/** A chain that the bridge reaches. */
export type BridgeChainSetup = {
	id: number;
	rpcUrl: string;
	/** How its protocol names the chain. */
	name: string;
	currencies: readonly BridgeCurrency[];
	/** It is listed, and nothing ever happens there. */
	isListedOnly?: boolean;
	isDisabled?: boolean;
	isLagging?: boolean;
	vmType?: string;
};

export type BridgeChain = BridgeChainSetup & {
	rpc: Rpc;
	depository: Address;
	approvalProxy: Address;
};

/** A payment on a chain, as the bridge made it or saw it. */
export type BridgePayment = {
	chainId: number;
	hash: Hex;
	currency: Address;
	raw: bigint;
	/** Of a deposit, who paid; else who got it. */
	party: Address;
};

/** What an owner is asked to sign in place of a deposit, and what became of it. */
export type BridgePermit = {
	authorization: {
		token: Address;
		from: Address;
		value: bigint;
		validAfter: bigint;
		validBefore: bigint;
		nonce: Hex;
	};
	signature: Hex | null;
	/** How often each kind of signature was handed over. */
	handed: string[];
	/** It waits for the owner's signature of the order as well. */
	asksForOrder: boolean;
};

/** One request from its quote to its end: a row of the bridge's own ledger. */
export type BridgeEntry = {
	requestId: Hex;
	orderId: Hex;
	user: Address;
	recipient: Address;
	refundTo: Address;
	origin: { chain: BridgeChain; currency: BridgeCurrency; raw: bigint };
	destination: { chain: BridgeChain; currency: BridgeCurrency; raw: bigint; minimumRaw: bigint };
	deadlineMs: number;
	status: string;
	failReason: string | null;
	updatedAtMs: number;
	/** Null: it is deposited by its owner. */
	permit: BridgePermit | null;
	deposits: BridgePayment[];
	fill: BridgePayment | null;
	refund: BridgePayment | null;
	/** Hashes that it tells, where they are not those of fill or refund. */
	told: Hex[] | null;
};

export type BridgeWorld = {
	chains: readonly BridgeChain[];
	clock: Clock;
	/** Newest last. */
	entries: BridgeEntry[];
	/** Moves an entry, and tells whoever listens. */
	move(entry: BridgeEntry, status: string): void;
};

type Call = { to?: Address; data?: Hex; value?: bigint };

/** Who fills orders, and signs them: an account of the sandbox's alone. */
export const solverAccount = privateKeyToAccount(keccak256(toHex("sandbox bridge solver")));

export const depositoryAbi = parseAbi([
	"function depositNative(address depositor, bytes32 id) payable",
	"function depositErc20(address depositor, address token, uint256 amount, bytes32 id)",
	"function payOut(address token, address to, uint256 amount)",
	"event RelayNativeDeposit(address from, uint256 amount, bytes32 id)",
	"event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)",
]);

export const dollarAbi = parseAbi([
	"function mint(address to, uint256 amount)",
	"function issuer() view returns (address)",
	"function approve(address spender, uint256 amount) returns (bool)",
	"function transfer(address to, uint256 amount) returns (bool)",
	"function balanceOf(address owner) view returns (uint256)",
]);

/** The contract that takes deposits, the same on each chain. */
const DEPOSITORY: Address = "0x00000000000000000000000000000000de905170";
/** The contract that takes what owners signed for, the same on each chain. */
const APPROVAL_PROXY: Address = "0x00000000000000000000000000000000a997070a";
const COIN_PURSE = 1_000_000n * 10n ** 18n;
const GAS = "0x4c4b40";
const RECEIPT_EVERY_MS = 20;
const receiptSchema = z.object({ status: z.string() });

/**
 * Opens the bridge on a chain: its solver has coins there, and a contract takes deposits. It sends
 * nothing for that, so a chain that mines at its own pace is opened at once.
 */
export async function openBridgeChain(setup: BridgeChainSetup): Promise<BridgeChain> {
	const rpc = createRpc(setup.rpcUrl);
	if (setup.isListedOnly) {
		return { ...setup, rpc, depository: zeroAddress, approvalProxy: zeroAddress };
	}
	const solver = solverAccount.address;
	await rpc.call("anvil_setBalance", [solver, `0x${COIN_PURSE.toString(16)}`]);
	await rpc.call("anvil_impersonateAccount", [solver]);
	const { SandboxDepository, SandboxApprovalProxy } = compileContracts();
	await rpc.call("anvil_setCode", [DEPOSITORY, SandboxDepository.runtime]);
	await rpc.call("anvil_setCode", [APPROVAL_PROXY, SandboxApprovalProxy.runtime]);
	return { ...setup, rpc, depository: DEPOSITORY, approvalProxy: APPROVAL_PROXY };
}

/** Has the solver own so much of a token at least. */
export async function fillPurse(
	{ rpc }: BridgeChain,
	{ currency, raw }: { currency: Address; raw: bigint },
): Promise<void> {
	const args = [solverAccount.address] as const;
	const asked = encodeFunctionData({ abi: dollarAbi, functionName: "balanceOf", args });
	const held = await rpc.call("eth_call", [{ to: currency, data: asked }, "latest"]);
	if (BigInt(String(held)) >= raw) return;
	const minted = [solverAccount.address, raw * 1_000n] as const;
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "mint", args: minted });
	await send(rpc, await minterOf(rpc, currency), { to: currency, data });
}

/** Sends from the solver, and answers its hash once it has a block. Throws where it failed. */
export function sendAsSolver(rpc: Rpc, call: Call): Promise<Hex> {
	return send(rpc, solverAccount.address, call);
}

async function send(rpc: Rpc, from: Address, call: Call): Promise<Hex> {
	const { value = 0n, ...rest } = call;
	const asked = {
		from,
		gas: GAS,
		value: `0x${value.toString(16)}`,
		...rest,
	};
	const hash = String(await rpc.call("eth_sendTransaction", [asked])) as Hex;
	for (;;) {
		const receipt = receiptSchema.safeParse(await rpc.call("eth_getTransactionReceipt", [hash]));
		if (receipt.success && receipt.data.status === "0x1") return hash;
		if (receipt.success) throw new Error(`the bridge's transaction ${hash} failed`);
		await Bun.sleep(RECEIPT_EVERY_MS);
	}
}

/** Who mints a token: its issuer, where it has one; else anybody. */
async function minterOf(rpc: Rpc, token: Address): Promise<Address> {
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "issuer" });
	const told = await rpc.call("eth_call", [{ to: token, data }, "latest"]).catch(() => null);
	if (typeof told !== "string" || told.length !== 66) return solverAccount.address;
	const issuer: Address = `0x${told.slice(-40)}`;
	await rpc.call("anvil_impersonateAccount", [issuer]);
	return issuer;
}
