/** X's prices, in thousandths of a dollar. */
const PRICES = {
	post_read: 5,
	owned_read: 1,
	user_read: 10,
	message_read: 10,
	post: 15,
	summoned_reply: 10,
	post_with_link: 200,
	message: 15,
	delivery: 5,
	message_delivery: 10,
} as const;

export type Billed = keyof typeof PRICES;

/** Counts what the app would pay, by kind of item. */
export function createMeter() {
	const counts = new Map<Billed, number>();
	return {
		note: (what: Billed, times = 1): void => void counts.set(what, (counts.get(what) ?? 0) + times),
		read() {
			const items = Object.fromEntries(counts);
			const thousandths = [...counts].reduce((sum, [what, n]) => sum + PRICES[what] * n, 0);
			return { items, usd: thousandths / 1_000 };
		},
	};
}

export type Meter = ReturnType<typeof createMeter>;

export type Window = { max: number; windowMs: number };

/** X's limits per account; each is a fixed window that begins with its first call. */
export const LIMITS: readonly (readonly [RegExp, Window])[] = [
	[/^POST \/2\/tweets$/, { max: 100, windowMs: 900_000 }],
	[/^POST \/2\/dm_conversations\//, { max: 15, windowMs: 900_000 }],
	[/^GET \/2\/users\/\d+\/mentions$/, { max: 300, windowMs: 900_000 }],
	[/^GET \/2\/dm_events$/, { max: 15, windowMs: 900_000 }],
	[/^GET \/2\/users\/me$/, { max: 75, windowMs: 900_000 }],
	[/^GET \/2\/usage\/tweets$/, { max: 50, windowMs: 900_000 }],
];

/** Counts calls; returns when the window ends if a call exceeds its limit, else null. */
export function createRates(nowMs: () => number) {
	const windows = new Map<string, { taken: number; endsAtMs: number }>();
	return (call: string): number | null => {
		const found = LIMITS.find(([pattern]) => pattern.test(call));
		if (!found) return null;
		const [pattern, { max, windowMs }] = found;
		const atMs = nowMs();
		const known = windows.get(pattern.source);
		const window = known && known.endsAtMs > atMs ? known : { taken: 0, endsAtMs: atMs + windowMs };
		windows.set(pattern.source, window);
		window.taken += 1;
		return window.taken > max ? window.endsAtMs : null;
	};
}
