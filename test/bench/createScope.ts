/** What was started and has to be stopped, whatever happens. */
export type Scope = {
	/** Registers how to stop a thing; answers a function that does it now, once. */
	defer(stop: () => Promise<void>): () => Promise<void>;
	/** Stops what is left, newest first. One that fails does not keep the others alive. */
	close(): Promise<void>;
};

export function createScope(): Scope {
	const open: (() => Promise<void>)[] = [];
	return {
		defer(stop) {
			let stopping: Promise<void> | null = null;
			const once = () => {
				stopping ??= stop().finally(() => {
					const at = open.indexOf(once);
					if (at >= 0) open.splice(at, 1);
				});
				return stopping;
			};
			open.push(once);
			return once;
		},
		async close() {
			for (const stop of open.toReversed()) {
				await stop().catch((error) => process.stderr.write(`did not stop: ${error}\n`));
			}
		},
	};
}
