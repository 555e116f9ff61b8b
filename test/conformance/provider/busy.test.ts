import { afterAll, beforeAll } from "bun:test";
import { busyCases } from "#test/conformance/provider/cases/busyCases.ts";
import { runCases } from "#test/conformance/provider/cases/Case.ts";
import {
	type ConformanceLab,
	openConformanceLab,
} from "#test/conformance/provider/openConformanceLab.ts";

// Guarantee: however many sales a day some collections have, every collection is synced, within a
// bound, with hardly a page read twice.

/** Half of what the key allows, so that no share of the minute is waited for in real time. */
const MS_PER_CALL = 1_000;
/** Fifteen pages for one of them, five for each of the others. */
const SALES_A_DAY = [2_880, 960, 960, 960, 960];

let lab: ConformanceLab;
beforeAll(async () => {
	lab = await openConformanceLab({
		world: { busyOnly: true, busy: SALES_A_DAY, minor: 12 },
		chains: "base",
		msPerCall: MS_PER_CALL,
	});
	await lab.runJob("discovery");
	await lab.settle();
});
afterAll(() => lab?.close());

runCases(busyCases, () => lab);
