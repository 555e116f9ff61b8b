// Starts a proxy before a node that lies about one wallet as it is told.

import { numberToHex, parseTransaction } from "viem";
import type { AskNode, NodeCall, NodeLieTold } from "#test/e2e/liveness/FalseAnswer.ts";
import type { SignedTransaction } from "#test/sandbox/custody/startCustodyEmulator.ts";

export type LyingNode = {
	url: string;
	/** Adds a lie, which lasts until `tellTheTruth`. */
	lie(lie: NodeLieTold): void;
	tellTheTruth(options?: { butForLong: boolean }): void;
	/** Returns how many false answers it gave since it was started. */
	told(): number;
	stop(): Promise<void>;
};

type Request = NodeCall & { id: unknown };
type Answer = { id: unknown; result?: unknown; error?: unknown };

/** Most nodes keep no older state, and refuse to give an account's nonce at older blocks. */
const STATE_BLOCKS = 128;
const PRUNED = { code: -32_000, message: "missing trie node" };

/**
 * Starts a proxy before a node that keeps as little state as most nodes do, and lies as it is told,
 * about one wallet or about all.
 */
export function startLyingNode(given: {
	upstream: string;
	/** Returns the signed transaction with a hash; null if there is none. */
	signedAs(hash: string): SignedTransaction | null;
	/** Delay of its answers: of two nodes the faster one is asked first. */
	delayMs?: number;
}): LyingNode {
	const { upstream, signedAs, delayMs = 0 } = given;
	let lies: (NodeLieTold & { left: number })[] = [];
	let told = 0;
	const ask = askerOf(upstream);

	async function spoil(answer: Answer, call: Request): Promise<Answer> {
		if (await isPruned(call)) return { id: answer.id, error: PRUNED };
		if (answer.error !== undefined || lies.length === 0) return answer;
		let result = answer.result;
		const address = addressOf(call, signedAs);
		const signed = (hash: unknown) => shownOf(signedAs(String(hash)));
		for (const lie of lies) {
			const isIts = lie.about === null || lie.about === address;
			if (lie.method !== call.method || !isIts || lie.left <= 0) continue;
			// Counted before any await: calls of one batch are answered concurrently.
			lie.left--;
			const said = await lie.says(result, { call, ask, signed });
			if (said === result) {
				lie.left++;
				continue;
			}
			told++;
			result = said;
		}
		return { ...answer, result };
	}

	async function isPruned({ method, params }: NodeCall): Promise<boolean> {
		const at = method === "eth_getTransactionCount" ? String(params[1]) : "";
		if (!at.startsWith("0x")) return false;
		return Number(await ask<string>("eth_blockNumber")) - Number(at) > STATE_BLOCKS;
	}

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		async fetch(request) {
			const text = await request.text();
			if (delayMs > 0) await Bun.sleep(delayMs);
			const said = await post(upstream, text);
			const asked: Request[] = [JSON.parse(text)].flat();
			const answers: Answer[] = [said].flat();
			const byId = new Map(asked.map((call) => [call.id, call]));
			const all = answers.map(async (answer) => {
				const call = byId.get(answer.id);
				return call ? spoil(answer, call) : answer;
			});
			const spoiled = await Promise.all(all);
			return Response.json(Array.isArray(said) ? spoiled : spoiled[0]);
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		lie: (lie) => void lies.push({ ...lie, left: lie.times ?? Number.POSITIVE_INFINITY }),
		tellTheTruth({ butForLong } = { butForLong: false }) {
			lies = lies.filter(({ isLong }) => butForLong && isLong);
		},
		told: () => told,
		stop: () => server.stop(true),
	};
}

/** Returns the account of a call: the one that it names, or the sender of the transaction. */
function addressOf(
	{ method, params }: NodeCall,
	signedAs: (hash: string) => SignedTransaction | null,
): string | null {
	const [first] = params;
	switch (method) {
		case "eth_getTransactionCount":
		case "eth_getBalance":
			return String(first).toLowerCase();
		case "eth_estimateGas":
		case "eth_call":
			return String((first as { from?: string } | undefined)?.from).toLowerCase();
		case "eth_getTransactionByHash":
		case "eth_getTransactionReceipt":
			return signedAs(String(first).toLowerCase())?.sender ?? null;
		default:
			return null;
	}
}

function shownOf(transaction: SignedTransaction | null): Record<string, unknown> | null {
	if (!transaction) return null;
	const { sender: from, hash, raw } = transaction;
	const { to, nonce = 0, value = 0n, data: input = "0x" } = parseTransaction(raw);
	const where = { blockHash: null, blockNumber: null, transactionIndex: null };
	return { hash, from, to, nonce: numberToHex(nonce), value: numberToHex(value), input, ...where };
}

async function post(url: string, body: string): Promise<Answer | Answer[]> {
	const headers = { "content-type": "application/json" };
	const response = await fetch(url, { method: "POST", headers, body });
	return (await response.json()) as Answer | Answer[];
}

function askerOf(upstream: string): AskNode {
	return async <Result>(method: string, params: readonly unknown[] = []) => {
		const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
		const answer = await post(upstream, body);
		return (Array.isArray(answer) ? answer[0] : answer)?.result as Result;
	};
}
