import { afterAll, beforeEach, expect, test } from "bun:test";
import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkLibraries } from "#core/db/embedded/linkLibraries.ts";

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

test("a missing link is made, beside its library and relative to it", () => {
	linkLibraries(native);
	expect(readlinkSync(link)).toBe("libpq.so.5.18");
	expect(readdirSync(join(native, "lib")).length).toBe(2);
});

test("a right link is left alone", () => {
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
