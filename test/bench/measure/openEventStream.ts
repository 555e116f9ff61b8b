import type { Scope } from "#test/bench/createScope.ts";

export type ToldEvent = { id: string; retracted: boolean };

/** The events that a subscriber of one collection receives. */
export type EventStream = {
	/** Returns the next so many events, with the time of the last. */
	next(count: number): Promise<{ told: readonly ToldEvent[]; atMs: number }>;
	close(): Promise<void>;
};

const TIMEOUT_MS = 20_000;

type Frame = { type: string; data?: { id?: string; retracted?: boolean } };

export async function openEventStream(scope: Scope, url: string): Promise<EventStream> {
	const socket = new WebSocket(url);
	const close = scope.defer(async () => socket.close());
	const hello = Promise.withResolvers<void>();
	let take = (_: ToldEvent, _atMs: number) => {};
	socket.onmessage = ({ data }) => {
		const atMs = performance.now();
		const { type, data: event } = JSON.parse(String(data)) as Frame;
		if (type === "hello") hello.resolve();
		if (type !== "market_event") return;
		take({ id: event?.id ?? "", retracted: event?.retracted === true }, atMs);
	};
	socket.onclose = ({ code }) => hello.reject(new Error(`the stream closed with code ${code}`));
	await hello.promise;
	return {
		close,
		next(count) {
			return new Promise((resolve, reject) => {
				const told: ToldEvent[] = [];
				const late = () => reject(new Error(`${told.length} of ${count} events were told`));
				const timer = setTimeout(late, TIMEOUT_MS);
				take = (event, atMs) => {
					if (told.push(event) < count) return;
					clearTimeout(timer);
					take = () => {};
					resolve({ told, atMs });
				};
			});
		},
	};
}
