import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() })).max(1_000);

/**
 * Recreates the libraries' symbolic links, which npm packages cannot contain.
 *
 * The package's install script would do it, but bun does not run install scripts of untrusted
 * packages. Repeating it changes nothing, so every start does it; a link is put in place by rename,
 * so two processes at once never see one missing.
 */
export function linkLibraries(native: string): void {
	const links = linksSchema.parse(
		JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")),
	);
	for (const { source, target } of links) {
		// Both are written as `native/lib/…`, and every link stays within its folder.
		const link = join(native, "..", target);
		const wanted = basename(source);
		if (currentTarget(link) === wanted) continue;
		const fresh = join(dirname(link), `.${basename(link)}.${randomUUID()}`);
		symlinkSync(wanted, fresh);
		renameSync(fresh, link);
	}
}

function currentTarget(link: string): string | undefined {
	try {
		return readlinkSync(link);
	} catch {
		return undefined;
	}
}
