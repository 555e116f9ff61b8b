import { z } from "zod";
import type { Address } from "#core/chain/Hex.ts";
import type { SocketCallListener } from "#core/chain/heads/openHeadSocket.ts";
import type { Log } from "#core/log/Log.ts";
import {
	ADDRESSES_MAX,
	RECONNECT_FIRST_MS,
	RECONNECT_MAX_MS,
} from "#plugins/reveal-snipe/limits.ts";
import { openWire } from "#plugins/reveal-snipe/watch/openWire.ts";

/** A log as a node pushed it: a hint to look, and nothing more. */
export type PushedLog = { address: Address; topic: string | undefined; blockNumber: number };

export type LogSubscriptionOptions = {
	chainId: number;
	/** WebSocket endpoints, tried in turn; without any nothing is subscribed to. */
	urls: readonly string[];
	log: Log;
	onLog(log: PushedLog): void;
	onSocketCall?: SocketCallListener | undefined;
	signal: AbortSignal;
	addressesMax?: number;
	reconnectMs?: number;
};

export type LogSubscription = {
	/** Listens to the logs of these contracts, and of no others, from now on. */
	resync(addresses: readonly Address[]): void;
	/**
	 * Asks whether the socket is alive, and opens another one where the last question of this kind
	 * has no answer yet, or a subscription was never confirmed.
	 */
	probe(): void;
	/** Every address is covered by a subscription that the node confirmed. */
	isLive(): boolean;
};

const logSchema = z.object({
	address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
	topics: z.array(z.string()).max(4),
	blockNumber: z.string().regex(/^0x[0-9a-f]{1,13}$/i),
});

/** What a question that is on its way was about. */
type Asked =
	| { kind: "chain" }
	| { kind: "alive" }
	| { kind: "end" }
	| { kind: "subscribe"; addresses: readonly Address[] };

/**
 * Subscribes to all logs of some contracts over one socket. Where a node finds the addresses too
 * many for one subscription they are halved, and the smaller size is kept.
 *
 * A socket that says nothing may be dead or have nothing to say: who knows is asked (`probe`).
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

type Socket = {
	resync(): void;
	/** Asks again; false where the last question was not answered, or not all is confirmed. */
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

/**
 * One socket and its subscriptions. Nothing counts before this very socket said that it serves our
 * chain.
 */
function openSocket(outer: LogSubscriptionOptions, options: SocketOptions): Socket {
	/** Addresses by the name that the node gave the subscription. */
	const confirmed = new Map<string, readonly Address[]>();
	const wire = openWire<Asked>({
		...{ url: options.url, onSocketCall: outer.onSocketCall, onEnd: options.onEnd },
		onOpen: () => wire.ask({ kind: "chain" }, "eth_chainId", []),
		onAnswer: receive,
		onPush(result) {
			const log = logSchema.safeParse(result).data;
			if (!log || !isTrusted) return;
			const address = log.address.toLowerCase() as Address;
			outer.onLog({ address, topic: log.topics[0], blockNumber: Number(log.blockNumber) });
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

	/** New subscriptions come before the old ones end: no block falls between. */
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
			// One that was opened just now may not have been answered yet.
			if (!isLive() && wasDoubted) return false;
			wasDoubted = !isLive();
			wire.ask({ kind: "alive" }, "eth_blockNumber", []);
			return true;
		},
	};
}
