import {
	FRAMES_PER_TURN_MAX,
	INBOX_BYTES_MAX,
	INBOX_REST_MS_MAX,
	INBOX_REST_SHARE,
	INBOX_UNHURRIED_MAX,
} from "#plugins/provider/stream/limits.ts";

/** A socket's messages that are still unread. */
export type Inbox = {
	/** Hands a message on at once, or after earlier ones. */
	add(data: unknown): void;
	/** Runs a function after all earlier messages. */
	behind(run: () => void): void;
	/** Forgets waiting messages, and hands none on any more. */
	close(): void;
};

/**
 * Makes an inbox that hands on a socket's messages in order, a few frames at a time. A flood is
 * read from the network in pieces of half a megabyte: all of a piece at once would block all other
 * work (500 frames took 45 ms). Between two parts of a flood it rests for longer than it worked: a
 * request for a page comes back to the event loop for each answer of the database, and would wait
 * for a part each time. Where very many frames wait it does not rest, with one part in each turn of
 * the event loop. Waiting messages are bounded in bytes; `full` is called once where one does not
 * fit, and later ones are left out.
 */
export function createInbox(options: {
	receive(data: unknown): void;
	full(): void;
	/** Runs a function so many milliseconds later; at 0 in the next turn of the event loop. */
	later?: (ms: number, run: () => void) => void;
	nowMs?: () => number;
}): Inbox {
	const { receive, full, later = runLater, nowMs = () => performance.now() } = options;
	const waiting: { bytes: number; run: () => void }[] = [];
	let bytes = 0;
	let left = FRAMES_PER_TURN_MAX;
	let isPlanned = false;
	let isClosed = false;
	let isFull = false;

	function plan(restMs: number): void {
		if (isPlanned) return;
		isPlanned = true;
		later(restMs, () => {
			isPlanned = false;
			left = FRAMES_PER_TURN_MAX;
			const beganMs = nowMs();
			while (left > 0) {
				const next = waiting.shift();
				if (!next) break;
				bytes -= next.bytes;
				left--;
				next.run();
			}
			if (waiting.length > 0) plan(restAfter(nowMs() - beganMs));
		});
	}

	function restAfter(workedMs: number): number {
		if (waiting.length > INBOX_UNHURRIED_MAX) return 0;
		return Math.min(workedMs * INBOX_REST_SHARE, INBOX_REST_MS_MAX);
	}

	function put(size: number, run: () => void): void {
		if (isClosed) return;
		plan(0);
		if (waiting.length === 0 && left > 0) {
			left--;
			run();
		} else {
			waiting.push({ bytes: size, run });
			bytes += size;
		}
	}

	return {
		add(data) {
			const size = typeof data === "string" ? data.length : 0;
			if (isFull) return;
			isFull = bytes + size > INBOX_BYTES_MAX;
			if (isFull) full();
			else put(size, () => receive(data));
		},
		behind: (run) => put(0, run),
		close() {
			isClosed = true;
			waiting.length = 0;
			bytes = 0;
		},
	};
}

function runLater(ms: number, run: () => void): void {
	if (ms > 0) setTimeout(run, ms);
	else setImmediate(run);
}
