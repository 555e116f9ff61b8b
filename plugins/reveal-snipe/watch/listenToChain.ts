import type { Address } from "#core/chain/Hex.ts";
import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { Trigger } from "#plugins/reveal-snipe/detection/signals.ts";
import { HEAD_POLL_BESIDE_SOCKET_MS, HEAD_POLL_MS } from "#plugins/reveal-snipe/limits.ts";
import { type PushedLog, subscribeLogs } from "#plugins/reveal-snipe/watch/subscribeLogs.ts";

export type ChainEars = {
	/** Hears new blocks, and the logs of these contracts; of none, it hears nothing at all. */
	listenTo(addresses: readonly Address[]): void;
	/** Asks whether the subscription is alive, and makes another one where it is not. */
	probe(): void;
	/** The newest block that was heard of. */
	head(): Trigger["block"];
};

/**
 * Hears what happens on a chain: new blocks by every way there is to hear of heads, and logs of
 * given contracts by one subscription. Both end with the signal.
 */
export function listenToChain(options: {
	core: Pick<Core, "clock" | "log">;
	access: ChainAccess;
	/** Logs are subscribed to as well. */
	hearsLogs: boolean;
	onLog(log: PushedLog): void;
	onHead(block: { number: number; atMs: number }): void;
	signal: AbortSignal;
}): ChainEars {
	const { core, access, hearsLogs, onLog, onHead, signal } = options;
	const { chain, headUrls, onSocketCall } = access;
	const log = core.log.with({ chain: chain.slug, for: "reveals" });
	let head: { number: number; atMs: number } | null = null;
	let heads: AbortController | null = null;
	const logs = subscribeLogs({
		...{ chainId: chain.id, urls: hearsLogs ? headUrls : [], log, onLog, onSocketCall, signal },
	});

	function hearHeads(): void {
		if (heads !== null) return;
		heads = new AbortController();
		watchHeads({
			...{ chain, headUrls, onSocketCall, log, clock: core.clock },
			rpc: access.rpcFor("heads"),
			pollMs: headUrls.length > 0 ? HEAD_POLL_BESIDE_SOCKET_MS : HEAD_POLL_MS,
			signal: AbortSignal.any([heads.signal, signal]),
			onHead({ number, timestampMs }) {
				// Several sockets tell of one block. A fork's blocks have numbers that came before.
				if (head?.number === number) return;
				head = { number, atMs: timestampMs };
				onHead(head);
			},
		});
	}

	return {
		listenTo(addresses) {
			logs.resync(addresses);
			if (addresses.length > 0) return hearHeads();
			heads?.abort();
			heads = null;
		},
		probe: logs.probe,
		head: () => head,
	};
}
