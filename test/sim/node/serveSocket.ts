// Serves a node's subscriptions on a socket.

import type { ServerWebSocket } from "bun";
import { numberToHex } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";
import type { SimBlock } from "#test/sim/chain/createSimChain.ts";
import {
	fitsQuery,
	headerOf,
	type LogQuery,
	logsOf,
	type SentLog,
} from "#test/sim/node/answerCall.ts";
import type { SimNode } from "#test/sim/node/createSimNode.ts";
import { type PushLieName, pushLies } from "#test/sim/node/lies.ts";
import type { Tally } from "#test/sim/Tally.ts";

/** What one subscription is sent about one block, and how much later than the block's head. */
export type Push = { logs: readonly unknown[]; lateMs: number };

export type SimSocket = { url: string; close(): Promise<void> };

type Call = { id: number; method: string; params: readonly unknown[] };
/** Each client is told as much later as its way is longer. */
type Wire = { wiring: number; lateMs: number; filters: LogQuery[] };
type Client = ServerWebSocket<Wire>;

const NAMES = Object.keys(pushLies).filter((name): name is PushLieName => name in pushLies);
const LOGS_LATE_MS_MAX = 30;

const LOOK_EVERY_MS = 3;
const ANSWER_LATE_MS_MAX = 80;
/** More new blocks at once are not told one by one: a node that was away has only its head. */
const BLOCKS_TOLD_MAX = 64;

/**
 * Serves a node's `newHeads` and `logs` on a socket of its own. It tells what the
 * node's picture has that it had not when it last looked, lowest first: a fork as the blocks above
 * where it left. A head that only goes back is not told, as no node does. Where the node is down,
 * so is its socket.
 */
export function serveSocket(
	node: SimNode,
	{ prng, tally }: { prng: Prng; tally: Tally },
): SimSocket {
	const pusher = createPusher(node, { prng, tally });
	const subscribed = new Set<Client>();
	/** The hash that was told last, by number. */
	let told: (Hex | undefined)[] = [];
	const server = Bun.serve<Wire, never>({
		port: 0,
		hostname: "127.0.0.1",
		fetch(request, server) {
			if (node.state.down) return new Response(null, { status: 503 });
			const lateMs = prng.chance(0.5) ? prng.int(ANSWER_LATE_MS_MAX) : 0;
			const data = { wiring: node.state.wiring, lateMs, filters: [] };
			if (server.upgrade(request, { data })) return undefined;
			return new Response(null, { status: 400 });
		},
		websocket: {
			message: (client, text) => answer(client, JSON.parse(String(text)) as Call),
			close: (client) => void subscribed.delete(client),
		},
	});
	const timer = setInterval(look, LOOK_EVERY_MS);

	function answer(client: Client, { id, method, params }: Call) {
		const view = node.view();
		if (method === "eth_chainId") return send(client, { id, result: numberToHex(view.chainId) });
		if (params[0] === "logs") {
			const result = nameOf(client.data.filters.push(params[1] as LogQuery));
			return send(client, { id, result });
		}
		if (subscribed.size === 0) told = view.branch.blocks.map(({ hash }) => hash);
		subscribed.add(client);
		send(client, { id, result: nameOf(0) });
	}

	function look() {
		for (const client of subscribed) {
			if (node.state.down || client.data.wiring !== node.state.wiring) client.terminate();
		}
		if (subscribed.size === 0) return;
		const { branch, head } = node.view();
		const isNew = (number: number) => told[number] !== branch.blocks[number]?.hash;
		let from = head + 1;
		while (from > 0 && head - from < BLOCKS_TOLD_MAX && isNew(from - 1)) from--;
		told = told.slice(0, head + 1);
		for (const block of branch.blocks.slice(from, head + 1)) {
			told[block.number] = block.hash;
			pusher.announced(block);
			for (const client of subscribed) announce(client, block);
		}
	}

	function announce(client: Client, block: SimBlock) {
		const logsFirst = prng.chance(0.5);
		const head = () => tell(client, { name: nameOf(0), result: headerOf(block) });
		if (!logsFirst) head();
		for (const [at, filter] of client.data.filters.entries()) {
			const { logs, lateMs } = pusher.push(block, filter);
			for (const result of logs) tell(client, { name: nameOf(at + 1), result, lateMs });
		}
		if (logsFirst) head();
	}

	function tell(client: Client, said: { name: string; result: unknown; lateMs?: number }) {
		const params = { subscription: said.name, result: said.result };
		send(client, { method: "eth_subscription", params }, said.lateMs);
	}

	/** Half of a round trip later, in the order of sending. */
	function send(client: Client, message: object, lateMs = 0) {
		const text = JSON.stringify({ jsonrpc: "2.0", ...message });
		setTimeout(() => client.send(text), node.roundTripMs / 2 + client.data.lateMs + lateMs);
	}

	return {
		url: `ws://127.0.0.1:${server.port}`,
		async close() {
			clearInterval(timer);
			await server.stop(true);
		},
	};
}

/**
 * Decides what subscriptions to logs are sent: the logs of the block that fit their filter, or what
 * is left of them. Logs come before the head, with it or later.
 */
function createPusher(node: SimNode, { prng, tally }: { prng: Prng; tally: Tally }) {
	let orphan: SentLog | undefined;
	let newest: SimBlock | undefined;

	return {
		/** Told of each block as it is announced. */
		announced(block: SimBlock) {
			if (newest && newest.number >= block.number) orphan = logsOf(newest)[0] ?? orphan;
			newest = block;
		},
		push(block: SimBlock, filter: LogQuery): Push {
			const logs = logsOf(block).filter((log) => fitsQuery(log, filter));
			if (logs.length === 0 || node.state.healthy) return { logs, lateMs: 0 };
			const { pushLieRate = 0 } = node;
			const isLate = prng.chance(pushLieRate);
			const name = prng.chance(pushLieRate) ? prng.pick(NAMES) : null;
			if (isLate) tally.add("push_late");
			if (name) tally.add(`push_${name}`);
			const sent = name ? pushLies[name](logs, { orphan, prng }) : logs;
			return { logs: sent, lateMs: isLate ? prng.int(LOGS_LATE_MS_MAX) : 0 };
		},
	};
}

/** Of heads, and of each filter in the order in which they were asked for. */
function nameOf(subscription: number): string {
	return numberToHex(subscription + 1);
}
