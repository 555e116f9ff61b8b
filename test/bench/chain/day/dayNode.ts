// A node of a day chain, in a process of its own. Prints its port. Argument: the chain as JSON.
// Only `bench_mine` moves its head.

import type { ServerWebSocket } from "bun";
import {
	answerDay,
	type DayCall,
	type DayChain,
	type DayNode,
	renderDayHeader,
} from "#test/bench/chain/day/answerDay.ts";

const [given = "{}", head = "0"] = process.argv.slice(2);
const node: DayNode = { chain: JSON.parse(given) as DayChain, head: Number(head) };
const clients = new Set<ServerWebSocket>();
const SUBSCRIPTION = "0x1";

function answer(call: DayCall, client?: ServerWebSocket): string {
	if (call.method === "bench_mine") {
		node.head += Number(call.params?.[0]);
		const result = JSON.parse(renderDayHeader(node.chain, node.head, false)) as object;
		const params = { subscription: SUBSCRIPTION, result };
		const told = JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params });
		for (const one of clients) one.send(told);
		return JSON.stringify({ jsonrpc: "2.0", id: call.id, result: true });
	}
	if (call.method === "eth_subscribe" && client && call.params?.[0] === "newHeads") {
		clients.add(client);
		return JSON.stringify({ jsonrpc: "2.0", id: call.id, result: SUBSCRIPTION });
	}
	return answerDay(node, call);
}

function answerAll(body: string, client?: ServerWebSocket): string {
	const asked = JSON.parse(body) as DayCall | DayCall[];
	if (!Array.isArray(asked)) return answer(asked, client);
	return `[${asked.map((call) => answer(call, client)).join()}]`;
}

const server = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	maxRequestBodySize: 64 * 1024 * 1024,
	async fetch(request, server) {
		if (server.upgrade(request)) return undefined;
		const headers = { "content-type": "application/json" };
		return new Response(answerAll(await request.text()), { headers });
	},
	websocket: {
		message: (client, text) => void client.send(answerAll(String(text), client)),
		close: (client) => void clients.delete(client),
	},
});
process.stdout.write(`${server.port}\n`);
