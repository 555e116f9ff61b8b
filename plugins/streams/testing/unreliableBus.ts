import type { Bus } from "#core/bus.ts";

export type Fate = "deliver" | "drop" | "double" | "hold";

/**
 * Makes a bus that treats each announcement in turn as given: delivers, loses or doubles it, or
 * holds it back until the one after the next. After that it loses everything.
 */
export function unreliableBus(fates: readonly Fate[]): Bus {
	const handlers = new Set<(message: string) => void>();
	const held: { message: string; dueAt: number }[] = [];
	let count = 0;
	const deliver = (message: string) => {
		for (const handler of handlers) handler(message);
	};
	return {
		publish(_channel, message) {
			const fate = fates[count++] ?? "drop";
			if (fate === "hold") held.push({ message, dueAt: count + 2 });
			if (fate === "deliver" || fate === "double") deliver(message);
			if (fate === "double") deliver(message);
			while (held[0] && held[0].dueAt <= count) deliver(held.shift()?.message ?? "");
		},
		subscribe(_channel, handler) {
			handlers.add(handler);
			return () => handlers.delete(handler);
		},
		async close() {},
	};
}
