import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { startYoungChain } from "#test/bench/chain/startYoungChain.ts";
import { type Delays, measureDelays } from "#test/bench/measure/measureDelays.ts";
import {
	openYoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";

/** The service at the head of a young chain, heard by one subscriber of one collection. */
export async function runLive(options: YoungServiceOptions): Promise<Delays> {
	const { scope, workload } = options;
	const young = await openYoungService(options);
	const { node, emitters } = young.chain;
	const streamUrl = young.streamUrl();
	const measured = measureDelays({ scope, node, emitters, workload, streamUrl });
	const delays = await Promise.race([measured, young.service().failed]);
	await young.close();
	return delays;
}

/** The same blocks, heard through the bare script. */
export async function runBareLive({ scope, workload }: YoungServiceOptions): Promise<Delays> {
	const { node, emitters, stop } = await startYoungChain(scope, workload);
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
	await stop();
	return delays;
}
