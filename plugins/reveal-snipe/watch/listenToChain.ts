import type { Address } from "#core/chain/Hex.ts";
import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { Trigger } from "#plugins/reveal-snipe/detection/signals.ts";
import { HEAD_POLL_BESIDE_SOCKET_MS, HEAD_POLL_MS } from "#plugins/reveal-snipe/limits.ts";
import { type PushedLog, subscribeLogs } from "#plugins/reveal-snipe/watch/subscribeLogs.ts";

export type ChainEars = {
	/** Listens to new blocks and to logs of these contracts; without contracts, to nothing at all. */
	listenTo(addresses: readonly Address[]): void;
	/** Checks that the subscription is alive, and replaces it if not. */
	probe(): void;
	/** Returns the newest block that was announced. */
	head(): Trigger["block"];
};

/**
 * Listens to a chain: new blocks by every available source of heads, and logs of the given
 * contracts by one subscription. Both end with the signal.
 */
export function listenToChain(options: {
	core: Pick<Core, "clock" | "log">;
	access: ChainAccess;
	/** Whether logs are subscribed to as well. */
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
				// Several sockets announce one block. Blocks of a fork repeat earlier numbers.
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
