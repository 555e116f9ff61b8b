import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { until } from "#test/harness/until.ts";

const testOnLinux = skipWithReason(
	process.platform === "linux" ? null : "only Linux tells who a process's parent is now",
);

const watcher = (folder: string) => `
	const { watchParents } = await import("${join(import.meta.dir, "watchParents.ts")}");
	const stay = setInterval(() => {}, 1_000);
	watchParents(() => {
		clearInterval(stay);
		Bun.write("${folder}/gone", "");
	});
	await Bun.write("${folder}/watches", "");`;

/** A shell starts it by `bun run`, as `npx` does, with and without a shell in between. */
for (const [killed, rest] of [
	["the shell", ""],
	["the shell", " && true"],
	["bun run", ""],
	["bun run", " && true"],
] as const) {
	testOnLinux(
		`that ${killed} is gone is noticed, of a script that ends with "${rest}"`,
		async () => {
			const folder = await mkdtemp(join(tmpdir(), "tapeline-parents-"));
			await Bun.write(join(folder, "watcher.ts"), watcher(folder));
			const scripts = { watch: `'${process.execPath}' watcher.ts${rest}` };
			await Bun.write(join(folder, "package.json"), JSON.stringify({ scripts }));
			const command = `'${process.execPath}' run watch & echo $!; wait`;
			const shell = Bun.spawn(["sh", "-c", command], {
				cwd: folder,
				stdin: "ignore",
				stdout: "pipe",
				stderr: "ignore",
			});
			const told = await shell.stdout.getReader().read();
			const runner = Number(new TextDecoder().decode(told.value));
			try {
				await until(() => existsSync(join(folder, "watches")), "it watches");
				expect(existsSync(join(folder, "gone"))).toBe(false);
				process.kill(killed === "bun run" ? runner : shell.pid, "SIGKILL");
				await until(() => existsSync(join(folder, "gone")), "it has noticed");
			} finally {
				shell.kill("SIGKILL");
				await rm(folder, { recursive: true });
			}
		},
	);
}
