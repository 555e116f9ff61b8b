import { type Address, type Hex, isHex, toHex } from "viem";
import { z } from "zod";
import type { Rpc } from "../Rpc.ts";

export type SenderTx = { to?: Address; data: Hex; value?: bigint };
/** Mines these in their order; throws when one of them reverts. */
export type Send = (txs: readonly SenderTx[]) => Promise<void>;

const Hash = z.custom<Hex>((value) => isHex(value));
const Receipt = z.object({ status: z.string() });
const GAS_LIMIT = toHex(14_000_000);
const WEALTH = toHex(10n ** 27n);
const MINES_MAX = 100;

/** Returns an account's hand on an anvil. Nobody has its key: the node signs for it. */
export async function createSender(rpc: Rpc, from: Address): Promise<Send> {
	await rpc.batch([
		{ method: "anvil_impersonateAccount", params: [from] },
		{ method: "anvil_setBalance", params: [from, WEALTH] },
	]);
	async function sendNow(txs: readonly SenderTx[]): Promise<void> {
		const first = await rpc.call("eth_getTransactionCount", [from, "pending"]);
		const calls = txs.map(({ to, data, value = 0n }, index) => {
			// Named here: anvil promises no order within a request.
			const nonce = toHex(Number(first) + index);
			const rest = { data, value: toHex(value), gas: GAS_LIMIT, nonce };
			return { method: "eth_sendTransaction", params: [{ from, ...(to && { to }), ...rest }] };
		});
		const hashes = (await rpc.batch(calls)).map((hash) => Hash.parse(hash));
		await mineAll(rpc, hashes);
	}
	let sending: Promise<void> = Promise.resolve();
	return async (txs) => {
		// One after the other: each begins at the nonce where the one before it ended.
		const sent = sending.catch(() => {}).then(() => sendNow(txs));
		sending = sent;
		await sent;
	};
}

/** With automine or without: asks for a block until each has its receipt. */
async function mineAll(rpc: Rpc, hashes: readonly Hex[]): Promise<void> {
	let open = [...hashes];
	for (let mines = 0; open.length > 0; mines++) {
		if (mines > MINES_MAX) throw new Error(`${open.length} transactions are not mined`);
		const calls = open.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] }));
		const receipts = await rpc.batch(calls);
		const bad = open.filter((_, at) => Receipt.safeParse(receipts[at]).data?.status === "0x0");
		if (bad.length > 0) throw new Error(`${bad.length} transactions reverted, first ${bad[0]}`);
		open = open.filter((_, at) => receipts[at] === null);
		if (open.length > 0) await rpc.call("evm_mine", []);
	}
}
