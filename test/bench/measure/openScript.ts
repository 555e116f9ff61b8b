import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { Scope } from "#test/bench/createScope.ts";

/** A script in a process of its own that takes orders and answers in JSON lines. */
export type Script = {
	pid: number;
	order(order: object): void;
	/** Returns the next line; throws where it ends, or is silent for too long. */
	line(): Promise<unknown>;
	stop(): Promise<void>;
};

const LINE_TIMEOUT_MS = 120_000;

export function openScript(
	scope: Scope,
	args: readonly string[],
	env: Record<string, string | undefined> = process.env,
): Script {
	const child = Bun.spawn([process.execPath, ...args], {
		env,
		stdin: "pipe",
		stdout: "pipe",
		stderr: "inherit",
	});
	const stop = scope.defer(async () => {
		child.kill("SIGTERM");
		await child.exited;
	});
	const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) });
	const iterator = lines[Symbol.asyncIterator]();
	return {
		pid: child.pid,
		stop,
		order(order: object) {
			child.stdin.write(`${JSON.stringify(order)}\n`);
			child.stdin.flush();
		},
		async line(): Promise<unknown> {
			const late = Promise.withResolvers<never>();
			const timer = setTimeout(() => late.reject(new Error(`${args}: no word`)), LINE_TIMEOUT_MS);
			try {
				const next = await Promise.race([iterator.next(), late.promise]);
				if (next.done) throw new Error(`${args} ended`);
				return JSON.parse(next.value);
			} finally {
				clearTimeout(timer);
			}
		},
	};
}
