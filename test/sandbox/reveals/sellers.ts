import { type Address, type Hex, keccak256, toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Rpc } from "../Rpc.ts";
import type { Actor } from "../World.ts";

const SELLERS = 5;
const WEALTH = toHex(10n ** 24n);
const GAS = toHex(40_000_000);
const RECEIPT_EVERY_MS = 20;

/**
 * Holders of the tokens of collections that are opened on demand. They are none of the world's
 * traders: the planner counts those traders' nonces, and these accounts send at any time.
 */
export const revealSellers: readonly Actor[] = Array.from({ length: SELLERS }, (_, index) => {
	const privateKey = keccak256(toHex(`sandbox reveal seller ${index}`));
	return { privateKey, address: lower(privateKeyToAddress(privateKey)) };
});

/** The account that opens such collections, and the buyer that is faster than everybody else. */
export const revealOwner = accountOf("sandbox reveal owner");
export const rival = accountOf("sandbox rival");

export type SentCall = { to?: Address; data: Hex; value?: bigint };

/** Sends from one of these accounts, which the node signs for; returns the transaction's hash. */
export async function sendFrom(rpc: Rpc, from: Address, call: SentCall): Promise<Hex> {
	await rpc.batch([
		{ method: "anvil_impersonateAccount", params: [from] },
		{ method: "anvil_setBalance", params: [from, WEALTH] },
	]);
	const { value = 0n, ...rest } = call;
	const sent = { from, gas: GAS, value: toHex(value), ...rest };
	return String(await rpc.call("eth_sendTransaction", [sent])) as Hex;
}

/** Waits until a transaction is mined, however the chain mines. Throws if it reverted. */
export async function untilMined(rpc: Rpc, hash: Hex): Promise<void> {
	for (;;) {
		const receipt = await rpc.call("eth_getTransactionReceipt", [hash]);
		const status = receipt && typeof receipt === "object" && "status" in receipt && receipt.status;
		if (status === "0x1") return;
		if (status) throw new Error(`transaction ${hash} reverted`);
		await Bun.sleep(RECEIPT_EVERY_MS);
	}
}

function accountOf(name: string): Address {
	return lower(privateKeyToAddress(keccak256(toHex(name))));
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
