export type ReceivedFrame = {
	type: string;
	seq: number;
	topic: string;
	at: string;
	epoch?: string;
	data: Record<string, unknown>;
};

export type StreamClient = {
	/** Everything received so far. */
	frames: ReceivedFrame[];
	/** Returns the next frame that was not taken yet. */
	next(): Promise<ReceivedFrame>;
	take(count: number): Promise<ReceivedFrame[]>;
	send(text: string): void;
	close(): void;
	closed: Promise<{ code: number; reason: string }>;
};

/** Opens a WebSocket client whose frames are awaited one by one, so that no test needs a sleep. */
export function streamClient(url: string, headers?: Record<string, string>): StreamClient {
	// Here the DOM's types win over Bun's, and they lack headers.
	const options = headers && ({ headers } as unknown as string[]);
	const socket = new WebSocket(url.replace(/^http/, "ws"), options);
	const frames: ReceivedFrame[] = [];
	const waiting: (() => void)[] = [];
	let taken = 0;
	const { promise: closed, resolve } = Promise.withResolvers<{ code: number; reason: string }>();
	const wake = () => {
		for (const go of waiting.splice(0)) go();
	};
	socket.onmessage = ({ data }) => {
		frames.push(JSON.parse(String(data)));
		wake();
	};
	let ended = false;
	socket.onclose = ({ code, reason }) => {
		ended = true;
		resolve({ code, reason });
		wake();
	};
	const next = async () => {
		for (;;) {
			const frame = frames[taken];
			if (frame) {
				taken += 1;
				return frame;
			}
			if (ended) throw new Error(`closed after ${frames.length} frames`);
			await new Promise<void>((go) => waiting.push(go));
		}
	};
	return {
		frames,
		next,
		async take(count) {
			const got: ReceivedFrame[] = [];
			while (got.length < count) got.push(await next());
			return got;
		},
		send: (text) => socket.send(text),
		close: () => socket.close(),
		closed,
	};
}
