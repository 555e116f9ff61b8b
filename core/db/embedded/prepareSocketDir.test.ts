import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseServerUser } from "#core/db/embedded/chooseServerUser.ts";
import { prepareSocketDir } from "#core/db/embedded/prepareSocketDir.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

const testAsRoot = skipWithReason(
	process.getuid?.() === 0 ? null : "only root starts as another user",
);

const folder = mkdtempSync(join(tmpdir(), "tapeline-socket-"));
const user = chooseServerUser();
afterAll(() => rmSync(folder, { recursive: true }));

test("the socket's folder is the server user's alone, also after somebody opened it", () => {
	const socketDir = join(folder, "own");
	prepareSocketDir(socketDir, user);
	expect(statSync(socketDir).uid).toBe(user.uid);
	chmodSync(socketDir, 0o777);
	prepareSocketDir(socketDir, user);
	expect(statSync(socketDir).mode & 0o777).toBe(0o700);
});

test("a link that somebody else put there is refused", () => {
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
