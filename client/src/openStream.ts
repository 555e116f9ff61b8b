// Follows a stream, and goes on behind the last frame whenever the connection is lost.

/** Where a stream is: kept by a program, it goes on there after a restart. */
export type StreamPosition = { seq: number; epoch: string };

export type StreamHandlers<Frame> = {
	/** Called with each frame of the log, once and in order. */
	onFrame(frame: Frame): void;
	/**
	 * Called where frames are lost for good, and where everything before is to be read anew: read
	 * the state over HTTP; frames follow from here.
	 */
	onGap?(reason: string): void;
	/** Called when a connection is there, and whether it went on where the last one ended. */
	onOpen?(resumed: boolean): void;
	/** Called when a connection ends; the stream opens another by itself. */
	onLost?(code: number): void;
	/** Goes on behind this; left out: from now on. */
	from?: StreamPosition;
};

export type TapelineStream = {
	/** Returns where it is; null before the first connection. */
	position(): StreamPosition | null;
	/** Ends it; no handler is called any more. */
	close(): void;
};

type AnyFrame = { type: string; seq: number; epoch?: string; data?: unknown };

type Where = {
	url: string;
	path: string;
	query: Record<string, string>;
	WebSocket?: typeof WebSocket;
	/** Asks for what opens a private stream as its first message: each opens one. */
	ticket?: () => Promise<string>;
};

const AGAIN_MS_MIN = 250;
const AGAIN_MS_MAX = 30_000;
/** Close codes of the service: it ends and another takes over; too many streams of one address. */
const RESTARTS = 1012;
const TOO_MANY = 4029;
/** Two of the service's pings, which come every 15 s unless its hello says otherwise. */
const SILENT_MS = 40_000;

/** Opens a stream, and keeps it open until it is closed. */
export function openStream<Frame>(where: Where, handlers: StreamHandlers<Frame>): TapelineStream {
	let position = handlers.from ?? null;
	let socket: WebSocket | null = null;
	let isClosed = false;
	let failures = 0;
	let timer: ReturnType<typeof setTimeout> | undefined;

	/** Takes a connection that says nothing for lost: a cable that was pulled closes nothing. */
	function listen(silentMs = SILENT_MS): void {
		clearTimeout(timer);
		timer = setTimeout(() => lost(0), silentMs);
	}

	function lost(code: number): void {
		const held = socket;
		socket = null;
		if (held) {
			held.onmessage = null;
			held.onclose = null;
			held.close();
		}
		clearTimeout(timer);
		if (isClosed) return;
		failures = code === TOO_MANY ? failures + 4 : failures + 1;
		const waitMs = Math.min(AGAIN_MS_MAX, AGAIN_MS_MIN * 2 ** (failures - 1));
		timer = setTimeout(begin, code === RESTARTS && failures === 1 ? 0 : waitMs);
		handlers.onLost?.(code);
	}

	function take(frame: AnyFrame): void {
		const { type, seq, epoch } = frame;
		if (type === "hello") {
			failures = 0;
			position = { seq, epoch: epoch ?? "" };
			handlers.onOpen?.(memberOf(frame.data, "resumed") === true);
			return;
		}
		if (position === null || type === "ping" || type === "pong" || type === "error") return;
		if (type === "snapshot_required") {
			position = { ...position, seq };
			handlers.onGap?.(String(memberOf(frame.data, "reason")));
			return;
		}
		// Told twice: passed over. One is missing: it is asked for by resuming.
		if (seq <= position.seq) return;
		if (seq > position.seq + 1) {
			lost(0);
			return;
		}
		position = { ...position, seq };
		handlers.onFrame(frame as Frame);
	}

	/** Asks for a ticket where one is needed, and then connects. A silent answer is a lost socket. */
	function begin(): void {
		const asked = where.ticket && inTime(where.ticket());
		if (!asked) open();
		asked?.then(
			(ticket) => isClosed || open(ticket),
			() => lost(0),
		);
	}

	function open(ticket?: string): void {
		const opened = new (where.WebSocket ?? WebSocket)(addressOf(where, position));
		socket = opened;
		listen();
		if (ticket !== undefined) {
			opened.onopen = () => opened.send(JSON.stringify({ type: "ticket", ticket }));
		}
		opened.onmessage = ({ data }) => {
			listen();
			take(JSON.parse(String(data)));
		};
		opened.onclose = ({ code }) => lost(code);
	}

	begin();
	return {
		position: () => position,
		close() {
			isClosed = true;
			lost(0);
		},
	};
}

function addressOf({ url, path, query }: Where, position: StreamPosition | null): string {
	const target = new URL(path, url);
	target.protocol = target.protocol === "https:" ? "wss:" : "ws:";
	const from = position && { after: String(position.seq), epoch: position.epoch };
	target.search = new URLSearchParams({ ...query, ...from }).toString();
	return target.href;
}

function memberOf(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns what a promise gives, and rejects where that takes longer than a silent socket may. */
function inTime<Value>(asked: Promise<Value>): Promise<Value> {
	let timer: ReturnType<typeof setTimeout>;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error("no answer in time")), SILENT_MS);
	});
	return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
