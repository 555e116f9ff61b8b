export type Calls = { total: number; byPath: Record<string, number>; recent: string[] };

export type CallLog = {
	note(method: string, url: URL): void;
	read(): Calls;
	clear(): void;
};

const PATHS_MAX = 5_000;
const RECENT_MAX = 200;

/** Makes a log of calls by path; it proves that a warm route made none. */
export function createCallLog(): CallLog {
	let total = 0;
	const byPath = new Map<string, number>();
	const recent: string[] = [];
	return {
		note(method, url) {
			total += 1;
			const key = `${method} ${url.pathname}`;
			if (byPath.has(key) || byPath.size < PATHS_MAX) byPath.set(key, (byPath.get(key) ?? 0) + 1);
			recent.push(`${method} ${url.pathname}${url.search}`);
			if (recent.length > RECENT_MAX) recent.shift();
		},
		read: () => ({ total, byPath: Object.fromEntries(byPath), recent: [...recent] }),
		clear() {
			total = 0;
			byPath.clear();
			recent.length = 0;
		},
	};
}
