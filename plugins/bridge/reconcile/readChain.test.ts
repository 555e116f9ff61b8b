import { afterAll, describe, expect, test } from "bun:test";
import { type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { ForeignRequest } from "#core/foreign/createForeignFetch.ts";
import { createChainReaders, readPayments } from "#plugins/bridge/reconcile/readChain.ts";

describe("chainReaders", () => {
	// Guarantee: a chain is read by this deployment's own nodes, then by the operator's for bridges,
	// then by the provider's public one, and by none of them before it says that it serves the chain.

	const asked: string[] = [];
	let chainId = 988;
	const server = Bun.serve({
		...{ hostname: "127.0.0.1", port: 0 },
		async fetch(request) {
			const { method, id } = (await request.json()) as { method: string; id: number };
			asked.push(method);
			const result = method === "eth_chainId" ? `0x${chainId.toString(16)}` : "0x2a";
			return Response.json({ jsonrpc: "2.0", id, result });
		},
	});
	afterAll(() => server.stop(true));

	const { signal } = new AbortController();
	const foreign: ForeignRequest[] = [];
	function open(urls: Record<string, string[]> = {}) {
		asked.length = 0;
		foreign.length = 0;
		return createChainReaders({
			urls,
			core: {
				reached: [
					{
						...{ chain: { id: 1 }, headUrls: [] },
						rpcFor: () => ({ call: async () => "0x1" }),
					},
				] as never,
				async foreignFetch(request) {
					foreign.push(request);
					const { method } = JSON.parse(request.json ?? "{}");
					const result = method === "eth_chainId" ? "0x3dc" : "0x7";
					const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
					return { status: 200, contentType: "application/json", body };
				},
			},
		});
	}
	const url = () => server.url.href;

	test("a reached chain is asked by its own nodes, whatever else is named for it", async () => {
		const read = open({ 1: [url()] }).of(1, "http://public.example");
		expect(await read?.("eth_getBalance", [], signal)).toBe("0x1");
		expect([asked, foreign]).toEqual([[], []]);
	});

	test("any other is read by BRIDGE_RPC_URLS_JSON, once the node says that it serves the chain", async () => {
		const read = open({ 988: ["ws://nothing", url()] }).of(988, "http://public.example");
		expect(await read?.("eth_getBalance", [], signal)).toBe("0x2a");
		expect(await read?.("eth_getBalance", [], signal)).toBe("0x2a");
		expect(asked).toEqual(["eth_chainId", "eth_getBalance", "eth_getBalance"]);
		expect(foreign).toEqual([]);
	});

	test("a node of another chain is refused", async () => {
		chainId = 1;
		const read = open({ 988: [url()] }).of(988, null);
		await expect(read?.("eth_getBalance", [], signal)).rejects.toThrow("rpc_transport");
		chainId = 988;
	});

	describe("where nobody named a node", () => {
		test("the provider's public one is asked by the guarded way, with a body", async () => {
			const read = open().of(988, "https://public.example/rpc");
			expect(await read?.("eth_blockNumber", [], signal)).toBe("0x7");
			expect(foreign.map((one) => one.url)).toEqual(Array(2).fill("https://public.example/rpc"));
			expect(JSON.parse(foreign[1]?.json ?? "")).toMatchObject({ method: "eth_blockNumber" });
			expect(foreign.every((one) => one.allowedOrigins === undefined)).toBe(true);
		});

		test("and there is none, the chain has no reader", () => {
			expect(open().of(988, null)).toBeNull();
			expect(open().of(988, "ftp://public.example")).toBeNull();
		});
	});
});

describe("readPayments", () => {
	// Guarantee: what is told to have been paid is read from the chain, or called unreadable.

	const HASH: Hex = `0x${"ab".repeat(32)}`;
	const PARTY: Hex = `0x${"a1".repeat(20)}`;
	const OTHER: Hex = `0x${"b2".repeat(20)}`;
	const TOKEN: Hex = `0x${"70".repeat(20)}`;
	const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
	const word = (value: bigint | string) =>
		`0x${String(BigInt(value).toString(16)).padStart(64, "0")}`;
	const log = (to: string, raw: bigint, more: object = {}) => ({
		...{ address: TOKEN, topics: [TRANSFER, word(OTHER), word(to)], data: word(raw) },
		...more,
	});
	const receipt = (more: object = {}) => ({
		...{ transactionHash: HASH, status: "0x1", blockNumber: "0x10", logs: [] },
		...more,
	});
	const { signal } = new AbortController();

	async function read(answers: Record<string, unknown>) {
		const reader = async (method: string, params: readonly unknown[]) => {
			const key = method === "eth_getBalance" ? `${method} ${params[1]}` : method;
			if (answers[key] instanceof Error) throw answers[key];
			return answers[key] ?? null;
		};
		return await readPayments(reader, { hash: HASH, party: PARTY, signal });
	}
	const plain = { hash: HASH, to: OTHER, value: "0x0" };
	const still = { "eth_getBalance 0xf": "0x5", "eth_getBalance 0x10": "0x5" };

	test("tokens are summed by their transfers to the party, and by nothing that looks like one", async () => {
		const logs = [
			...[log(PARTY, 3n), log(PARTY, 4n), log(OTHER, 9n)],
			log(PARTY, 50n, { topics: [TRANSFER, word(OTHER), word(PARTY), word(1n)] }),
			log(PARTY, 60n, { topics: [TRANSFER, word(OTHER)] }),
			log(PARTY, 70n, { data: "0x07" }),
		];
		const found = await read({
			...{
				eth_getTransactionReceipt: receipt({ logs }),
				eth_getTransactionByHash: plain,
				...still,
			},
		});
		expect(found).toEqual({ kind: "read", paid: [{ currency: TOKEN, raw: 7n }] });
	});

	test("a coin is the transaction's value, or what the party had more behind its block", async () => {
		const direct = { hash: HASH, to: PARTY, value: "0x64" };
		const base = { eth_getTransactionReceipt: receipt() };
		expect(await read({ ...base, eth_getTransactionByHash: direct })).toEqual({
			...{ kind: "read", paid: [{ currency: ZERO_ADDRESS, raw: 100n }] },
		});
		const inner = { "eth_getBalance 0xf": "0x5", "eth_getBalance 0x10": "0x9" };
		expect(await read({ ...base, eth_getTransactionByHash: plain, ...inner })).toEqual({
			...{ kind: "read", paid: [{ currency: ZERO_ADDRESS, raw: 4n }] },
		});
		const less = { "eth_getBalance 0xf": "0x9", "eth_getBalance 0x10": "0x5" };
		expect(await read({ ...base, eth_getTransactionByHash: plain, ...less })).toMatchObject({
			paid: [],
		});
	});

	test("what is not there, failed, or cannot be read is each its own answer", async () => {
		expect(await read({})).toEqual({ kind: "absent" });
		const reverted = receipt({ status: "0x0" });
		expect(await read({ eth_getTransactionReceipt: reverted })).toEqual({ kind: "reverted" });
		for (const told of [
			...[new Error("away"), {}, 7, "0x", receipt({ transactionHash: word(1n) })],
			...[receipt({ status: "yes" }), receipt({ logs: null }), receipt({ blockNumber: 16 })],
		]) {
			expect(await read({ eth_getTransactionReceipt: told })).toEqual({ kind: "unreadable" });
		}
		const pruned = { "eth_getBalance 0xf": new Error("pruned"), "eth_getBalance 0x10": "0x9" };
		const asked = {
			eth_getTransactionReceipt: receipt(),
			eth_getTransactionByHash: plain,
			...pruned,
		};
		expect(await read(asked)).toEqual({ kind: "unreadable" });
		expect(await readPayments(null, { hash: HASH, party: PARTY, signal })).toEqual({
			kind: "unreadable",
		});
	});
});
