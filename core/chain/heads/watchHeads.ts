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
	/** The interval of polls while no socket delivers. */
	pollMs: number;
	clock: Clock;
	log: Log;
	onHead(head: Head): void;
	/** Listeners to logs over the same sockets; every socket delivers each log once. */
	listeners?: readonly LogListener[] | undefined;
	onSocketCall?: SocketCallListener | undefined;
	/**
	 * Called with the fault's code for a poll that brought no head, even if no caller waits for a
	 * block.
	 */
	onFailure?(code: string): void;
	signal: AbortSignal;
	/** See `subscribeHeads`. */
	silenceMaxMs?: number;
	reconnectMinMs?: number;
};

/** After this many poll intervals of silence a socket is doubted, and the chain is polled again. */
const SILENT_POLLS = 10;

/**
 * Follows a chain's head until the signal aborts: by `newHeads` where a socket delivers, by polling
 * where there is none, or when the socket is silent for long. `onHead` may be called with an older
 * or equal head: its listener compares.
 *
 * A head from a socket that is implausibly far ahead is not passed on: the endpoints are asked, and
 * there a second answer must agree.
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
			// Logged once per outage: an RPC that is away for an hour is one event.
			if (!failing && !signal.aborted) log.warn("the chain's RPC does not answer", { error });
			failing = true;
			if (!signal.aborted) options.onFailure?.(error instanceof Fault ? error.code : "unexpected");
		} finally {
			polling = false;
		}
	}
}
