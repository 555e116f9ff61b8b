import { afterAll, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chooseServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { locateBinaries } from "#core/db/embedded/locateBinaries.ts";
import { placeBinaries } from "#core/db/embedded/placeBinaries.ts";
import { runCommand } from "#core/db/embedded/runCommand.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const testAsRoot = skipWithReason(
	process.getuid?.() === 0 ? null : "only root starts as another user",
);

const user = chooseServerUser();
const folders: string[] = [];
afterAll(() => {
	for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test("binaries the server's user can reach stay where they are", async () => {
	// The clone that the tests run in may be private itself.
	const open = mkdtempSync(join(tmpdir(), "tapeline-open-"));
	folders.push(open);
	chmodSync(open, 0o755);
	const native = join(open, "native");
	cpSync(locateBinaries(), native, { recursive: true, verbatimSymlinks: true });
	expect(await placeBinaries({ user, log: silentLog, native })).toBe(native);
});

testAsRoot("binaries below a private folder are copied once, and the copy runs", async () => {
	// mkdtemp's mode is 0700, like /root's.
	const hidden = mkdtempSync(join(tmpdir(), "tapeline-hidden-"));
	folders.push(hidden);
	cpSync(locateBinaries(), join(hidden, "native"), { recursive: true, verbatimSymlinks: true });
	await Bun.write(join(hidden, "package.json"), `{"version":"test-${process.pid}"}`);
	const said: string[] = [];
	const log = { ...silentLog, info: (message: string) => void said.push(message) };
	const native = join(hidden, "native");
	const copy = await placeBinaries({ user, log, native });
	folders.push(dirname(copy));
	expect(copy).not.toStartWith(hidden);
	const command = [...user.prefix, join(copy, "bin", "postgres"), "--version"];
	expect((await runCommand(command, { timeoutMs: 10_000 })).output).toContain("PostgreSQL) 18");
	expect(await placeBinaries({ user, log, native })).toBe(copy);
	expect(said.length).toBe(1);
});
