import { test } from "bun:test";
import { appendFileSync } from "node:fs";

type TestBody = () => void | Promise<void>;
type NamedTest = (name: string, body: TestBody, timeoutMs?: number) => void;

/**
 * Skips a test with a reason, in the output and in the report: the only allowed way to skip.
 *
 * @param why null runs the test.
 * @example
 * const testWithLogs = skipWithReason(existsSync(file) ? null : `${file} is not here`);
 * testWithLogs("ING-12 every real sale is decoded", () => { … });
 */
export function skipWithReason(why: string | null): NamedTest {
	if (why === null) return (name, body, timeoutMs) => test(name, body, timeoutMs);
	return (name, body) => {
		test.skip(name, body);
		console.log(`SKIP-REASON ${name}: ${why}`);
		// The runner reads this file: the output of parallel workers cannot be separated reliably.
		const file = Bun.env.TEST_SKIP_REASONS_FILE;
		if (file) appendFileSync(file, `${JSON.stringify({ name, why })}\n`);
	};
}
