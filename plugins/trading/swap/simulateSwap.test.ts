import { expect, test } from "bun:test";
import { PROBE_CODE } from "#plugins/trading/swap/abi/swapProbe.ts";
import { readSimulation, simulationDenial } from "#plugins/trading/swap/simulateSwap.ts";
import { compileProbe } from "#plugins/trading/testing/compileProbe.ts";

test("the probe's code is what its source compiles to", () => {
	expect(PROBE_CODE).toBe(compileProbe());
});

test("an answer that is no two words says nothing", () => {
	for (const answer of [null, undefined, "0x", 7, `0x${"0".repeat(64)}`, `0x${"z".repeat(128)}`]) {
		expect(readSimulation(answer)).toBeNull();
	}
	const words = `0x${"7".padStart(64, "0")}${"9".padStart(64, "0")}`;
	expect(readSimulation(words)).toEqual({ spentRaw: 7n, receivedRaw: 9n });
});

test("one base unit beyond the bounds is not sent", () => {
	const bounds = { mostRaw: 10n, leastRaw: 5n };
	expect(simulationDenial({ spentRaw: 10n, receivedRaw: 5n }, bounds)).toBeNull();
	expect(simulationDenial({ spentRaw: 11n, receivedRaw: 5n }, bounds)?.code).toBe("token_unsafe");
	expect(simulationDenial({ spentRaw: 10n, receivedRaw: 4n }, bounds)?.code).toBe("token_unsafe");
});
