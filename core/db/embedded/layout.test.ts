import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	canReach,
	chooseServerUser,
	prepareSocketDir,
	runCommand,
} from "#core/db/embedded/layout.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

describe("chooseServerUser", () => {
	const testAsRoot = skipWithReason(
		process.getuid?.() === 0 ? null : "only root starts as another user",
	);

	test("the server never runs as root, but as the user that chooseServerUser returns", async () => {
		const user = chooseServerUser();
		expect(user.uid).not.toBe(0);
		const { output } = await runCommand([...user.prefix, "id", "-u"], { timeoutMs: 5_000 });
		expect(output).toBe(String(user.uid));
	});

	testAsRoot("the server's user has none of root's groups", async () => {
		const user = chooseServerUser();
		const { output } = await runCommand([...user.prefix, "id", "-G"], { timeoutMs: 5_000 });
		expect(output.split(" ")).not.toContain("0");
	});

	test("a folder that everybody may enter counts as reachable", async () => {
		expect(await canReach(chooseServerUser(), "/usr")).toBe(true);
	});
});

describe("prepareSocketDir", () => {
	const testAsRoot = skipWithReason(
		process.getuid?.() === 0 ? null : "only root starts as another user",
	);

	const folder = mkdtempSync(join(tmpdir(), "tapeline-socket-"));
	const user = chooseServerUser();
	afterAll(() => rmSync(folder, { recursive: true }));

	test("only the server's user can enter the socket's folder, also after somebody changed its mode", () => {
		const socketDir = join(folder, "own");
		prepareSocketDir(socketDir, user);
		expect(statSync(socketDir).uid).toBe(user.uid);
		chmodSync(socketDir, 0o777);
		prepareSocketDir(socketDir, user);
		expect(statSync(socketDir).mode & 0o777).toBe(0o700);
	});

	test("a link in place of the folder is refused", () => {
		const socketDir = join(folder, "link");
		mkdirSync(join(folder, "elsewhere"));
		symlinkSync(join(folder, "elsewhere"), socketDir);
		expect(() => prepareSocketDir(socketDir, user)).toThrow("embedded_server_folder");
	});

	testAsRoot("a folder of another user is refused", () => {
		const socketDir = join(folder, "foreign");
		mkdirSync(socketDir);
		expect(() => prepareSocketDir(socketDir, user)).toThrow("belongs to somebody else");
	});
});
