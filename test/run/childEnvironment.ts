import { randomInt } from "node:crypto";

/** Of 31 bits: everything that draws takes such a seed. */
const SEED_MAX = 2 ** 31;

/**
 * The environment of the tests: this process's, without what a developer's `.env` put into it. Bun
 * has read that file before the first line of this program ran, and a suite that passes only with
 * somebody's keys proves nothing. To prove takes a fresh seed, unless one is asked for.
 */
export async function childEnvironment(root: string, prove: boolean) {
	const env: Record<string, string | undefined> = { ...process.env };
	for (const path of new Bun.Glob(".env*").scanSync({ cwd: root, dot: true })) {
		if (path === ".env.example") continue;
		const text = await Bun.file(`${root}/${path}`).text();
		for (const [, name = ""] of text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm)) {
			delete env[name];
		}
	}
	// Set by a test runner above us; a test would write its reasons into that one's file.
	delete env.TEST_SKIP_REASONS_FILE;
	delete env.PROVE;
	if (!prove) return env;
	return { ...env, PROVE: "1", TEST_SEED: env.TEST_SEED ?? `${randomInt(SEED_MAX)}` };
}
