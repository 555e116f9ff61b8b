import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { assert } from "#core/fault.ts";

export type OtherAnswer = {
	ok: boolean;
	how?: "started" | "joined";
	tookMs?: number;
	rows?: Record<string, unknown>[];
	code?: string;
	text?: string;
};

export type OtherProcess = {
	child: ChildProcess;
	/** Returns its next line. */
	answer(): Promise<OtherAnswer>;
	ask(line: string): Promise<OtherAnswer>;
	/** Ends it by kill -9, and waits until it is gone. */
	kill(): Promise<void>;
};

/** Starts `otherProcess.ts`, for tests. */
export function spawnOther(role: "server" | "lock", path: string): OtherProcess {
	const file = fileURLToPath(new URL("./otherProcess.ts", import.meta.url));
	const child = spawn(process.execPath, [file, role, path], { stdio: ["pipe", "pipe", "inherit"] });
	const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const answer = async (): Promise<OtherAnswer> => {
		const next = await lines.next();
		assert(!next.done, "the other process answers before it ends");
		return JSON.parse(next.value);
	};
	return {
		child,
		answer,
		ask(line) {
			child.stdin.write(`${line}\n`);
			return answer();
		},
		async kill() {
			child.kill("SIGKILL");
			await exited;
		},
	};
}
