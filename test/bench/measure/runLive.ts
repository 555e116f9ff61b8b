import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { createEmitters } from "#test/bench/chain/createEmitters.ts";
import { type Node, startNode } from "#test/bench/chain/startNode.ts";
import type { Workload } from "#test/bench/chain/workload.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { openIndexProbe } from "#test/bench/measure/indexProbe.ts";
import { type Delays, measureDelays } from "#test/bench/measure/measureDelays.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { startServiceProcess } from "#test/bench/measure/startServiceProcess.ts";

export type LiveOptions = { scope: Scope; workload: Workload; runtimeArgs: readonly string[] };

const CAUGHT_UP_TIMEOUT_MS = 30_000;
const LANES = 2;

/** The service at the head of a young chain, heard by one subscriber of one collection. */
export async function runLive({ scope, workload, runtimeArgs }: LiveOptions): Promise<Delays> {
	const { node, emitters, stopNode } = await youngChain(scope, workload);
	const data = await openDataDir(scope);
	const rpcUrls = [node.url, node.wsUrl];
	const service = startServiceProcess({ rpcUrls, dataDir: data.path, runtimeArgs });
	const stopService = scope.defer(service.stop);
	await Promise.race([untilCaughtUp(node, data.socketDir), service.failed]);
	await service.servingSeconds;
	const [collection] = emitters.collections;
	const streamUrl =
		`${service.url.replace("http", "ws")}/v1/nft-market/collections/${collection}/stream` +
		"?chain=anvil";
	const measured = measureDelays({ scope, node, emitters, workload, streamUrl });
	const delays = await Promise.race([measured, service.failed]);
	await stopService();
	await data.remove();
	await stopNode();
	return delays;
}

/** The same blocks, heard through the bare script. */
export async function runBareLive({ scope, workload }: LiveOptions): Promise<Delays> {
	const { node, emitters, stopNode } = await youngChain(scope, workload);
	const script = join(import.meta.dir, "../reference/bareHead.ts");
	const child = Bun.spawn([process.execPath, script, node.url, node.wsUrl], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	const stopChild = scope.defer(async () => {
		child.kill("SIGKILL");
		await child.exited;
	});
	const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) });
	const first = await new Promise<string>((resolve) => lines.once("line", resolve));
	const { url } = JSON.parse(first) as { url: string };
	const delays = await measureDelays({ scope, node, emitters, workload, streamUrl: url });
	await stopChild();
	await stopNode();
	return delays;
}

/** A few blocks, so that the collection that is listened to is known. */
async function youngChain(scope: Scope, workload: Workload) {
	const node = await startNode();
	const stopNode = scope.defer(node.stop);
	const emitters = await createEmitters(node, workload);
	await node.call("anvil_setBlockTimestampInterval", [workload.blockSeconds]);
	for (let block = 0; block < workload.collections; block++) {
		await node.batch(emitters.blockCalls(block));
		await node.call("evm_mine");
	}
	return { node, emitters, stopNode };
}

async function untilCaughtUp(node: Node, socketDir: string): Promise<void> {
	const tip = Number(await node.call("eth_blockNumber"));
	const probe = await openIndexProbe(socketDir);
	const deadlineMs = performance.now() + CAUGHT_UP_TIMEOUT_MS;
	try {
		while (performance.now() < deadlineMs) {
			const { lanes } = await probe.progress();
			if (lanes.length === LANES && lanes.every((block) => block >= tip)) return;
			await Bun.sleep(20);
		}
	} finally {
		await probe.close();
	}
	throw new Error("the service did not reach the head");
}
