export type ReplayGate = <Result>(run: () => Promise<Result>) => Promise<Result>;

/** Makes a gate that lets at most `max` functions run at a time; the others wait in order. */
export function replayGate(max: number): ReplayGate {
	const waiting: (() => void)[] = [];
	let running = 0;
	return async (run) => {
		if (running < max) running += 1;
		// An ended function hands its place over, so the count stays.
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await run();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else running -= 1;
		}
	};
}
