import type { Node } from "#test/bench/chain/startNode.ts";
import { startYoungChain, type YoungChain } from "#test/bench/chain/startYoungChain.ts";
import type { Workload } from "#test/bench/chain/workload.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { type DataDir, openDataDir } from "#test/bench/measure/openDataDir.ts";
import { startCountingProxy } from "#test/bench/measure/startCountingProxy.ts";
import { startDelayingSocket } from "#test/bench/measure/startDelayingSocket.ts";
import {
	type ServiceProcess,
	startServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";
import { untilCaughtUp } from "#test/bench/measure/untilCaughtUp.ts";

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

function urlsOf(node: Node, { scope, delayMs }: YoungServiceOptions): string[] {
	if (!delayMs) return [node.url, node.wsUrl];
	const http = startCountingProxy(node.url, { delayMs });
	const socket = startDelayingSocket(node.wsUrl, delayMs);
	for (const { stop } of [http, socket]) scope.defer(stop);
	return [http.url, socket.url];
}
