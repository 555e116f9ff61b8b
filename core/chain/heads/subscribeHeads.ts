import type { Chain } from "#core/chain/Chain.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import { openHeadSocket } from "#core/chain/heads/openHeadSocket.ts";
import type { Log } from "#core/log/Log.ts";

export type HeadSubscriptionOptions = {
	chain: Chain;
	headUrls: readonly string[];
	log: Log;
	onHead(head: Head): void;
	onLost(): void;
	signal: AbortSignal;
	/** A socket without a word for this long is given up: half-open ones never close. */
	silenceMaxMs?: number;
	/** Before the first attempt to reconnect; doubles until ten seconds. */
	reconnectMinMs?: number;
};

const SILENCE_MAX_MS = 60_000;
const RECONNECT_MIN_MS = 250;
const RECONNECT_MAX_MS = 10_000;

/** Keeps a `newHeads` subscription alive on one of the endpoints until the signal aborts. */
export function subscribeHeads(options: HeadSubscriptionOptions): void {
	const { chain, headUrls, log, signal } = options;
	const { silenceMaxMs = SILENCE_MAX_MS, reconnectMinMs = RECONNECT_MIN_MS } = options;
	const complained = new Set<string>();
	let attempt = 0;
	let close = () => {};
	let timer: ReturnType<typeof setTimeout> | undefined;

	if (signal.aborted || headUrls.length === 0) return;
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
		const url = headUrls[attempt % headUrls.length] ?? "";
		close = openHeadSocket({ url, chainId: chain.id, silenceMaxMs, onHead, onEnd });

		function onHead(head: Head) {
			if (attempt > 0) log.info("the head socket is back", { head: head.number });
			attempt = 0;
			complained.delete(url);
			options.onHead(head);
		}

		function onEnd(reason: string) {
			options.onLost();
			if (signal.aborted) return;
			// Once for each outage of each endpoint: one that is away for an hour is one event.
			if (!complained.has(url)) {
				const endpoint = new URL(url).host;
				log.warn("a head socket ended; polling until one is back", { endpoint, reason });
			}
			complained.add(url);
			const delayMs = Math.min(reconnectMinMs * 2 ** Math.min(attempt, 10), RECONNECT_MAX_MS);
			attempt++;
			timer = setTimeout(connect, delayMs);
		}
	}
}
