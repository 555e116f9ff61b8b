import { lazily } from "#core/http/testing/lazily.ts";
import { streamRoutes } from "#plugins/streams/routes.ts";
import { createFrameCheck } from "#test/harness/document/createFrameCheck.ts";
import { documentsOf } from "#test/harness/document/documentsOf.ts";
import { WAIT_LIMIT_MS } from "#test/harness/testLimits.ts";

export type TestStream = {
	/** Every frame so far, parsed, in order of arrival. */
	frames: any[];
	/** Returns the first matching frame, received already or later. */
	next(fits: (frame: any) => boolean): Promise<any>;
	/** Returns the first `count` matching frames. */
	take(count: number, fits: (frame: any) => boolean): Promise<any[]>;
	close(): void;
};

/** Checks frames against the AsyncAPI document, which is built from the routes without a server. */
const frameCheck = lazily(() =>
	createFrameCheck(documentsOf([streamRoutes({} as never)]).asyncApi),
);

/**
 * Opens a WebSocket client that stores its frames. A frame that does not fit the AsyncAPI document
 * fails the test that waits for a frame.
 *
 * It resolves after the server's greeting: changes committed between the upgrade and the greeting
 * are never sent to this client.
 */
export async function openStream(url: string): Promise<TestStream> {
	const frames: any[] = [];
	const waiting = new Set<() => void>();
	const socket = new WebSocket(url);
	const wrong: string[] = [];
	socket.onmessage = (event) => {
		const frame = JSON.parse(String(event.data));
		wrong.push(...[frameCheck()(new URL(url).pathname, frame) ?? []].flat());
		frames.push(frame);
		for (const look of waiting) look();
	};
	await new Promise<void>((resolve, reject) => {
		const look = () => {
			if (!frames.some(({ type }) => type === "hello")) return;
			waiting.delete(look);
			resolve();
		};
		waiting.add(look);
		socket.onerror = () => reject(new Error(`${url} did not open`));
		socket.onclose = (event) => reject(new Error(`${url} closed with ${event.code}`));
	});
	const take = (count: number, fits: (frame: any) => boolean) =>
		new Promise<any[]>((resolve, reject) => {
			const timer = setTimeout(() => {
				waiting.delete(look);
				const types = frames.map((frame) => frame.type).join(" ");
				reject(new Error(`waited for ${count} frames; got: ${types}`));
			}, WAIT_LIMIT_MS);
			const look = () => {
				const found = frames.filter(fits);
				if (found.length < count && wrong.length === 0) return;
				clearTimeout(timer);
				waiting.delete(look);
				if (wrong.length > 0) reject(new Error(wrong.join("\n")));
				else resolve(found.slice(0, count));
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
