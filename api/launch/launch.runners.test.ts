import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { skipWithReason } from "#test/harness/skipWithReason.ts";
import { until } from "#test/harness/until.ts";

// Guarantee: a signal to what a program was started by ends the program, in order; and a person's
// shell that ends leaves it alone.

const testOnLinux = skipWithReason(
	process.platform === "linux" ? null : "only Linux tells who started a process",
);

const program = (folder: string) => `
	const { endWithRunners } = await import("${join(import.meta.dir, "launch.ts")}");
	const stay = setInterval(() => {}, 1_000);
	process.on("SIGTERM", () => {
		clearInterval(stay);
		Bun.write("${folder}/ended", "");
	});
	endWithRunners(20);
	let ticks = 0;
	setInterval(() => Bun.write("${folder}/ticks", String(++ticks)), 20).unref();
	await Bun.write("${folder}/runs", String(process.pid));`;

for (const rest of ["", " && true"]) {
	testOnLinux(`a script "program${rest}" ends with "bun run", and not with a shell`, async () => {
		const folder = await mkdtemp(join(tmpdir(), "tapeline-runners-"));
		await Bun.write(join(folder, "program.ts"), program(folder));
		const scripts = { up: `'${process.execPath}' program.ts${rest}` };
		await Bun.write(join(folder, "package.json"), JSON.stringify({ scripts }));
		// A shell with a job in the background, as a person has one: not one line of a script.
		await Bun.write(join(folder, "shell.sh"), `'${process.execPath}' run up & echo $!; wait`);
		const shell = Bun.spawn(["sh", "shell.sh"], {
			cwd: folder,
			stdin: "ignore",
			stdout: "pipe",
			stderr: "ignore",
		});
		const told = await shell.stdout.getReader().read();
		const runner = Number(new TextDecoder().decode(told.value));
		const runs = join(folder, "runs");
		try {
			await until(async () => existsSync(runs) && (await Bun.file(runs).text()) !== "", "it runs");
			shell.kill("SIGKILL");
			await shell.exited;
			const pid = Number(await Bun.file(runs).text());
			await until(() => isInOrphanage(runner), "its shell is gone");
			const before = await ticksOf(folder);
			await until(async () => (await ticksOf(folder)) > before + 5, "it has looked again");
			process.kill(pid, 0);
			expect(existsSync(join(folder, "ended"))).toBe(false);
			process.kill(runner, "SIGKILL");
			await until(() => existsSync(join(folder, "ended")), "it has ended");
		} finally {
			shell.kill("SIGKILL");
			await rm(folder, { recursive: true });
		}
	});
}

async function ticksOf(folder: string): Promise<number> {
	const file = Bun.file(join(folder, "ticks"));
	return (await file.exists()) ? Number(await file.text()) : 0;
}

/** Whether nobody waits for a process any more but the system. */
async function isInOrphanage(pid: number): Promise<boolean> {
	const text = await Bun.file(`/proc/${pid}/stat`).text();
	const parent = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
	const name = await Bun.file(`/proc/${parent}/comm`).text();
	return name.trim() !== "sh";
}
