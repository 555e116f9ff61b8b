import type { Head } from "#core/chain/heads/Head.ts";
import type { Log } from "#core/log/Log.ts";
import { sleep } from "#core/time/sleep.ts";
import { wakeable } from "#core/time/wakeable.ts";
import { HEAD_TIMEOUT_MS } from "#plugins/wallets/reconcile/limits.ts";

/** Longer than any timer may be late; a bell ends it. */
const FOR_EVER_MS = 2 ** 31 - 1;

/**
 * Searches each new head of a chain until the signal aborts, one search at a time: what comes
 * meanwhile is one head, the highest. Two searches of heads never begin closer than `apartMs`, so
 * that a chain of many blocks a second costs no more than any other. After each there is one search
 * without a head.
 */
export async function followHeads(options: {
	/** Hands over heads until the signal aborts. */
	watch(onHead: (head: Head) => void, signal: AbortSignal): void;
	search(head: Head | null, signal: AbortSignal): Promise<void>;
	log: Log;
	apartMs: number;
	againMs: number;
	signal: AbortSignal;
}): Promise<void> {
	const { watch, log, apartMs, againMs, signal } = options;
	const bell = wakeable();
	let next: Head | null = null;
	watch((head) => {
		if (next && next.number > head.number) return;
		next = head;
		bell.ring();
	}, signal);

	let searched = "";
	while (!signal.aborted) {
		await bell.wait(FOR_EVER_MS, signal);
		const head = takeNext();
		if (signal.aborted) return;
		// Each socket says it, and each poll says it again.
		if (!head || head.hash === searched) continue;
		searched = head.hash;
		await Promise.all([search(head), sleep(againMs, signal)]);
		await Promise.all([search(null), sleep(apartMs - againMs, signal)]);
	}

	function takeNext(): Head | null {
		const head = next;
		next = null;
		return head;
	}

	async function search(head: Head | null): Promise<void> {
		try {
			const within = AbortSignal.any([signal, AbortSignal.timeout(HEAD_TIMEOUT_MS)]);
			await options.search(head, within);
		} catch (error) {
			// By the clock all of it is looked at as well.
			if (!signal.aborted) log.warn("the newest blocks could not be searched", { error });
		}
	}
}
