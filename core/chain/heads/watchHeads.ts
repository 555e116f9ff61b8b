// Follows the newest block of a chain, by sockets and by polls.

import type { Chain } from "#core/chain/Chain.ts";
import { blocksAheadMax, type Head, type LogListener, parseHead } from "#core/chain/heads/Head.ts";
import { openHeadSocket, type SocketCallListener } from "#core/chain/heads/openHeadSocket.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";

export type HeadSubscriptionOptions = {
	chain: Chain;
	headUrls: readonly string[];
	log: Log;
	/** Called with each head; the same head may come from each socket, so the listener compares. */
	onHead(head: Head): void;
	/** Called when a socket ended, or could not be opened, while no other one delivers. */
	onLost(): void;
	/** Listeners to logs over the same sockets; every socket delivers each log once. */
	listeners?: readonly LogListener[] | undefined;
	onSocketCall?: SocketCallListener | undefined;
	signal: AbortSignal;
	/** A socket that is silent for this long is replaced: half-open ones never close. */
	silenceMaxMs?: number;
	/** The delay before the first reconnection; it doubles until ten seconds. */
	reconnectMinMs?: number;
};

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

type Shared = {
	/** Indexes of endpoints that a slot uses. */
	inUse: Set<number>;
	/** Slots whose socket has delivered a head since it was opened. */
	delivering: Set<number>;
	complained: Set<string>;
};

const SILENCE_MAX_MS = 60_000;
const RECONNECT_MIN_MS = 250;
const RECONNECT_MAX_MS = 10_000;
/** Two: one may stall until the limit of silence, and heads still arrive in time. */
const SOCKETS_MAX = 2;

const ALL_LOST = "a head socket ended; polling until one is back";
const ONE_LOST = "a head socket ended; another one still speaks";

/**
 * The number of silent poll intervals after which a socket is not trusted, and the chain is polled
 * again.
 */
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

/**
 * Keeps `newHeads` subscriptions alive until the signal aborts, on two of the endpoints at once if
 * there are two. The first announcement of a head counts.
 */
export function subscribeHeads(options: HeadSubscriptionOptions): void {
	const { headUrls, signal } = options;
	if (signal.aborted || headUrls.length === 0) return;
	const shared: Shared = { inUse: new Set(), delivering: new Set(), complained: new Set() };
	const sockets = Math.min(SOCKETS_MAX, headUrls.length);
	for (let slot = 0; slot < sockets; slot++) keepSocket(options, shared, slot);
}

function keepSocket(options: HeadSubscriptionOptions, shared: Shared, slot: number) {
	const { chain, headUrls, log, signal } = options;
	const { silenceMaxMs = SILENCE_MAX_MS, reconnectMinMs = RECONNECT_MIN_MS } = options;
	const { inUse, delivering, complained } = shared;
	let at = slot;
	let attempt = 0;
	let close = () => {};
	let timer: ReturnType<typeof setTimeout> | undefined;

	inUse.add(at);
	signal.addEventListener(
		"abort",
		() => {
			clearTimeout(timer);
			close();
		},
		{ once: true },
	);
	connect();

	function connect() {
		const url = headUrls[at] ?? "";
		close = openHeadSocket({
			url,
			chainId: chain.id,
			silenceMaxMs,
			onHead,
			onEnd,
			listeners: options.listeners,
			onSocketCall: options.onSocketCall,
		});

		function onHead(head: Head) {
			if (attempt > 0) log.info("the head socket is back", { head: head.number });
			attempt = 0;
			complained.delete(url);
			delivering.add(slot);
			options.onHead(head);
		}

		function onEnd(reason: string) {
			delivering.delete(slot);
			if (delivering.size === 0) options.onLost();
			if (signal.aborted) return;
			// Once per outage and endpoint: an endpoint that is away for an hour is one event.
			if (!complained.has(url)) {
				const endpoint = new URL(url).host;
				const message = delivering.size === 0 ? ALL_LOST : ONE_LOST;
				log.warn(message, { endpoint, reason });
			}
			complained.add(url);
			const delayMs = Math.min(reconnectMinMs * 2 ** Math.min(attempt, 10), RECONNECT_MAX_MS);
			attempt++;
			inUse.delete(at);
			at = nextFree(at, headUrls.length, inUse);
			inUse.add(at);
			timer = setTimeout(connect, delayMs);
		}
	}
}

/**
 * Returns the next endpoint in turn that no other slot uses; the same one if all others are in use.
 */
function nextFree(from: number, count: number, inUse: ReadonlySet<number>): number {
	for (let step = 1; step <= count; step++) {
		const index = (from + step) % count;
		if (!inUse.has(index)) return index;
	}
	return from;
}
