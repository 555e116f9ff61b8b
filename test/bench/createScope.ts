/** Started things that must be stopped, whatever happens. */
export type Scope = {
	/**
	 * Registers how to stop a thing; returns a function that does it now, once. In a closing scope
	 * the thing is stopped with the rest, and the call throws.
	 */
	defer(stop: () => Promise<void>): () => Promise<void>;
	/** Stops the rest, newest first. A failure does not keep the others running. */
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
