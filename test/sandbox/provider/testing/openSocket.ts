import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";
export type TestSocket = {
	/** Every frame so far, as received. */
	frames: any[];
	send(frame: unknown): void;
	/** Returns the first matching frame, received already or later. */
	next(fits: (frame: any) => boolean): Promise<any>;
	closed: Promise<number>;
	close(): void;
};

/** Opens a client of the stream that stores its frames. */
export async function openSocket(url: string): Promise<TestSocket> {
	const frames: any[] = [];
	const waiting = new Set<() => void>();
	const socket = new WebSocket(url);
	const closed = new Promise<number>((resolve) => {
		socket.addEventListener("close", (event) => resolve(event.code));
	});
	socket.onmessage = (event) => {
		frames.push(JSON.parse(String(event.data)));
		for (const look of waiting) look();
	};
	await new Promise<void>((resolve, reject) => {
		socket.onopen = () => resolve();
		socket.onerror = () => reject(new Error(`${url} did not open`));
	});
	return {
		frames,
		closed,
		send: (frame) => socket.send(JSON.stringify(frame)),
		close: () => socket.close(),
		next: (fits) =>
			new Promise((resolve, reject) => {
				const failed = () => reject(new Error(`no such frame in ${JSON.stringify(frames)}`));
				const timer = setTimeout(failed, WAIT_LIMIT_MS);
				const look = () => {
					const found = frames.find(fits);
					if (found === undefined) return;
					clearTimeout(timer);
					waiting.delete(look);
					resolve(found);
				};
				waiting.add(look);
				look();
			}),
	};
}
