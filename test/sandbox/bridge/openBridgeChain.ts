import { type Address, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { z } from "zod";
import { compileContracts } from "../compileContracts.ts";
import { createRpc } from "../createRpc.ts";
import type { Rpc } from "../Rpc.ts";
import type { BridgeChain, BridgeChainSetup } from "./BridgeWorld.ts";
import { dollarAbi, solverAccount } from "./solverAccount.ts";

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

/** Who mints a token: its issuer, where it has one; else anybody. */
async function minterOf(rpc: Rpc, token: Address): Promise<Address> {
	const data = encodeFunctionData({ abi: dollarAbi, functionName: "issuer" });
	const told = await rpc.call("eth_call", [{ to: token, data }, "latest"]).catch(() => null);
	if (typeof told !== "string" || told.length !== 66) return solverAccount.address;
	const issuer: Address = `0x${told.slice(-40)}`;
	await rpc.call("anvil_impersonateAccount", [issuer]);
	return issuer;
}

type Call = { to?: Address; data?: Hex; value?: bigint };

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
