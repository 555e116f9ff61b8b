// Listens to a chain's new blocks, and to the logs of some contracts.

import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import type { SocketCallListener } from "#core/chain/heads/openHeadSocket.ts";
import { watchHeads } from "#core/chain/heads/watchHeads.ts";
import { anyCaseAddressSchema } from "#core/chain/hexSchemas.ts";
import type { Log } from "#core/log.ts";
import type { ChainAccess, Core } from "#core/plugin/Core.ts";
import type { Trigger } from "#plugins/reveal-snipe/detection.ts";
import {
	ADDRESSES_MAX,
	HEAD_POLL_BESIDE_SOCKET_MS,
	HEAD_POLL_MS,
	RECONNECT_FIRST_MS,
	RECONNECT_MAX_MS,
} from "#plugins/reveal-snipe/limits.ts";
import { openWire } from "#plugins/reveal-snipe/watch/openWire.ts";

/** Holds a log that a node pushed: only a hint to check the collection. */
export type PushedLog = { address: Address; topic: string | undefined; blockNumber: number };

type LogSubscriptionOptions = {
	chainId: number;
	/** WebSocket endpoints, tried in turn; without any there is no subscription. */
	urls: readonly string[];
	log: Log;
	onLog(log: PushedLog): void;
	onSocketCall?: SocketCallListener | undefined;
	signal: AbortSignal;
	addressesMax?: number;
	reconnectMs?: number;
};

type LogSubscription = {
	/** Subscribes to the logs of these contracts, and of no others, from now on. */
	resync(addresses: readonly Address[]): void;
	/**
	 * Checks that the socket is alive; opens another one where the last check is unanswered, or a
	 * subscription was never confirmed.
	 */
	probe(): void;
	/** Returns true if every address is covered by a confirmed subscription. */
	isLive(): boolean;
};

type ChainEars = {
	/** Listens to new blocks and to logs of these contracts; without contracts, to nothing at all. */
	listenTo(addresses: readonly Address[]): void;
	/** Checks that the subscription is alive, and replaces it if not. */
	probe(): void;
	/** Returns the newest block that was announced. */
	head(): Trigger["block"];
};

/** Holds what a pending request was about. */
type Asked =
	| { kind: "chain" }
	| { kind: "alive" }
	| { kind: "end" }
	| { kind: "subscribe"; addresses: readonly Address[] };

type Socket = {
	resync(): void;
	/** Checks again; returns false where the last check was unanswered, or not all is confirmed. */
	probe(): boolean;
	isLive(): boolean;
	close(): void;
};

type SocketOptions = {
	url: string;
	wanted(): readonly Address[];
	most(): number;
	tooMany(count: number): void;
	onReady(): void;
	onEnd(reason: string): void;
};

const logSchema = z.object({
	address: anyCaseAddressSchema,
	topics: z.array(z.string()).max(4),
	blockNumber: z.string().regex(/^0x[0-9a-f]{1,13}$/i),
});

/**
 * Subscribes to all logs of some contracts over one socket. Where a node refuses the number of
 * addresses, the subscription is split in halves, and the smaller size is kept.
 *
 * A silent socket may be dead or have nothing to report: `probe` finds out.
 */
export function subscribeLogs(options: LogSubscriptionOptions): LogSubscription {
	const { urls, signal, reconnectMs = RECONNECT_FIRST_MS } = options;
	let wanted: readonly Address[] = [];
	let most = options.addressesMax ?? ADDRESSES_MAX;
	let attempt = 0;
	let socket: Socket | null = null;
	let timer: ReturnType<typeof setTimeout> | undefined;
	signal.addEventListener("abort", () => end(), { once: true });

	function end() {
		clearTimeout(timer);
		timer = undefined;
		socket?.close();
		socket = null;
	}

	function open() {
		const url = urls[attempt % urls.length];
		if (signal.aborted || url === undefined) return;
		const opened = openSocket(options, {
			url,
			wanted: () => wanted,
			most: () => most,
			tooMany(count) {
				most = Math.max(Math.ceil(count / 2), 1);
			},
			onReady() {
				attempt = 0;
			},
			onEnd(reason) {
				if (socket !== opened) return;
				options.log.info("the subscription to logs ended", { reason });
				reopen();
			},
		});
		socket = opened;
	}

	function reopen() {
		end();
		const delayMs = Math.min(reconnectMs * 2 ** Math.min(attempt, 10), RECONNECT_MAX_MS);
		attempt++;
		timer = setTimeout(open, delayMs);
	}

	return {
		resync(addresses) {
			const sorted = [...new Set(addresses)].sort();
			if (sorted.join() === wanted.join()) return;
			wanted = sorted;
			if (wanted.length === 0) end();
			else if (socket) socket.resync();
			else if (timer === undefined) open();
		},
		probe() {
			if (socket && !socket.probe()) {
				options.log.warn("the subscription to logs is dead", {});
				reopen();
			}
		},
		isLive: () => socket?.isLive() ?? false,
	};
}

/**
 * Listens to a chain: new blocks by every available source of heads, and logs of the given
 * contracts by one subscription. Both end with the signal.
 */
export function listenToChain(options: {
	core: Pick<Core, "clock" | "log">;
	access: ChainAccess;
	/** True if logs are subscribed to as well. */
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

/**
 * Opens one socket with its subscriptions. Logs count only after this socket has confirmed our
 * chain id.
 */
function openSocket(outer: LogSubscriptionOptions, options: SocketOptions): Socket {
	/** Addresses by the id that the node gave the subscription. */
	const confirmed = new Map<string, readonly Address[]>();
	const wire = openWire<Asked>({
		...{ url: options.url, onSocketCall: outer.onSocketCall, onEnd: options.onEnd },
		onOpen: () => wire.ask({ kind: "chain" }, "eth_chainId", []),
		onAnswer: receive,
		onPush(result) {
			const log = logSchema.safeParse(result).data;
			if (!log || !isTrusted) return;
			const { address, topics, blockNumber } = log;
			outer.onLog({ address, topic: topics[0], blockNumber: Number(blockNumber) });
		},
	});
	let isTrusted = false;
	let wasDoubted = false;

	function subscribe(addresses: readonly Address[]) {
		for (let at = 0; at < addresses.length; at += options.most()) {
			const part = addresses.slice(at, at + options.most());
			const about: Asked = { kind: "subscribe", addresses: part };
			wire.ask(about, "eth_subscribe", ["logs", { address: part }]);
		}
	}

	/** Renews subscriptions: new ones start before the old ones end, so that no block is missed. */
	function resync() {
		if (!isTrusted) return;
		const old = [...confirmed.keys()];
		confirmed.clear();
		subscribe(options.wanted());
		for (const name of old) wire.ask({ kind: "end" }, "eth_unsubscribe", [name]);
	}

	function receive(about: Asked, result: unknown) {
		if (about.kind === "chain") {
			if (Number(result) !== outer.chainId) return wire.end("it serves another chain");
			isTrusted = true;
			return resync();
		}
		if (about.kind !== "subscribe") return;
		const { addresses } = about;
		if (typeof result === "string") {
			confirmed.set(result, addresses);
			if (isLive()) options.onReady();
		} else if (addresses.length === 1) wire.end("it refuses to subscribe to logs");
		else {
			options.tooMany(addresses.length);
			subscribe(addresses);
		}
	}

	function isLive() {
		const covered = new Set([...confirmed.values()].flat());
		return isTrusted && options.wanted().every((address) => covered.has(address));
	}

	return {
		resync,
		isLive,
		close: wire.close,
		probe() {
			if (wire.waiting().some(({ kind }) => kind === "alive")) return false;
			// A socket that was opened just now may not be confirmed yet.
			if (!isLive() && wasDoubted) return false;
			wasDoubted = !isLive();
			wire.ask({ kind: "alive" }, "eth_blockNumber", []);
			return true;
		},
	};
}
