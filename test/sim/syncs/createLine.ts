import type { NewJob } from "#core/queue/JobQueue.ts";

/** Jobs in line, each key once, by priority and then by when they came. */
export function createLine() {
	let jobs: NewJob[] = [];
	return {
		async add(_tx: unknown, added: readonly NewJob[]) {
			const keys = new Set(added.map(({ key }) => key));
			const ours = added.filter(({ task }) => task === "market-index.full-sync");
			jobs = [...jobs.filter(({ key }) => !keys.has(key)), ...ours];
		},
		take(): NewJob | undefined {
			const first = jobs.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0))[0];
			jobs = jobs.filter((job) => job !== first);
			return first;
		},
	};
}
