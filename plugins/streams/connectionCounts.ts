export type ConnectionCounts = {
	/** False where the client holds as many as it may; nothing is counted then. */
	enter(client: string): boolean;
	leave(client: string): void;
};

/** Counts open streams by client address. Holds one entry for each client that has any. */
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
