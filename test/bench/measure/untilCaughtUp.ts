import type { Node } from "#test/bench/chain/startNode.ts";
import { openIndexProbe } from "#test/bench/measure/indexProbe.ts";

const CAUGHT_UP_TIMEOUT_MS = 60_000;
const POLL_MS = 10;
const LANES = 2;

/**
 * Waits until both lanes have the node's newest block. The server may end and come back meanwhile,
 * so a killed one is waited for too.
 */
export async function untilCaughtUp(node: Pick<Node, "call">, socketDir: string): Promise<void> {
	const tip = Number(await node.call("eth_blockNumber"));
	const deadlineMs = performance.now() + CAUGHT_UP_TIMEOUT_MS;
	while (performance.now() < deadlineMs) {
		const probe = await openIndexProbe(socketDir);
		try {
			while (performance.now() < deadlineMs) {
				const { lanes } = await probe.progress();
				if (lanes.length === LANES && lanes.every((block) => block >= tip)) return;
				await Bun.sleep(POLL_MS);
			}
		} catch {
			// The connection died with its server.
			await Bun.sleep(POLL_MS);
		} finally {
			await probe.close().catch(() => {});
		}
	}
	throw new Error("the service did not reach the head");
}
