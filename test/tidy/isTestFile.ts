/**
 * Tests, everything under `test/`, and what several tests beside it share (`…Cases.ts`, a folder
 * `testing/`): none of it is shipped, so some rules do not hold there.
 */
export function isTestFile(path: string): boolean {
	return path.startsWith("test/") || /\.test\.tsx?$|Cases\.ts$|\/testing\//.test(path);
}
