import { closeCodes } from "#plugins/streams/closeCodes.ts";
import type { Feed } from "#plugins/streams/createTailer.ts";
import {
	PINGS_UNANSWERED_MAX,
	REPLAY_DRAIN_TIMEOUT_MS,
	UNSENT_BYTES_HIGH,
	UNSENT_BYTES_MAX,
} from "#plugins/streams/limits.ts";
import type { ResumePoint } from "#plugins/streams/readStreamQuery.ts";
import type { StreamSocket } from "#plugins/streams/StreamSocket.ts";
import type { StreamName } from "#plugins/streams/streamMetrics.ts";

/** What a client was granted before its upgrade. */
export type Admission = {
	stream: StreamName;
	topics: readonly string[];
	resume: ResumePoint | undefined;
	/** The client as limits count it; undefined where only the socket knows it. */
	client: string | undefined;
	/** Keeps the collection watched, called with each ping. */
	watch?: () => void;
};

/** One open stream. */
export type Session = {
	readonly admission: Admission;
	/** The topics that it has joined, in order. */
	readonly feeds: readonly Feed[];
	isOpen(): boolean;
	join(feed: Feed): void;
	send(text: string): void;
	/** Waits until at most so many bytes are unsent; a client that does not read is closed. */
	drained(unsentBytesMax: number): Promise<void>;
	/** Called when the socket has written something. */
	onDrain(): void;
	/** Closes a client that does not keep up. `look`: this is the regular check, once a second. */
	checkUnsent(options: { look: boolean }): void;
	/** Pings the client; closes one that left the last pings unanswered. */
	probe(): void;
	/** Records that the client answered or sent something. */
	heard(): void;
	close(code: number, reason: string): void;
	/** Gives back what the session holds, once the socket is gone. */
	release(): void;
};

/** Makes the state of one stream around its socket. Its topics are left when it ends. */
export function createSession(socket: StreamSocket, admission: Admission): Session {
	const feeds: Feed[] = [];
	let open = true;
	let highBefore = false;
	let unanswered = 0;
	let wake: (() => void) | undefined;

	function close(code: number, reason: string): void {
		if (!open) return;
		release();
		socket.close(code, reason);
	}
	function release(): void {
		open = false;
		for (const feed of feeds) feed.leave();
		wake?.();
	}
	const tooSlow = () => {
		close(closeCodes.slowConsumer, "slow consumer: resume with the last seq");
	};
	return {
		admission,
		feeds,
		isOpen: () => open,
		join(feed) {
			if (open) feeds.push(feed);
			else feed.leave();
		},
		send(text) {
			// The result of `send` is not used: at its limit Bun closes, and before that `checkUnsent`
			// does.
			if (open) socket.send(text);
		},
		async drained(unsentBytesMax) {
			const isFull = () => open && socket.getBufferedAmount() > unsentBytesMax;
			if (!isFull()) return;
			const deadline = setTimeout(tooSlow, REPLAY_DRAIN_TIMEOUT_MS);
			while (isFull()) {
				await new Promise<void>((resolve) => {
					wake = resolve;
				});
			}
			clearTimeout(deadline);
			wake = undefined;
		},
		onDrain: () => wake?.(),
		checkUnsent({ look }) {
			if (!open) return;
			const unsentBytes = socket.getBufferedAmount();
			const high = unsentBytes > UNSENT_BYTES_HIGH;
			if (unsentBytes > UNSENT_BYTES_MAX || (look && high && highBefore)) tooSlow();
			if (look) highBefore = high;
		},
		probe() {
			if (!open) return;
			if (unanswered >= PINGS_UNANSWERED_MAX) {
				close(closeCodes.silent, "no answer to pings");
				return;
			}
			unanswered += 1;
			socket.ping();
		},
		heard() {
			unanswered = 0;
		},
		close,
		release,
	};
}
