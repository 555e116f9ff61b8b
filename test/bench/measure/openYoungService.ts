// Opens a service at the head of a young chain, and times blocks to its frames.

import type { Node } from "#test/bench/chain/model.ts";
import { startYoungChain, type YoungChain } from "#test/bench/chain/startNode.ts";
import type { Emitters, Workload } from "#test/bench/chain/workload.ts";
import { untilCaughtUp } from "#test/bench/measure/indexProbe.ts";
import { startCountingProxy, startDelayingSocket } from "#test/bench/measure/startCountingProxy.ts";
import {
	type DataDir,
	openDataDir,
	type Scope,
	type ServiceProcess,
	startServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";

/** How long after a block was mined the last of its sales reached a subscriber. */
export type Delays = {
	/** From just before `evm_mine` was sent: the node's mining time is included. */
	delaysMs: readonly number[];
	/** From the answer of `evm_mine`. Heads may be announced before it. */
	fromAnswerMs: readonly number[];
};

export type DelayOptions = {
	scope: Scope;
	node: Node;
	emitters: Emitters;
	workload: Workload;
	/** Streams that are read side by side: each gets the same blocks. */
	streamUrls: readonly string[];
	blocksCounted?: number;
	/** The content of the blocks; sales by default. */
	what?: "sales" | "mints";
	/** Measures only for as long as this is true; asked after each block. */
	goesOn?: () => Promise<boolean>;
};

export type ToldEvent = { id: string; retracted: boolean };

/** The events that a subscriber of one collection receives. */
export type EventStream = {
	/** Returns the next so many events, with the time of the last. */
	next(count: number): Promise<{ told: readonly ToldEvent[]; atMs: number }>;
	close(): Promise<void>;
};

export type YoungServiceOptions = {
	scope: Scope;
	workload: Workload;
	runtimeArgs: readonly string[];
	/** Milliseconds of a round trip to the node, by HTTP and by socket; none by default. */
	delayMs?: number;
};

/** A service at the head of a young chain, with a head socket, and how to end both. */
export type YoungService = {
	chain: YoungChain;
	data: DataDir;
	/** Returns the newest process that was started. */
	service(): ServiceProcess;
	/** Starts another process on the same data; the one before has ended. */
	startAgain(): ServiceProcess;
	/** Returns the WebSocket URL of the first collection's frames. */
	streamUrl(): string;
	close(): Promise<void>;
};

type BlockFrame = { type: string; data?: { blockNumber?: number } };

type EventFrame = { type: string; data?: { id?: string; retracted?: boolean } };

/** The first blocks warm up compilers, caches and connections; they are not counted. */
const BLOCKS_UNCOUNTED = 20;
const BLOCKS_COUNTED_DEFAULT = 150;
/** Fewer would leave nothing above the 95th percentile. */
const BLOCKS_COUNTED_MIN = 60;
/** The pause between a block's last frame and the next block. */
const PAUSE_MS = 60;
const BLOCK_TIMEOUT_MS = 10_000;

const TIMEOUT_MS = 20_000;

export async function openYoungService(options: YoungServiceOptions): Promise<YoungService> {
	const { scope, workload, runtimeArgs } = options;
	const chain = await startYoungChain(scope, workload);
	const { node, emitters } = chain;
	const data = await openDataDir(scope);
	const rpcUrls = urlsOf(chain.node, options);
	let stopService = async () => {};
	const start = () => {
		const started = startServiceProcess({ rpcUrls, dataDir: data.path, runtimeArgs });
		stopService = scope.defer(started.stop);
		return started;
	};
	let service = start();
	await Promise.race([untilCaughtUp(node, data.socketDir), service.failed]);
	await service.servingSeconds;
	const [collection] = emitters.collections;
	const path = `/v1/nft-market/collections/${collection}/stream?chain=anvil`;
	return {
		chain,
		data,
		service: () => service,
		startAgain() {
			service = start();
			return service;
		},
		streamUrl: () => `${service.url.replace("http", "ws")}${path}`,
		async close() {
			await stopService();
			await data.remove();
			await chain.stop();
		},
	};
}

/** Mines blocks one after the other, and times each to its last frame on each stream. */
export async function measureDelays(options: DelayOptions): Promise<readonly Delays[]> {
	const { node, emitters, workload, goesOn = async () => true } = options;
	const { blocksCounted = BLOCKS_COUNTED_DEFAULT, what = "sales" } = options;
	const calls = what === "sales" ? emitters.saleCalls : emitters.mintCalls;
	const collection = emitters.collections[0];
	if (!collection) throw new Error("the workload has no collection");
	const streams = await Promise.all(
		options.streamUrls.map(async (url) => ({
			frames: await subscribe(options.scope, url),
			delaysMs: [] as number[],
			fromAnswerMs: [] as number[],
		})),
	);
	let block = Number(await node.call("eth_blockNumber"));
	let counted = 0;
	for (let turn = 0; turn < BLOCKS_UNCOUNTED + blocksCounted; turn++) {
		await node.batch(calls(collection, workload.salesPerCollection));
		block++;
		const arriving = streams.map(async (stream) => {
			return { stream, atMs: await stream.frames.arrived(block, workload.salesPerCollection) };
		});
		const askedMs = performance.now();
		await node.call("evm_mine");
		const answeredMs = performance.now();
		const arrivals = await Promise.all(arriving);
		if (!(await goesOn())) break;
		if (turn >= BLOCKS_UNCOUNTED) {
			counted++;
			for (const { stream, atMs } of arrivals) {
				stream.delaysMs.push(atMs - askedMs);
				stream.fromAnswerMs.push(atMs - answeredMs);
			}
		}
		await Bun.sleep(PAUSE_MS);
	}
	for (const { frames } of streams) await frames.close();
	if (counted < BLOCKS_COUNTED_MIN) throw new Error(`only ${counted} blocks could be timed`);
	return streams.map(({ delaysMs, fromAnswerMs }) => ({ delaysMs, fromAnswerMs }));
}

export async function openEventStream(scope: Scope, url: string): Promise<EventStream> {
	const socket = new WebSocket(url);
	const close = scope.defer(async () => socket.close());
	const hello = Promise.withResolvers<void>();
	let take = (_: ToldEvent, _atMs: number) => {};
	socket.onmessage = ({ data }) => {
		const atMs = performance.now();
		const { type, data: event } = JSON.parse(String(data)) as EventFrame;
		if (type === "hello") hello.resolve();
		if (type !== "market_event") return;
		take({ id: event?.id ?? "", retracted: event?.retracted === true }, atMs);
	};
	socket.onclose = ({ code }) => hello.reject(new Error(`the stream closed with code ${code}`));
	await hello.promise;
	return {
		close,
		next(count) {
			return new Promise((resolve, reject) => {
				const told: ToldEvent[] = [];
				const late = () => reject(new Error(`${told.length} of ${count} events were told`));
				const timer = setTimeout(late, TIMEOUT_MS);
				take = (event, atMs) => {
					if (told.push(event) < count) return;
					clearTimeout(timer);
					take = () => {};
					resolve({ told, atMs });
				};
			});
		},
	};
}

function urlsOf(node: Node, { scope, delayMs }: YoungServiceOptions): string[] {
	if (!delayMs) return [node.url, node.wsUrl];
	const http = startCountingProxy(node.url, { delayMs });
	const socket = startDelayingSocket(node.wsUrl, delayMs);
	for (const { stop } of [http, socket]) scope.defer(stop);
	return [http.url, socket.url];
}

async function subscribe(scope: Scope, url: string) {
	const socket = new WebSocket(url);
	const close = scope.defer(async () => socket.close());
	const hello = Promise.withResolvers<void>();
	let waiting: { block: number; left: number; done(atMs: number): void } | null = null;
	socket.onmessage = ({ data }) => {
		const atMs = performance.now();
		const frame = JSON.parse(String(data)) as BlockFrame;
		if (frame.type === "hello") hello.resolve();
		if (frame.type !== "market_event" || frame.data?.blockNumber !== waiting?.block) return;
		if (waiting && --waiting.left === 0) waiting.done(atMs);
	};
	socket.onclose = ({ code }) => hello.reject(new Error(`the stream closed with code ${code}`));
	await hello.promise;
	return {
		close,
		/** Resolves with the time of the `count`th sale of a block. */
		arrived(block: number, count: number): Promise<number> {
			return new Promise((resolve, reject) => {
				const late = () => reject(new Error(`block ${block}: ${waiting?.left} sales never came`));
				const timer = setTimeout(late, BLOCK_TIMEOUT_MS);
				const done = (atMs: number) => {
					clearTimeout(timer);
					resolve(atMs);
				};
				waiting = { block, left: count, done };
			});
		},
	};
}
