import { type Address, type Hex, isHex, toHex } from "viem";
import { z } from "zod";
import { sleep } from "#core/time/sleep.ts";
import type { Rpc, RpcCall } from "../Rpc.ts";

export type SenderTx = { to?: Address; data: Hex; value?: bigint };
/** Mines these transactions in order; throws when one of them reverts. */
export type Send = (txs: readonly SenderTx[]) => Promise<void>;

const Hash = z.custom<Hex>((value) => isHex(value));
const Receipt = z.object({ status: z.string() });
const GAS_LIMIT = toHex(14_000_000);
/** What a block of 300 million gas holds: a node with automatic mining drops the rest. */
const TXS_PER_BLOCK = 20;
const WEALTH = toHex(10n ** 27n);
const LOOKS_MAX = 5_000;
const LOOK_EVERY_MS = 2;
const LOOKS_TILL_STUCK = 250;

/** Makes the sender of an account on an anvil. Its key is unknown: the node signs for it. */
export async function createSender(rpc: Rpc, from: Address): Promise<Send> {
	await rpc.batch([
		{ method: "anvil_impersonateAccount", params: [from] },
		{ method: "anvil_setBalance", params: [from, WEALTH] },
	]);
	async function sendNow(txs: readonly SenderTx[]): Promise<void> {
		for (let at = 0; at < txs.length; at += TXS_PER_BLOCK) {
			await sendBlock(txs.slice(at, at + TXS_PER_BLOCK));
		}
	}
	async function sendBlock(txs: readonly SenderTx[]): Promise<void> {
		const first = await rpc.call("eth_getTransactionCount", [from, "pending"]);
		const calls = txs.map(({ to, data, value = 0n }, index) => {
			// Nonces are set here: anvil guarantees no order within a request.
			const nonce = toHex(Number(first) + index);
			const rest = { data, value: toHex(value), gas: GAS_LIMIT, nonce };
			return { method: "eth_sendTransaction", params: [{ from, ...(to && { to }), ...rest }] };
		});
		const hashes = (await rpc.batch(calls)).map((hash) => Hash.parse(hash));
		await mineAll(rpc, new Map(calls.map((call, at) => [hashes[at] ?? "0x", call])));
	}
	let sending: Promise<void> = Promise.resolve();
	return async (txs) => {
		// One after the other: each begins at the nonce where the one before it ended.
		const sent = sending.catch(() => {}).then(() => sendNow(txs));
		sending = sent;
		await sent;
	};
}

/** Mines blocks until each transaction has a receipt; with automatic mining, waits for receipts. */
async function mineAll(rpc: Rpc, sent: ReadonlyMap<Hex, RpcCall>): Promise<void> {
	const isAutomatic = (await rpc.call("anvil_getAutomine")) === true;
	let open = [...sent.keys()];
	for (let looks = 0; open.length > 0; looks++) {
		if (looks > LOOKS_MAX) throw new Error(`${open.length} transactions are not mined`);
		const receipts = await rpc.batch(open.map((hash) => asked("eth_getTransactionReceipt", hash)));
		const bad = open.filter((_, at) => Receipt.safeParse(receipts[at]).data?.status === "0x0");
		if (bad.length > 0) throw new Error(`${bad.length} transactions reverted, first ${bad[0]}`);
		open = open.filter((_, at) => receipts[at] === null);
		if (open.length === 0) return;
		// With automatic mining a block of ours is mostly empty; but other transactions may fill the
		// node's.
		const isStuck = looks % LOOKS_TILL_STUCK === LOOKS_TILL_STUCK - 1;
		if (isAutomatic && !isStuck) {
			await sleep(LOOK_EVERY_MS);
			continue;
		}
		if (isStuck) await sendLost(rpc, open, sent);
		await rpc.call("evm_mine", []);
	}
}

/** Sends again what the node no longer has: with the same nonce, so it happens at most once. */
async function sendLost(
	rpc: Rpc,
	open: readonly Hex[],
	sent: ReadonlyMap<Hex, RpcCall>,
): Promise<void> {
	const held = await rpc.batch(open.map((hash) => asked("eth_getTransactionByHash", hash)));
	const lost = open.flatMap((hash, at) => (held[at] === null ? (sent.get(hash) ?? []) : []));
	if (lost.length > 0) await rpc.batch(lost);
}

function asked(method: string, hash: Hex): RpcCall {
	return { method, params: [hash] };
}
