import {
	type Address,
	encodeDeployData,
	encodeFunctionData,
	getContractAddress,
	type Hex,
	zeroAddress,
} from "viem";
import { z } from "zod";
import { compileContracts } from "../compileContracts.ts";
import { createRpc } from "../createRpc.ts";
import type { Rpc } from "../Rpc.ts";
import type { BridgeChain, BridgeChainSetup } from "./BridgeWorld.ts";
import { depositoryAbi, dollarAbi, solverAccount } from "./solverAccount.ts";

const COIN_PURSE = 1_000_000n * 10n ** 18n;
const TOKEN_PURSE_UNITS = 1_000_000_000n;
const GAS = "0x1e8480";
const receiptSchema = z.object({ status: z.string() });

/** Opens the bridge on a chain: its solver has money there, and a contract that takes deposits. */
export async function openBridgeChain(setup: BridgeChainSetup): Promise<BridgeChain> {
	const rpc = createRpc(setup.rpcUrl);
	if (setup.isListedOnly) return { ...setup, rpc, depository: zeroAddress };
	const solver = solverAccount.address;
	await rpc.call("anvil_setBalance", [solver, `0x${COIN_PURSE.toString(16)}`]);
	await rpc.call("anvil_impersonateAccount", [solver]);
	const depository = await placeDepository(rpc);
	for (const { address, decimals } of setup.currencies) {
		if (address === zeroAddress) continue;
		const args = [solver, TOKEN_PURSE_UNITS * 10n ** BigInt(decimals)] as const;
		const data = encodeFunctionData({ abi: dollarAbi, functionName: "mint", args });
		await sendAsSolver(rpc, { to: address, data });
	}
	return { ...setup, rpc, depository };
}

/** The solver's first transaction anywhere deploys it, so it has one address on all chains. */
async function placeDepository(rpc: Rpc): Promise<Address> {
	const from = solverAccount.address;
	const address = getContractAddress({ from, nonce: 0n });
	const code = await rpc.call("eth_getCode", [address, "latest"]);
	if (code !== "0x") return address.toLowerCase() as Address;
	const { creation } = compileContracts().SandboxDepository;
	const data = encodeDeployData({ abi: depositoryAbi, bytecode: creation, args: [from] });
	await sendAsSolver(rpc, { data });
	return address.toLowerCase() as Address;
}

/** Sends from the solver, and answers its hash once it has a block. Throws where it failed. */
export async function sendAsSolver(
	rpc: Rpc,
	call: { to?: Address; data?: Hex; value?: bigint },
): Promise<Hex> {
	const { value = 0n, ...rest } = call;
	const asked = {
		from: solverAccount.address,
		gas: GAS,
		value: `0x${value.toString(16)}`,
		...rest,
	};
	const hash = String(await rpc.call("eth_sendTransaction", [asked])) as Hex;
	for (;;) {
		const receipt = receiptSchema.safeParse(await rpc.call("eth_getTransactionReceipt", [hash]));
		if (receipt.success && receipt.data.status === "0x1") return hash;
		if (receipt.success) throw new Error(`the solver's transaction ${hash} failed`);
		await Bun.sleep(10);
	}
}
