import type { Chain } from "#core/chain/Chain.ts";
import { blocksAheadMax } from "#core/chain/heads/blocksAheadMax.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { LogListener } from "#core/chain/heads/LogListener.ts";
import type { SocketCallListener } from "#core/chain/heads/openHeadSocket.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";
import { subscribeHeads } from "#core/chain/heads/subscribeHeads.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Log } from "#core/log/Log.ts";

export type HeadWatchOptions = {
	chain: Chain;
	rpc: Rpc;
	/** WebSocket endpoints, tried in turn; empty means polling only. */
	headUrls: readonly string[];
	/** Distance between polls while no socket speaks. */
	pollMs: number;
	clock: Clock;
	log: Log;
	onHead(head: Head): void;
	/** Who is told logs over the same sockets, each log once by every socket. */
	listeners?: readonly LogListener[] | undefined;
	onSocketCall?: SocketCallListener | undefined;
	/** A poll that brought no head, with the fault's code; also while nobody waits for a block. */
	onFailure?(code: string): void;
	signal: AbortSignal;
	/** See `subscribeHeads`. */
	silenceMaxMs?: number;
	reconnectMinMs?: number;
};

/** A socket that said nothing for this many polls is doubted, and the chain is polled again. */
const SILENT_POLLS = 10;

/**
 * Follows a chain's head until the signal aborts: by `newHeads` where a socket is there, by
 * polling where there is none, and when the socket is silent for long. `onHead` may be called
 * with a head that is older or the same: its listener compares.
 *
 * A head of a socket that is implausibly far ahead is not passed on: the endpoints are asked, which
 * need a second answer that agrees.
 */
export function watchHeads(options: HeadWatchOptions): void {
	const { rpc, clock, pollMs, log, onHead, signal } = options;
	let heardAtMs = Number.NEGATIVE_INFINITY;
	let last: { block: number; atMs: number } | null = null;
	let polling = false;
	let failing = false;

	if (signal.aborted) return;
	if (options.headUrls.length > 0) {
		subscribeHeads({
			...options,
			onHead(head) {
				if (isTooFar(head)) return void poll();
				heardAtMs = clock.nowMs();
				pass(head);
			},
			onLost() {
				heardAtMs = Number.NEGATIVE_INFINITY;
			},
		});
	}

	const timer = setInterval(pollWhereSilent, pollMs);
	signal.addEventListener("abort", () => clearInterval(timer), { once: true });
	pollWhereSilent();

	function isTooFar({ number }: Head): boolean {
		return last !== null && number > last.block + blocksAheadMax(clock.nowMs() - last.atMs);
	}

	function pass(head: Head) {
		last = { block: head.number, atMs: clock.nowMs() };
		onHead(head);
	}

	function pollWhereSilent() {
		if (clock.nowMs() - heardAtMs >= pollMs * SILENT_POLLS) void poll();
	}

	async function poll() {
		if (polling) return;
		polling = true;
		try {
			const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
			const head = parseHead(await rpc.call(call, { signal }));
			if (head) pass(head);
			if (failing && head) log.info("the chain's RPC answers again", { head: head.number });
			failing = head === null;
			if (failing) options.onFailure?.("rpc_inconsistent");
		} catch (error) {
			// Said once for each outage: an RPC that is away for an hour is one event.
			if (!failing && !signal.aborted) log.warn("the chain's RPC does not answer", { error });
			failing = true;
			if (!signal.aborted) options.onFailure?.(error instanceof Fault ? error.code : "unexpected");
		} finally {
			polling = false;
		}
	}
}
