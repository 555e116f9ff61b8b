import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkConfig } from "#api/cli/startWorld.ts";

test("an invalid configuration is refused before anything starts, also a plugin's section", async () => {
	await checkConfig({ PORT: "0" });
	for (const [name, value] of [
		["PORT", "70000"],
		["PROVIDER_BASE_URL", "nowhere"],
	]) {
		await expect(checkConfig({ [String(name)]: value })).rejects.toMatchObject({
			code: "config_invalid",
			privateDetail: expect.stringContaining(String(name)),
		});
	}
});

test("a wrong PORT is told once, whoever reads it, and an unknown chain beside it", async () => {
	const child = Bun.spawn([process.execPath, "api/cli/up.ts"], {
		cwd: join(import.meta.dir, "../.."),
		env: { PATH: process.env["PATH"] ?? "", PORT: "abc", CHAINS: "base, nochain" },
		stdout: "ignore",
		stderr: "pipe",
	});
	const said = await new Response(child.stderr).text();
	expect(await child.exited).toBe(78);
	expect(said).toContain("The configuration has 2 errors:");
	expect(said.match(/^ {2}PORT .*$/gm)).toEqual(["  PORT  (core, wallets, agent, social)"]);
	expect(said.match(/^ {2}CHAINS .*\n.*$/gm)).toEqual([
		'  CHAINS  (core)\n    got       "nochain"',
	]);
	await expect(checkConfig({ PORT: "abc" })).rejects.toMatchObject({
		privateDetail: expect.stringContaining("The configuration has one error:"),
	});
});

test("a port in use is reported before the sandbox's chains are started", async () => {
	const folder = mkdtempSync(join(tmpdir(), "tapeline-port-"));
	const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
	const port = String(other.port);
	const child = Bun.spawn([process.execPath, "api/cli/up.ts"], {
		cwd: join(import.meta.dir, "../.."),
		env: { PATH: process.env["PATH"] ?? "", DATA_DIR: folder, PORT: port },
		stdout: "ignore",
		stderr: "pipe",
	});
	const said = await new Response(child.stderr).text();
	const code = await child.exited;
	await other.stop(true);
	const made = readdirSync(folder);
	rmSync(folder, { recursive: true });
	expect({ code, made }).toEqual({ code: 1, made: [] });
	expect(said).toContain(`PORT is ${port}, and another program listens there.`);
});
