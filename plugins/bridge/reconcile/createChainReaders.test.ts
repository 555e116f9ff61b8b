import { afterAll, describe, expect, test } from "bun:test";
import { systemClock } from "#core/clock.ts";
import type { ForeignRequest } from "#core/foreign/createForeignFetch.ts";
import { silentLog } from "#core/log.ts";
import { createChainReaders } from "#plugins/bridge/reconcile/createChainReaders.ts";

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
				...{ clock: systemClock, log: silentLog, chains: { byId: () => undefined } as never },
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

	test("a reached chain is read through its own nodes, whatever other nodes are configured", async () => {
		const read = open({ 1: [url()] }).of(1, "http://public.example");
		expect(await read?.("eth_getBalance", [], signal)).toBe("0x1");
		expect([asked, foreign]).toEqual([[], []]);
	});

	test("any other chain is read through BRIDGE_RPC_URLS_JSON, once the node reports its chain id", async () => {
		const read = open({ 988: ["ws://nothing", url()] }).of(988, "http://public.example");
		expect(await read?.("eth_getBalance", [], signal)).toBe("0x2a");
		expect(await read?.("eth_getBalance", [], signal)).toBe("0x2a");
		expect(asked).toEqual(["eth_chainId", "eth_getBalance", "eth_getBalance"]);
		expect(foreign).toEqual([]);
	});

	test("a node of another chain is refused", async () => {
		chainId = 1;
		const read = open({ 988: [url()] }).of(988, null);
		await expect(read?.("eth_getBalance", [], signal)).rejects.toThrow();
		expect(asked).not.toContain("eth_getBalance");
		chainId = 988;
	});

	test("if an endpoint does not answer, the next one is called", async () => {
		const dead = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
		const deadUrl = dead.url.href;
		await dead.stop(true);
		const read = open({ 988: [deadUrl, url()] }).of(988, null);
		expect(await read?.("eth_getBalance", [], signal)).toBe("0x2a");
	});

	describe("a chain without a configured node", () => {
		test("such a chain is read through the provider's public node, with the protections for foreign URLs", async () => {
			const read = open().of(988, "https://public.example/rpc");
			expect(await read?.("eth_blockNumber", [], signal)).toBe("0x7");
			expect(foreign.map((one) => one.url)).toEqual(Array(2).fill("https://public.example/rpc"));
			expect(JSON.parse(foreign[1]?.json ?? "")).toMatchObject({ method: "eth_blockNumber" });
			expect(foreign.every((one) => one.allowedOrigins === undefined)).toBe(true);
		});

		test("a chain without any node has no reader", () => {
			expect(open().of(988, null)).toBeNull();
			expect(open().of(988, "ftp://public.example")).toBeNull();
		});

		test("a public node that was used before does not count as our own node", async () => {
			const readers = open();
			expect(readers.of(988, "https://public.example/rpc")).not.toBeNull();
			expect([readers.own(988), readers.of(988, null)]).toEqual([null, null]);
		});
	});
});
