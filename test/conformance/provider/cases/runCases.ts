import { test } from "bun:test";
import type { Case } from "#test/conformance/provider/cases/Case.ts";
import type { ConformanceLab } from "#test/conformance/provider/lab/openConformanceLab.ts";

/**
 * Runs a table's cases one after the other, on the lab that is open by then. Each begins when
 * nothing runs that the one before began by looking: a sync under way is neither old nor new.
 */
export function runCases(cases: readonly Case[], lab: () => ConformanceLab): void {
	for (const { number, point, name, run } of cases) {
		const title = `P-${String(number).padStart(3, "0")} ${point}: ${name}`;
		const runAtRest = async () => {
			await lab().idle();
			await run(lab());
		};
		test(title, runAtRest);
	}
}
