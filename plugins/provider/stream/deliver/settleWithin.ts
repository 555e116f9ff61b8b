import type { Timers } from "#plugins/provider/stream/Timers.ts";

export type Settled =
	| { kind: "done" }
	| { kind: "failed"; error: unknown }
	/** It did not end in time; it is not waited for any longer. */
	| { kind: "late" };

/** Runs another plugin's listener, which may throw, at once or later, and may never end. */
export function settleWithin(
	run: () => Promise<void>,
	options: { timers: Timers; timeoutMs: number },
): Promise<Settled> {
	return new Promise((resolve) => {
		const cancel = options.timers.after(options.timeoutMs, () => resolve({ kind: "late" }));
		const settle = (settled: Settled) => {
			cancel();
			resolve(settled);
		};
		Promise.try(run).then(
			() => settle({ kind: "done" }),
			(error: unknown) => settle({ kind: "failed", error }),
		);
	});
}
