import { eachFile } from "#test/tidy/eachFile.ts";
import { findInCode } from "#test/tidy/findInCode.ts";
import type { Rule } from "#test/tidy/Rule.ts";

export const moduleMocks: Rule = {
	name: "module-mocks",
	why: "mock.module leaks from one test file into the next (reproduced on Bun 1.4.5)",
	check: eachFile(({ code }) =>
		findInCode(code, /\bmock\s*\.\s*module\b|\b(?:jest|vi)\s*\.\s*mock\b/).map((line) => ({
			line,
			message: "pass the dependency in instead",
		})),
	),
	bad: [
		[{ path: "core/a.test.ts", text: 'mock.module("#core/b.ts", () => ({}));' }],
		[{ path: "test/harness/a.ts", text: 'vi.mock("#core/b.ts");' }],
	],
	good: [[{ path: "core/a.test.ts", text: "const call = mock(() => 1); // mock.module" }]],
};
