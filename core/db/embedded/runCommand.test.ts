import { expect, test } from "bun:test";
import { runCommand } from "#core/db/embedded/layout.ts";

test("a failing command returns its exit code and its output", async () => {
	const result = await runCommand(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], {
		timeoutMs: 5_000,
	});
	expect(result.exitCode).toBe(3);
	expect(result.output).toContain("out");
	expect(result.output).toContain("err");
});

test("a command gets no variable of our environment", async () => {
	process.env.PGDATA_TEST_SECRET = "secret";
	const { output } = await runCommand(["/usr/bin/env"], { timeoutMs: 5_000 });
	delete process.env.PGDATA_TEST_SECRET;
	expect(output).not.toContain("secret");
});

test("a command that does not end is killed and is a Fault", async () => {
	await expect(runCommand(["/bin/sleep", "60"], { timeoutMs: 50 })).rejects.toMatchObject({
		code: "embedded_server_command",
	});
});

test("a program that does not exist is a Fault", async () => {
	await expect(runCommand(["/nonexistent/program"], { timeoutMs: 5_000 })).rejects.toMatchObject({
		code: "embedded_server_command",
	});
});
