import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { z } from "zod";
import type { Node } from "#test/bench/chain/startNode.ts";
import type { Scope } from "#test/bench/createScope.ts";

/** Starts the bare script at the head of a node; returns where it publishes. */
export async function startBareHead(
	scope: Scope,
	node: Node,
): Promise<{ url: string; stop(): Promise<void> }> {
	const script = join(import.meta.dir, "bareHead.ts");
	const child = Bun.spawn([process.execPath, script, node.url, node.wsUrl], {
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	const stop = scope.defer(async () => {
		child.kill("SIGKILL");
		await child.exited;
	});
	const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) });
	const first = await new Promise<string>((resolve) => lines.once("line", resolve));
	const { url } = z.object({ url: z.string() }).parse(JSON.parse(first));
	return { url, stop };
}
