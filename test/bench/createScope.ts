/** What was started and has to be stopped, whatever happens. */
export type Scope = {
	/**
	 * Registers how to stop a thing; answers a function that does it now, once. In a scope that is
	 * closing the thing is stopped with the rest, and whoever started it is told by a throw.
	 */
	defer(stop: () => Promise<void>): () => Promise<void>;
	/** Stops what is left, newest first. One that fails does not keep the others alive. */
	close(): Promise<void>;
};

export function createScope(): Scope {
	const open: (() => Promise<void>)[] = [];
	let closed = false;
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
			if (closed) throw new Error("interrupted");
			return once;
		},
		async close() {
			closed = true;
			for (let stop = open.at(-1); stop; stop = open.at(-1)) {
				await stop().catch((error) => process.stderr.write(`did not stop: ${error}\n`));
			}
		},
	};
}
