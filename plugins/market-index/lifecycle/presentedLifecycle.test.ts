import { expect, test } from "bun:test";
import { presentedLifecycle } from "#plugins/market-index/lifecycle/presentedLifecycle.ts";

const NOW = 1_700_000_000_000;
const QUARTER = 15 * 60_000;

test("[IDX-04] minted_out is presented up to 15 minutes after the last mint, then secondary", () => {
	expect(presentedLifecycle("minted_out", NOW, NOW)).toBe("minted_out");
	expect(presentedLifecycle("minted_out", NOW - QUARTER, NOW)).toBe("minted_out");
	expect(presentedLifecycle("minted_out", NOW - QUARTER - 1, NOW)).toBe("secondary");
	expect(presentedLifecycle("minted_out", null, NOW)).toBe("secondary");
});

test("[IDX-04] every other lifecycle is presented as it is stored", () => {
	for (const stored of ["upcoming", "minting", "secondary"] as const) {
		expect(presentedLifecycle(stored, NOW - QUARTER - 1, NOW)).toBe(stored);
	}
});
