export type ConnectionCounts = {
	/** Counts a new stream; returns false, without counting, where the client holds the maximum. */
	enter(client: string): boolean;
	leave(client: string): void;
};

/** Counts open streams by client address. Holds one entry for each client with a stream. */
export function connectionCounts(max: number): ConnectionCounts {
	const counts = new Map<string, number>();
	return {
		enter(client) {
			const count = counts.get(client) ?? 0;
			if (count >= max) return false;
			counts.set(client, count + 1);
			return true;
		},
		leave(client) {
			const count = counts.get(client) ?? 0;
			if (count <= 1) counts.delete(client);
			else counts.set(client, count - 1);
		},
	};
}
