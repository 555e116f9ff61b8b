export type TestStream = {
	/** Every frame so far, parsed, in order of arrival. */
	frames: any[];
	/** The first frame that fits, of those already here or still to come. */
	next(fits: (frame: any) => boolean): Promise<any>;
	/** The first `count` frames that fit. */
	take(count: number, fits: (frame: any) => boolean): Promise<any[]>;
	close(): void;
};

const FRAME_TIMEOUT_MS = 50_000;

/** A WebSocket client that remembers what it was told. */
export async function openStream(url: string): Promise<TestStream> {
	const frames: any[] = [];
	const waiting = new Set<() => void>();
	const socket = new WebSocket(url);
	socket.onmessage = (event) => {
		frames.push(JSON.parse(String(event.data)));
		for (const look of waiting) look();
	};
	await new Promise<void>((resolve, reject) => {
		socket.onopen = () => resolve();
		socket.onerror = () => reject(new Error(`${url} did not open`));
		socket.onclose = (event) => reject(new Error(`${url} closed with ${event.code}`));
	});
	const take = (count: number, fits: (frame: any) => boolean) =>
		new Promise<any[]>((resolve, reject) => {
			const timer = setTimeout(() => {
				waiting.delete(look);
				const types = frames.map((frame) => frame.type).join(" ");
				reject(new Error(`waited for ${count} frames; got: ${types}`));
			}, FRAME_TIMEOUT_MS);
			const look = () => {
				const found = frames.filter(fits);
				if (found.length < count) return;
				clearTimeout(timer);
				waiting.delete(look);
				resolve(found.slice(0, count));
			};
			waiting.add(look);
			look();
		});
	return {
		frames,
		take,
		next: async (fits) => (await take(1, fits))[0],
		close: () => socket.close(),
	};
}
