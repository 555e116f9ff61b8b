/** Style and documents are about the whole tree. */
const ALWAYS = "test/tidy/";

/**
 * Returns the tests that a quick check runs: those that changed, those beside a file that changed
 * (`readX.test.ts` and `readX.bounds.test.ts` of `readX.ts`), and the rules of style.
 */
export function testsOfChanged(tests: readonly string[], changed: readonly string[]): string[] {
	const names = new Set(changed.map((path) => path.replace(/\.tsx?$/, "")));
	return tests.filter((test) => {
		return test.startsWith(ALWAYS) || changed.includes(test) || names.has(subjectOf(test));
	});
}

/** The path of what a test is about, without its ending. */
function subjectOf(test: string): string {
	const folder = test.slice(0, test.lastIndexOf("/") + 1);
	const [name = ""] = test.slice(folder.length).split(".");
	return folder + name;
}
